// @ts-check
// The game beside the board: its moves as links, mistakes marked, under the strip of margins.js. Asks the server to
// review the game when it has rested a moment, one review at a time; what is known of the game's beginning stays until
// it comes.

/** @import {Place} from "./address.js" */
/** @import {Review, ReviewMove, Pos} from "./types.js" */

import { format } from "./address.js";
import { isAbort, patiently, send } from "./api.js";
import { afterPause, byId, element, fill } from "./dom.js";
import { atPly, gameKey } from "./game.js";
import { marginPicture } from "./margins.js";
import { MISTAKES } from "./marks.js";
import { plural, sideName } from "./words.js";

/** Milliseconds without a new move before a game is reviewed: the server searches for it. */
const PAUSE = 600;

/** @typedef {{ply: number, hidden: boolean, href: (ply: number) => string, go: (ply: number) => void}} How */

export class GameStrip {
  /** @param {HTMLElement} root the section, hidden where there is no game @param {(ply: number) => void} go */
  constructor(root, go) {
    this.root = root;
    this.go = go;
    /** @type {Review | null} */
    this.review = null;
    this.key = "";
    /** Whether every move has its review, or will not have one. */
    this.whole = true;
    /** @type {{place: Place, control: AbortController} | null} the review under way */
    this.asked = null;
    this.askSoon = afterPause((/** @type {Place} */ place) => this.#ask(place), PAUSE);
  }

  /** @param {Place} place the game is this one now; what is known of its beginning stays */
  follow(place) {
    if (gameKey(place) === this.key) return;
    if (this.asked && !continues(place, this.asked.place)) this.#drop();
    this.review = place.moves ? unreviewed(place, this.#known(place), this.review?.start ?? null) : null;
    this.key = gameKey(place);
    this.whole = !place.moves;
  }

  /** @param {Review} review @param {Place} place a review that has come with a record */
  take(review, place) {
    this.#drop();
    this.review = review;
    this.key = gameKey(place);
    this.whole = true;
    this.titled = review.title;
  }

  /**
   * @param {Place} place of which the server has an answer, so its game can be reviewed
   * @param {boolean} hidden no values
   */
  show(place, hidden) {
    this.shown = { place, hidden };
    if (!this.whole) this.askSoon(place);
    this.root.hidden = !this.review?.moves.length;
    if (!this.review?.moves.length) return;
    byId("strip-title").textContent = (this.review.title === this.titled && this.titled) || "The game";
    draw(byId("strip-body"), this.review, {
      ply: place.ply,
      hidden,
      href: (ply) => format(atPly(place, ply)),
      go: this.go,
    });
  }

  /** @param {Place} place not while another review is under way: the server searches for each */
  async #ask(place) {
    if (gameKey(place) !== this.key || this.asked) return;
    const control = new AbortController();
    const asked = (this.asked = { place, control });
    const game = { start: place.start, rules: place.rules, moves: [...place.moves] };
    try {
      this.#keep(await patiently(() => send("oware/review", game, control.signal), control.signal));
    } catch (error) {
      if (isAbort(error)) return;
      this.whole = true; // the moves stay without marks
    }
    if (this.asked === asked) this.asked = null;
    if (!this.whole && this.shown) this.askSoon(this.shown.place);
  }

  /** @param {Review} review of the game shown, or of its beginning */
  #keep(review) {
    if (!this.shown || !this.review) return;
    const { place, hidden } = this.shown;
    this.whole = review.moves.length === this.review.moves.length;
    this.review = this.whole ? review : unreviewed(place, review.moves, review.start);
    this.show(place, hidden);
  }

  #drop() {
    this.asked?.control.abort();
    this.asked = null;
  }

  /** @param {Place} place @returns {ReviewMove[]} what has been said of the moves that this game begins with */
  #known(place) {
    const [rules, start, moves] = this.key.split(" ");
    if (rules !== place.rules || start !== place.start || !this.review?.start) return [];
    let same = 0;
    while (same < moves.length && moves[same] === place.moves[same]) same += 1;
    return this.review.moves.slice(0, same);
  }
}

/** @param {Place} place @param {Place} before @returns {boolean} whether a game goes on from another */
function continues(place, before) {
  return place.rules === before.rules && place.start === before.start && place.moves.startsWith(before.moves);
}

/**
 * @param {Place} place
 * @param {ReviewMove[]} known
 * @param {Pos | null} start of the same game
 * @returns {Review} a game whose review has not come yet
 */
function unreviewed(place, known, start) {
  const blank = {
    value: null,
    lower: null,
    upper: null,
    best: null,
    best_value: null,
    loss: null,
    certainty: null,
    mistake: null,
    after: null,
  };
  const moves = [...place.moves].map(
    (move, index) => known[index] ?? { ...blank, ply: index + 1, side: move < "a" ? "south" : "north", move },
  );
  return /** @type {Review} */ ({
    title: "",
    rules: place.rules,
    start: known.length ? start : null,
    result: "*",
    warnings: [],
    moves,
    average_loss: { south: null, north: null },
  });
}

/**
 * @param {HTMLElement} root
 * @param {Review} review
 * @param {How} how
 */
function draw(root, review, how) {
  const scrolled = root.querySelector(".game-moves")?.scrollTop ?? 0;
  fill(root, !how.hidden && marginPicture(review, how), !how.hidden && summary(review), moveList(review, how));
  const list = root.querySelector(".game-moves");
  if (list) keepInSight(list, scrolled);
}

/** @param {Element} list @param {number} scrolled */
function keepInSight(list, scrolled) {
  list.scrollTop = scrolled;
  const now = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
  if (!now) return;
  const top = now.offsetTop - /** @type {HTMLElement} */ (list).offsetTop;
  if (top < list.scrollTop || top + now.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top - list.clientHeight / 2;
}

/** @param {Review} review */
function summary(review) {
  const { south, north } = review.average_loss;
  const parts = [
    ["South", south],
    ["North", north],
  ]
    .filter(([, loss]) => loss !== null && loss !== undefined)
    .map(([name, loss]) => `${name} ${Number(loss).toFixed(1)}`);
  return (
    parts.length > 0 &&
    element(
      "p",
      { class: "note" },
      `Seeds lost per move, on average: ${parts.join(", ")}. A bar at the edge marks a mistake: above by North, below by South.`,
    )
  );
}

/** @param {Review} review @param {How} how */
function moveList(review, how) {
  const items = review.moves.map((note, index) => {
    const number = index % 2 ? "" : `${index / 2 + 1}.`;
    return element(
      "li",
      {},
      number && element("span", { class: "number" }, number),
      moveLink(note, index, review, how),
    );
  });
  const start = element(
    "li",
    {},
    element("a", { href: how.href(0), "aria-current": how.ply === 0 ? "step" : null }, "Start"),
  );
  return element("ol", { class: "game-moves", tabindex: "0", "aria-label": "Moves of the game" }, start, items);
}

/** @param {ReviewMove} note @param {number} index @param {Review} review @param {How} how */
function moveLink(note, index, review, how) {
  const before = index ? review.moves[index - 1].after : review.start;
  const captured =
    note.after && before ? note.after.stores[0] + note.after.stores[1] - before.stores[0] - before.stores[1] : 0;
  const [sign, word] = (!how.hidden && note.mistake && MISTAKES[note.mistake]) || ["", ""];
  const why =
    word &&
    `${word}${note.loss ? `, loses ${plural(note.loss, "seed")}` : ""}${note.best ? `; best was ${note.best}` : ""}`;
  return element(
    "a",
    {
      href: how.href(index + 1),
      class: sign ? `slip ${note.mistake}` : null,
      "aria-current": how.ply === index + 1 ? "step" : null,
      title: why || null,
    },
    element("span", { class: "visually-hidden" }, `${sideName(note.side)} `),
    `${note.move}${captured ? `+${captured}` : ""}`,
    sign && element("span", { class: "slip-sign", "aria-hidden": "true" }, sign),
    why && element("span", { class: "visually-hidden" }, ` (${why})`),
  );
}
