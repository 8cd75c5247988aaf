// @ts-check
// The keyboard: which key asks for what on Oware's board. Not where a field, a menu or a button has the focus and
// needs the key itself, and not where the reader has switched shortcuts off.

import { settings } from "./settings.js";

/**
 * @typedef {object} Actions
 * @property {(number: number) => void} house play a house, counted 1.. from the player's left
 * @property {(letter: string) => void} letter play a house by its letter
 * @property {() => void} best
 * @property {(plies: number) => void} step
 * @property {() => void} flip
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {(letter: string) => void} unshifted a letter without Shift: say how it is done
 */

/** @param {Actions} actions @param {() => boolean} active whether the board is what the reader looks at */
export function listenToKeys(actions, active) {
  addEventListener("keydown", (event) => {
    if (!settings().keys || !active() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
      return;
    if (belongsElsewhere(/** @type {Element} */ (event.target), event.key)) return;
    if (act(actions, event.key)) event.preventDefault();
  });
}

/** @param {Element} target @param {string} key */
function belongsElsewhere(target, key) {
  if (target.closest("input:not([type=checkbox]), textarea, select, [role=tablist]")) return true;
  if (key === " ") return target.closest("button, summary, label, input, a.button") !== null;
  return (
    key.startsWith("Arrow") &&
    target.closest(".game-moves, [role=slider]") !== null &&
    target.scrollWidth > target.clientWidth
  );
}

/** @param {Actions} actions @param {string} key @returns {boolean} whether the key meant something */
function act(actions, key) {
  if (/^[1-8]$/.test(key)) actions.house(Number(key));
  else if (/^[A-H]$/.test(key)) actions.letter(key);
  else if (key === " ") actions.best();
  else if (key === "ArrowLeft") actions.step(-1);
  else if (key === "ArrowRight") actions.step(1);
  else if (key === "f") actions.flip();
  else if (key === "u") actions.undo();
  else if (key === "r") actions.redo();
  else if (/^[a-h]$/.test(key)) actions.unshifted(key);
  else return false;
  return true;
}
