// @ts-check
// The headline: what the position is worth, in words, and below it how sure that is, whose turn it is, and from whose
// view the numbers are. With hidden values only what a player knows.

/** @import {Answer, Depth, SearchLine} from "./types.js" */

import { fill, unbroken } from "./dom.js";
import { plural, searchVerdict, sideName, typeset } from "./words.js";

/**
 * @param {{headline: Element, under: Element}} places
 * @param {Answer} answer
 * @param {Depth | null} depth what a search has found here
 * @param {boolean} hide no values
 */
export function showHeadline({ headline, under }, answer, depth, hide) {
  const found = searched(answer, depth);
  const toMove = `${sideName(answer.position.turn)} to move`;
  const words = hide && !answer.over ? toMove : verdict(answer, found, toMove);
  if (headline.textContent !== words) fill(headline, unbroken(words));
  const valued = !hide && !answer.over && (found !== null || answer.certainty !== null);
  const parts = [
    valued && (found ? searchSureness(found, depth) : sureness(answer)),
    !answer.over && !words.startsWith(toMove) && `${toMove}.`,
    valued && `Numbers in seeds, from ${sideName(answer.position.turn)}’s view.`,
    `${plural(answer.position.seeds, "seed")} on the board.`,
    `Rules: ${answer.rules.id}.`,
    answer.repeats && !answer.over && "This board has been there before.",
  ];
  under.textContent = parts.filter(Boolean).join(" ");
}

/**
 * @param {Answer} answer
 * @param {Depth | null} depth
 * @returns {SearchLine | null} the best line, where a search knows more than the tables
 */
function searched(answer, depth) {
  const best = depth?.lines[0];
  if (!best || answer.over) return null;
  return answer.certainty === null || (best.exact && answer.certainty !== "exact") ? best : null;
}

/**
 * @param {Answer} answer
 * @param {SearchLine | null} found
 * @param {string} toMove
 */
function verdict({ position, certainty, verdict: said }, found, toMove) {
  if (found) return searchVerdict(found.score, found.exact, position.turn, position.total);
  return certainty === null ? `${toMove}: no table reaches here` : typeset(said ?? toMove);
}

/**
 * @param {SearchLine} found
 * @param {Depth | null} depth
 */
function searchSureness(found, depth) {
  return found.exact ? "Exact, proven by search." : `Estimate at depth ${depth?.depth}.`;
}

/** @param {Answer} answer */
function sureness({ certainty }) {
  if (certainty === "exact") return "Exact.";
  return certainty === "bounded" || certainty === "window" ? "Bounded." : "";
}
