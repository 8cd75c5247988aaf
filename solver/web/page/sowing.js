// @ts-check
// Shows a move seed by seed over a board: a hand lifts the seeds, lets them fall one by one, then captures go to the
// store. What falls where is the server's list; this only plays it. Whether to show it at all is settings.js's.

/** @import {Board} from "./board.js" */
/** @import {Move, Pos} from "./types.js" */

import { element } from "./dom.js";
import { sideName, typeset } from "./words.js";

/** Milliseconds from seed to seed; a long sowing goes faster, so that none takes more than about three seconds. */
const PACE = 190;
const LONGEST = 2600;

/**
 * @param {Board} board which shows `before`
 * @param {Pos} before
 * @param {Move} move
 * @param {AbortSignal} signal ends it at once
 */
export async function showSowing(board, before, move, signal) {
  const counts = [...before.board];
  const pace = Math.min(PACE, LONGEST / Math.max(1, move.sowing.length));
  const hand = element("span", { class: "hand", "aria-hidden": "true" }, counts[move.house]);
  board.root.append(hand);
  board.root.classList.add("sowing");
  board.preview(null);
  try {
    place(board, hand, board.cells[move.house].box, 0);
    lift(board, counts, move.house);
    await pause(pace, signal);
    for (const [index, house] of move.sowing.entries()) {
      place(board, hand, board.cells[house].box, pace * 0.8);
      await pause(pace, signal);
      counts[house] += 1;
      board.paint(house, counts[house]);
      board.cells[house].picture.lastElementChild?.classList.add("fell");
      hand.textContent = String(move.sowing.length - index - 1);
    }
    hand.hidden = true;
    await showCaptures(board, before, move, counts, signal);
  } finally {
    hand.remove();
    board.root.classList.remove("sowing");
  }
}

/** @param {Board} board @param {Pos} before @param {Move} move @param {number[]} counts @param {AbortSignal} signal */
async function showCaptures(board, before, move, counts, signal) {
  let store = before.stores[before.turn === "south" ? 0 : 1];
  for (const house of move.captures) {
    board.cells[house].box.classList.add("taken");
    await pause(PACE * 1.6, signal);
    store += counts[house];
    lift(board, counts, house);
    board.paintStore(before.turn, store);
  }
  if (move.captures.length) await pause(PACE, signal);
}

/** @param {Board} board @param {number[]} counts @param {number} house */
function lift(board, counts, house) {
  counts[house] = 0;
  board.paint(house, 0);
}

/** @param {Board} board @param {HTMLElement} hand @param {HTMLElement} box @param {number} time */
function place(board, hand, box, time) {
  const at = box.querySelector(".hollow")?.getBoundingClientRect() ?? box.getBoundingClientRect();
  const root = board.root.getBoundingClientRect();
  hand.style.transitionDuration = `${time}ms`;
  hand.style.transform = `translate(${at.x + at.width / 2 - root.x}px, ${at.y + at.height / 2 - root.y}px) translate(-50%, -50%)`;
}

/** @param {number} time @param {AbortSignal} signal @returns {Promise<void>} rejects when the signal comes */
function pause(time, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

/** @param {Pos} before @param {Move} move @returns {string} the move in words, for those who do not see it */
export function moveWords(before, move) {
  const captured = move.captured
    ? `, captures ${move.captured}`
    : move.slam
      ? ", a grand slam that captures nothing"
      : "";
  const end = move.ends ? `. ${typeset(move.ends.words)}` : "";
  return `${sideName(before.turn)} plays ${move.move}${captured}${end}`;
}
