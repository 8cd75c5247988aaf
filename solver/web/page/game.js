// @ts-check
// A game as a place in the address: the place after a move, a step back, a new game; and undo, which remembers whole
// addresses. Whether a move may be played, and what it does, is the server's to say.

/** @import {Place} from "./address.js" */

/**
 * @param {Place} place
 * @param {string} letter
 * @returns {Place} after playing it; the rest of the game stays where it is the same move
 */
export function afterMove(place, letter) {
  const same = place.moves[place.ply] === letter;
  const moves = same ? place.moves : place.moves.slice(0, place.ply) + letter;
  return { ...place, view: "oware", moves, ply: place.ply + 1 };
}

/** @param {Place} place @param {number} ply @returns {Place} */
export function atPly(place, ply) {
  return { ...place, view: "oware", ply: Math.min(place.moves.length, Math.max(0, ply)) };
}

/** @param {Place} place @param {string} start @param {string} [moves] @param {string} [rules] @returns {Place} */
export function newGame(place, start, moves = "", rules = place.rules) {
  return { ...place, view: "oware", rules, start, moves, ply: moves.length };
}

/** @param {Place} place @returns {string} the moves played up to here */
export function played(place) {
  return place.moves.slice(0, place.ply);
}

/** @param {Place} place @returns {string} what makes it this position and no other, history included */
export function positionKey(place) {
  return `${place.rules} ${place.start} ${played(place)}`;
}

/** @param {Place} place @returns {string} what makes it this game, wherever one stands in it */
export function gameKey(place) {
  return `${place.rules} ${place.start} ${place.moves}`;
}

/** Games left behind, and games undone. Steps within a game are not in it: they change nothing. */
export class Undo {
  constructor() {
    /** @type {Place[]} */
    this.past = [];
    /** @type {Place[]} */
    this.future = [];
  }

  /** @param {Place} before @param {Place} after */
  note(before, after) {
    if (gameKey(before) === gameKey(after)) return;
    this.past.push(before);
    this.future = [];
  }

  /** @param {Place} now @returns {Place | undefined} */
  undo(now) {
    return Undo.#move(this.past, this.future, now);
  }

  /** @param {Place} now @returns {Place | undefined} */
  redo(now) {
    return Undo.#move(this.future, this.past, now);
  }

  /** @param {Place[]} from @param {Place[]} to @param {Place} now */
  static #move(from, to, now) {
    const found = from.pop();
    if (found) to.push(now);
    return found && { ...now, rules: found.rules, start: found.start, moves: found.moves, ply: found.ply };
  }
}
