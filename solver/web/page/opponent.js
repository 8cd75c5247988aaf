// @ts-check
// The engine as an opponent: which side it plays and how strong, its move, and in what way it was weakened. Playing
// the move is left to the page, which plays it as a reader's.

/** @import {Place} from "./address.js" */
/** @import {Side} from "./types.js" */

import { ask, isAbort, patiently } from "./api.js";
import { element, fill, say } from "./dom.js";
import { played } from "./game.js";

export class Opponent {
  /** @param {HTMLElement} root @param {(change: {engine: Side | "", level: number}) => void} onChoice */
  constructor(root, onChoice) {
    const sides = /** @type {const} */ ([
      ["", "nobody: I play both sides"],
      ["north", "North: I play South"],
      ["south", "South: I play North"],
    ]);
    this.side = element(
      "select",
      { id: "engine-side" },
      sides.map(([value, words]) => element("option", { value }, words)),
    );
    this.level = element("select", { id: "engine-level" });
    this.about = element("p", { class: "note" });
    this.status = element("p", { class: "status", role: "status", hidden: true });
    this.error = element("p", { class: "alert", role: "alert", hidden: true });
    /** @type {{level: number, name: string, words: string}[]} */
    this.levels = [];
    /** @type {AbortController | null} */
    this.asking = null;
    this.wanted = 4;
    for (const select of [this.side, this.level]) {
      select.addEventListener("change", () =>
        onChoice({ engine: this.side.value, level: Number(this.level.value) || this.wanted }),
      );
    }
    fill(
      root,
      element(
        "div",
        { class: "fields" },
        element("label", {}, "The engine plays ", this.side),
        element("label", {}, "Strength ", this.level),
      ),
      this.about,
      this.status,
      this.error,
    );
  }

  /** Fills in the strengths there are. */
  async load() {
    try {
      const answer = await ask("levels");
      this.levels = Array.isArray(answer) ? answer : answer.levels;
      say(this.error);
    } catch (error) {
      if (!isAbort(error)) say(this.error, /** @type {Error} */ (error).message);
    }
    fill(
      this.level,
      this.levels.map(({ level, name }) => element("option", { value: level }, `${level}: ${name}`)),
    );
    this.#select();
  }

  /** @param {Place} place */
  show(place) {
    this.side.value = place.engine;
    this.wanted = place.level;
    this.#select();
  }

  /** Drops a move that is under way: the position is another now. */
  drop() {
    if (!this.asking) return;
    this.asking.abort();
    this.asking = null;
    say(this.status);
  }

  /**
   * @param {Place} place
   * @returns {Promise<string | null>} the engine's move, or null where it was dropped or failed
   */
  async reply(place) {
    this.drop();
    say(this.error);
    const control = new AbortController();
    this.asking = control;
    say(this.status, "The engine thinks …");
    try {
      const query = { rules: place.rules, position: place.start, moves: played(place), level: place.level };
      const answer = await patiently(() => ask("oware/play", query, control.signal), control.signal);
      this.asking = null;
      say(this.status, `The engine played ${answer.move}. ${answer.how}`);
      return answer.move;
    } catch (error) {
      if (isAbort(error)) return null;
      this.asking = null;
      say(this.status);
      say(this.error, /** @type {Error} */ (error).message);
      return null;
    }
  }

  #select() {
    this.level.value = String(this.wanted);
    this.about.textContent = this.levels.find(({ level }) => level === this.wanted)?.words ?? "";
  }
}
