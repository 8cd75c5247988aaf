// @ts-check
// A turn of Omweso replayed lap by lap over the board: played by itself, paused, stepped, with each lap in words. The
// laps are the server's.

/** @import {Lap, OmwesoPos, Side} from "./types.js" */
/** @import {OmwesoBoard, Sides} from "./omweso_board.js" */

import { element, fill } from "./dom.js";
import { pitLetter, sidesOf } from "./omweso_board.js";
import { animates } from "./settings.js";
import { plural } from "./words.js";

const PACE = 750;

export class LapPlayer {
  /** @param {OmwesoBoard} board @param {() => void} onDone called when the board is the reader's again */
  constructor(board, onDone) {
    this.board = board;
    this.onDone = onDone;
    this.replaying = false;
    /** @type {{laps: Lap[], truncated: boolean, before: Sides, mover: Side, turn: string} | null} */
    this.shown = null;
    this.at = 0;
    this.timer = 0;
    this.words = element("p", { class: "lap-words", "aria-live": "polite" });
    this.slider = element("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "Lap",
      oninput: () => (this.#pause(), this.#at(Number(this.slider.value))),
    });
    this.button = element(
      "button",
      { type: "button", onclick: () => (this.timer ? this.#pause() : this.#run(true)) },
      "Play",
    );
    this.close = element("button", { type: "button", onclick: () => this.#end() }, "Done");
    const step = (/** @type {number} */ by) => () => (this.#pause(), this.#at(this.at + by));
    this.root = element(
      "section",
      { class: "laps card", "aria-label": "The turn, lap by lap", hidden: true },
      this.words,
      element(
        "div",
        { class: "bar" },
        element("button", { type: "button", "aria-label": "The lap before", onclick: step(-1) }, "←"),
        this.slider,
        element("button", { type: "button", "aria-label": "The next lap", onclick: step(1) }, "→"),
        this.button,
        this.close,
      ),
    );
  }

  /**
   * Replays a turn once, if sowings are to be shown, and keeps it there to be looked at again.
   * @param {Lap[]} laps
   * @param {boolean} truncated
   * @param {string} turn
   * @param {OmwesoPos} before
   * @param {AbortSignal} signal
   * @returns {Promise<void>} when it has been shown, or is not to be
   */
  play(laps, truncated, turn, before, signal) {
    this.#pause();
    this.shown = { laps, truncated, turn, before: sidesOf(before), mover: before.turn };
    this.slider.max = String(laps.length);
    this.root.hidden = !laps.length;
    if (!laps.length || !animates()) return (this.#at(laps.length, false), Promise.resolve());
    this.replaying = true;
    return new Promise((resolve) => {
      this.resolve = resolve;
      signal.addEventListener("abort", () => this.#end(), { once: true });
      this.#at(0);
      this.#run(false);
    });
  }

  /** @param {boolean} again from the first lap where the last one is shown */
  #run(again) {
    const { laps } = /** @type {NonNullable<LapPlayer["shown"]>} */ (this.shown);
    if (again && this.at >= laps.length) this.#at(0);
    const pace = Math.max(120, Math.min(PACE, 6000 / laps.length));
    this.button.textContent = "Pause";
    this.timer = setInterval(() => (this.at < laps.length ? this.#at(this.at + 1) : this.#end()), pace);
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.button.textContent = "Play";
  }

  /** Another position is shown: the turn is no longer of interest. */
  hide() {
    this.#pause();
    this.replaying = false;
    this.root.hidden = true;
  }

  /** Gives the board back. */
  #end() {
    this.#pause();
    this.replaying = false;
    this.resolve?.();
    this.resolve = undefined;
    this.onDone();
  }

  /** @param {number} at laps sown, 0..all @param {boolean} [draw] */
  #at(at, draw = true) {
    const { laps, before, mover, turn, truncated } = /** @type {NonNullable<LapPlayer["shown"]>} */ (this.shown);
    this.at = Math.max(0, Math.min(laps.length, at));
    this.slider.value = String(this.at);
    const lap = laps[this.at - 1];
    fill(
      this.words,
      lap
        ? `Turn ${turn}, lap ${this.at} of ${laps.length}${truncated ? " and more" : ""}: ${lapWords(lap, mover)}`
        : `Turn ${turn}: ${plural(laps.length, "lap")}`,
    );
    if (!draw) return;
    this.replaying = true;
    const sides = lap ? sidesOf({ text: "", side: lap.side, opponent: lap.opponent, turn: mover, seeds: 0 }) : before;
    this.board.show(sides, { playable: new Set(), chosen: null });
    if (lap) this.board.mark(lap, mover);
  }
}

/** @param {Lap} lap @param {Side} mover */
function lapWords(lap, mover) {
  const letter = (/** @type {number} */ pit) => pitLetter(pit, lap.side.length, mover);
  const last = lap.sown.at(-1);
  const began = { start: "lifts", relay: "relay: lifts", capture: "sows the captured" }[lap.kind];
  const from = lap.kind === "capture" ? ` from after ${letter(lap.pit)}` : ` from ${letter(lap.pit)}`;
  const taken = lap.captured.length ? `, captures from ${plural(lap.captured.length, "pit")}` : "";
  return `${began} ${lap.lifted}${from}${last ? `, ends in ${letter(last.pit)}` : ""}${taken}.`;
}
