// @ts-check
// The list of moves: links to the position after each, grouped by outcome in the server's order, and the rule of that
// order. With hidden values only what a player could see on the board.

/** @import {Answer} from "./types.js" */
/** @import {Said} from "./verdicts.js" */

import { element, fill, unbroken } from "./dom.js";
import { certaintyMark, outcomeMark } from "./marks.js";
import { CERTAINTY_WORDS, OUTCOME_TITLES, plural, signed, typeset } from "./words.js";

/**
 * @param {HTMLElement} root
 * @param {Answer} answer
 * @param {Said[]} said
 * @param {{hidden: boolean, href: (letter: string) => string, onPoint: (letter: string | null) => void}} how
 */
export function showMoves(root, answer, said, how) {
  const focused = root.contains(document.activeElement);
  if (answer.over) fill(root, element("p", {}, typeset(answer.over.words)));
  else if (how.hidden) fill(root, list(inHouseOrder(said), how), note("Values are hidden."));
  else fill(root, ...groups(said, how), note(orderRule(answer, said)));
  if (focused) /** @type {HTMLElement | null} */ (root.querySelector("a"))?.focus({ preventScroll: true });
}

/** @param {Said[]} said @param {any} how */
function groups(said, how) {
  const outcomes = [...new Set(said.map(({ outcome }) => outcome))];
  return outcomes.flatMap((outcome) => {
    const members = said.filter((move) => move.outcome === outcome);
    const estimated = outcome === "unknown" && members.some(({ certainty }) => certainty);
    const title = estimated ? "Estimated by search" : OUTCOME_TITLES[outcome];
    return [element("h3", { class: `group ${outcome}` }, outcomeMark(outcome), title), list(members, how)];
  });
}

/** @param {Said[]} said @param {any} how */
function list(said, how) {
  return element(
    "ul",
    { class: "move-list" },
    said.map((one) => element("li", {}, link(one, how))),
  );
}

/**
 * @param {Said} said
 * @param {{hidden: boolean, href: (letter: string) => string, onPoint: (letter: string | null) => void}} how
 */
function link(said, { hidden, href, onPoint }) {
  const { move } = said;
  const parts = [
    element("span", { class: "letter" }, move.move),
    element("span", { class: "does" }, unbroken(does(said))),
    !hidden && onBoard(said) && element("span", { class: "detail" }, onBoard(said)),
    !hidden &&
      element(
        "span",
        { class: `worth ${said.outcome}`, "data-worth": said.text },
        element("span", { class: "number" }, said.text),
        certaintyMark(said.certainty),
      ),
    !hidden &&
      element("span", { class: "visually-hidden" }, said.certainty ? `, ${CERTAINTY_WORDS[said.certainty]}` : ""),
  ];
  const on = () => onPoint(move.move);
  const off = () => onPoint(null);
  return element(
    "a",
    {
      class: "move",
      href: href(move.move),
      "data-move": move.move,
      onpointerenter: on,
      onfocus: on,
      onpointerleave: off,
      onblur: off,
    },
    spaced(hidden ? parts.slice(0, 1).concat(element("span", { class: "does" }, openly(said))) : parts),
  );
}

/** Spaces between the parts, so that they are words apart when read out. @param {any[]} parts */
function spaced(parts) {
  return parts.filter(Boolean).flatMap((part) => [part, " "]);
}

/** @param {Said} said what the move does, to be seen on the board by anyone */
function openly({ move }) {
  if (move.ends) return "ends the game";
  if (move.slam) return "a grand slam, captures nothing";
  return move.captured ? `captures ${move.captured}` : "captures nothing";
}

/** @param {Said} said */
function does(said) {
  const { move } = said;
  const seen = move.captured || move.slam || move.ends ? `${openly(said)}; ` : "";
  return seen + said.words;
}

/** @param {Said} said the value without the stores, and the plies to it */
function onBoard({ move }) {
  if (move.certainty === null) return "";
  const value =
    move.lower !== null && move.upper !== null && move.lower !== move.upper
      ? `${signed(move.lower)} to ${signed(move.upper)} on the board`
      : move.value !== null
        ? `${signed(move.value)} on the board`
        : "";
  return move.distance === null ? value : `${value}, ${plural(move.distance, "ply", "plies")}`;
}

/** @param {Answer} answer @param {Said[]} said */
function orderRule(answer, said) {
  const searched = said.every(({ move }) => move.certainty === null);
  if (!searched) return answer.order;
  return said.some(({ certainty }) => certainty)
    ? "Moves are ordered by the score of the search, the best first."
    : "Moves stand in the order of the houses.";
}

/** @param {Said[]} said */
function inHouseOrder(said) {
  return [...said].sort((a, b) => a.move.house - b.move.house);
}

/** @param {string} words */
function note(words) {
  return element("p", { class: "note" }, words);
}
