// @ts-check
// From the server's numbers to what the page says of a move: one margin at the end of the game, one outcome, one mark
// of certainty. Tables speak of the seeds on the board; the lead in the stores is added here, so that all margins
// compare.

/** @import {Answer, Move, Outcome, Pos, SearchLine, Side, Depth} from "./types.js" */

import { halved, score, signed, typeset } from "./words.js";

/**
 * @typedef {object} Said what is said of a move, from the view of its player
 * @property {Move} move
 * @property {Outcome | "unknown"} outcome
 * @property {"exact" | "bounded" | "estimate" | null} certainty null where nothing is known
 * @property {number | null} low margin at the end of the game, at least
 * @property {number | null} high and at most; the same where it is one number
 * @property {string} text as short as a label: "+4", "−2…+4"
 * @property {string} words a phrase: "wins by 4, 26–22"
 */

/** @param {Pos} position @param {Side} [side] @returns {number} seeds that a side has won more than the other */
export function lead(position, side = position.turn) {
  const south = position.stores[0] - position.stores[1];
  return side === "south" ? south : -south;
}

/** @param {[number, number]} final @param {Side} side */
export function marginOf(final, side) {
  return side === "south" ? final[0] - final[1] : final[1] - final[0];
}

/**
 * Every move with what is said of it, in the server's order; moves that only a search knows in the search's order.
 * @param {Answer} answer
 * @param {Depth | null} search the deepest result of a search of this position, if there is one
 * @returns {Said[]}
 */
export function sayMoves(answer, search) {
  const lines = new Map((search?.lines ?? []).map((line) => [line.move, line]));
  const said = answer.moves.map((move) => sayMove(move, answer.position, lines.get(move.move)));
  if (said.some(({ move }) => move.certainty !== null)) return said;
  return said.sort((a, b) => Number(b.low !== null) - Number(a.low !== null) || (b.low ?? 0) - (a.low ?? 0));
}

/** @param {Move} move @param {Pos} position @param {SearchLine} [line] @returns {Said} */
function sayMove(move, position, line) {
  const [low, high] = limits(move, position);
  if (low !== null && low === high) return complete(move, position, "exact", low, high, move.verdict);
  if (line?.exact) return complete(move, position, "exact", line.score, line.score, null);
  if (move.certainty !== null) return complete(move, position, "bounded", low, high, move.verdict);
  if (line) return complete(move, position, "estimate", line.score, line.score, null);
  return complete(move, position, null, null, null, null);
}

/**
 * @param {Move} move
 * @param {Pos} position
 * @returns {[number | null, number | null]} the margin at the end: least, most
 */
function limits(move, position) {
  if (move.final) {
    const margin = marginOf(move.final, position.turn);
    return [margin, margin];
  }
  const ahead = lead(position);
  if (move.certainty === "bounded") return [plus(move.lower, ahead), plus(move.upper, ahead)];
  if (move.certainty === "window" && move.value !== null) return beyond(move.value, ahead);
  if (move.certainty !== null && move.value !== null) return [move.value + ahead, move.value + ahead];
  return [null, null];
}

/**
 * @param {number} value at the edge of a table's window
 * @param {number} ahead
 * @returns {[number | null, number | null]}
 */
function beyond(value, ahead) {
  return value > 0 ? [value + ahead, null] : [null, value + ahead];
}

/** @param {number | null} value @param {number} ahead */
function plus(value, ahead) {
  return value === null ? null : value + ahead;
}

/**
 * @param {Move} move
 * @param {Pos} position
 * @param {Said["certainty"]} certainty
 * @param {number | null} low
 * @param {number | null} high
 * @param {string | null} words the server's
 * @returns {Said}
 */
function complete(move, position, certainty, low, high, words) {
  const outcome = move.outcome ?? (certainty === "exact" ? outcomeOf(low ?? 0) : "unknown");
  const text = labelText(low, high, certainty);
  const said = words && move.final && !/[0-9][-–][0-9]/.test(words) ? `${words}, ${score(move.final)}` : words;
  return { move, outcome, certainty, low, high, text, words: typeset(said ?? phrase(low, high, certainty, position)) };
}

/** @param {number} margin @returns {Outcome} */
export function outcomeOf(margin) {
  return margin > 0 ? "win" : margin < 0 ? "loss" : "draw";
}

/** @param {number | null} low @param {number | null} high @param {Said["certainty"]} certainty */
export function labelText(low, high, certainty) {
  if (certainty === null) return "?";
  if (low === null) return high === null ? "?" : `≤ ${signed(high)}`;
  if (high === null) return `≥ ${signed(low)}`;
  if (low !== high) return `${signed(low)}…${signed(high)}`;
  return certainty === "estimate" ? `≈ ${signed(low)}` : signed(low);
}

/** @param {number | null} low @param {number | null} high @param {Said["certainty"]} certainty @param {Pos} position */
function phrase(low, high, certainty, position) {
  if (certainty === null) return "no value known";
  if (low === null || low !== high)
    return `ends between ${low === null ? "?" : signed(low)} and ${high === null ? "?" : signed(high)}`;
  if (certainty === "estimate") return low ? `about ${signed(low)}` : "about even";
  const mine = (position.total + low) / 2;
  const final =
    position.turn === "south"
      ? /** @type {const} */ ([mine, position.total - mine])
      : /** @type {const} */ ([position.total - mine, mine]);
  return `${low > 0 ? "wins by" : low < 0 ? "loses by" : "draws"}${low ? ` ${halved(Math.abs(low))}` : ""}, ${score([...final])}`;
}
