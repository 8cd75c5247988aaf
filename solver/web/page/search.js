// @ts-check
// The search panel: asks the engine for a position, shows each deeper result as it comes, and can be stopped. One
// search at a time; a new position drops the old one. What the board and the list make of the lines is verdicts.js's.

/** @import {Depth} from "./types.js" */
/** @import {Place} from "./address.js" */

import { ApiError, events, isAbort, patiently } from "./api.js";
import { element, fill, say } from "./dom.js";
import { played, positionKey } from "./game.js";
import { certaintyMark } from "./marks.js";
import { plural, rough, signed } from "./words.js";

/** How many positions' last results are kept for stepping back to. */
const KEPT = 60;
const ABOUT = "The engine looks ahead from this position. Where it meets a board of a table, it knows the value.";

export class Search {
  /**
   * @param {HTMLElement} root
   * @param {() => Place} place the position to search, when the button is pressed
   * @param {() => void} onResult called when {@link result} has changed
   */
  constructor(root, place, onResult) {
    this.onResult = onResult;
    /** @type {Map<string, Depth>} */
    this.found = new Map();
    /** @type {AbortController | null} */
    this.running = null;
    this.hidden = this.over = false;
    this.seconds = element(
      "select",
      { id: "search-seconds" },
      [1, 3, 10, 30].map((s) => element("option", { value: s, selected: s === 3 }, `${s} s`)),
    );
    this.button = element("button", { type: "button", id: "search-go" }, "Search");
    this.status = element("p", { class: "note", id: "search-status" }, ABOUT);
    this.lines = element("ol", { class: "search-lines" });
    this.error = element("p", { class: "alert", role: "alert", hidden: true });
    this.button.addEventListener("click", () => (this.running ? this.stop() : this.start(place())));
    fill(
      root,
      element("div", { class: "bar" }, element("label", {}, "Time ", this.seconds), this.button),
      this.error,
      this.status,
      this.lines,
    );
  }

  /** @param {Place} place @returns {Depth | null} the deepest result known of a position */
  result(place) {
    return this.found.get(positionKey(place)) ?? null;
  }

  /**
   * Shows what is known of a position.
   *
   * @param {Place} place
   * @param {boolean} hidden without numbers, where values are hidden
   * @param {boolean} over a game that is over cannot be searched
   */
  show(place, hidden, over) {
    this.hidden = hidden;
    this.button.disabled = over;
    if (this.over !== over) this.status.textContent = over ? "The game is over: there is nothing to search." : ABOUT;
    this.over = over;
    const depth = this.result(place);
    if (depth) this.#tell(depth);
    else if (!this.running) fill(this.lines);
  }

  stop() {
    this.running?.abort();
    this.#finish();
  }

  /** @param {Place} place */
  async start(place) {
    this.stop();
    const control = new AbortController();
    this.running = control;
    this.button.textContent = "Stop";
    say(this.error);
    fill(this.lines);
    this.status.textContent = "Searching …";
    try {
      await patiently(() => this.#follow(place, control.signal), control.signal);
    } catch (error) {
      if (!isAbort(error)) this.#fail(/** @type {ApiError} */ (error));
    }
    if (this.running === control) this.#finish();
  }

  /** @param {Place} place @param {AbortSignal} signal */
  async #follow(place, signal) {
    const query = {
      rules: place.rules,
      position: place.start,
      moves: played(place),
      seconds: this.seconds.value,
      multipv: 8,
    };
    for await (const { event, data } of events("oware/search", query, signal)) {
      if (event === "error") throw new ApiError(data.error);
      if (event !== "depth" || signal.aborted) continue;
      this.#keep(positionKey(place), data);
      this.#tell(data);
      this.onResult();
    }
  }

  /** @param {string} key @param {Depth} depth */
  #keep(key, depth) {
    this.found.delete(key);
    this.found.set(key, depth);
    for (const oldest of this.found.keys()) {
      if (this.found.size <= KEPT) break;
      this.found.delete(oldest);
    }
  }

  /** @param {Depth} depth */
  #tell(depth) {
    const hits = depth.table_hits ? `, ${plural(depth.table_hits, "board")} found in tables` : "";
    const speed = `${rough(depth.nodes)} nodes, ${rough(Math.round(depth.nodes_per_second))} per second`;
    this.status.textContent = `Depth ${depth.depth}, ${depth.seconds.toFixed(1)} s, ${speed}${hits}.`;
    fill(this.lines, this.hidden ? [] : depth.lines.map(line));
  }

  /** @param {ApiError} error */
  #fail(error) {
    const again = error.wait ? ` Try again in ${error.wait} s.` : "";
    say(this.error, `${error.message}${again}`);
    this.status.textContent = "";
  }

  #finish() {
    this.running = null;
    this.button.textContent = "Search";
    if (this.status.textContent === "Searching …") this.status.textContent = "";
  }
}

/** @param {import("./types.js").SearchLine} found */
function line(found) {
  const certainty = found.exact ? "exact" : "estimate";
  return element(
    "li",
    {},
    element("strong", { class: "score" }, `${found.exact ? "" : "≈ "}${signed(found.score)}`),
    " ",
    certaintyMark(certainty),
    element("span", { class: "visually-hidden" }, ` ${certainty}: `),
    element("span", { class: "pv" }, found.pv.join(" ")),
  );
}
