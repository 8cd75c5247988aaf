// @ts-check
// Omweso's view: the board of four rows, the turns with their choices, a turn replayed lap by lap, the engine's reply.
// The turns, laps and boards are the server's; this shows them and keeps the game in the address.

/** @import {Place, OmwesoPlace} from "./address.js" */
/** @import {Turn, Lap, OmwesoPos, Side} from "./types.js" */

import { FIRST_SETUP, format } from "./address.js";
import { ApiError, ask, events, isAbort } from "./api.js";
import { element, fill, say } from "./dom.js";
import { LapPlayer } from "./laps.js";
import { SetupForm } from "./omweso_setup.js";
import { searchWords, turnList } from "./omweso_turns.js";
import { OmwesoBoard, pitLetter, sidesOf } from "./omweso_board.js";
import { settings } from "./settings.js";
import { grouped, plural, sideName } from "./words.js";

/**
 * @typedef {{rules: {id: string}, position: OmwesoPos, over: {how: string, words: string} | null, turns: Turn[], order?: string, verdict?: string}} OmwesoAnswer
 */

export class OmwesoView {
  /** @param {HTMLElement} root @param {(place: Place) => void} go */
  constructor(root, go) {
    this.root = root;
    this.go = go;
    /** @type {Place | null} */
    this.place = null;
    /** @type {OmwesoAnswer | null} */
    this.answer = null;
    /** @type {number | null} the pit whose turns are listed */
    this.pit = null;
    this.shownKey = "";
    this.loading = new AbortController();
    /** @type {AbortController | null} */
    this.searching = null;
    this.board = new OmwesoBoard(
      element("div", { class: "board omweso-board", role: "group", "aria-label": "Omweso board" }),
      (pit) => this.#choose(pit),
    );
    this.laps = new LapPlayer(this.board, () => this.render());
    this.setups = new SetupForm((change) => this.#change({ ...change, turns: [], ply: 0 }));
    this.#furnish(root);
  }

  /** @param {HTMLElement} root */
  #furnish(root) {
    this.headline = element("p", { class: "headline", "aria-live": "polite", id: "omweso-headline" }, " ");
    this.under = element("p", { class: "under" });
    this.error = element("div", { class: "alert", role: "alert", hidden: true });
    this.turns = element("div", { id: "omweso-turns" });
    this.back = element("button", { type: "button", onclick: () => this.#step(-1) }, "← Back");
    this.on = element("button", { type: "button", onclick: () => this.#step(1) }, "On →");
    this.reply = element(
      "button",
      {
        type: "button",
        class: "primary",
        id: "omweso-reply",
        onclick: () => (this.searching ? this.#stop() : this.#search(true)),
      },
      "Let the engine play",
    );
    this.think = element(
      "button",
      { type: "button", onclick: () => (this.searching ? this.#stop() : this.#search(false)) },
      "Search",
    );
    this.said = element("p", { class: "note", role: "status", id: "omweso-said" });
    this.engine = element(
      "select",
      { id: "omweso-engine", onchange: () => this.#change({ engine: this.engine.value }) },
      [
        ["", "nobody"],
        ["north", "North"],
        ["south", "South"],
      ].map(([value, words]) => element("option", { value }, words)),
    );
    const bar = element(
      "div",
      { class: "bar", role: "toolbar", "aria-label": "The game" },
      this.back,
      this.on,
      this.reply,
      this.think,
      element("label", {}, "The engine plays ", this.engine),
    );
    fill(
      root,
      element(
        "div",
        { class: "hero" },
        element("div", { class: "said" }, this.headline, this.under),
        this.error,
        this.board.root,
        this.laps.root,
        bar,
        this.said,
      ),
      element(
        "div",
        { class: "side" },
        element(
          "section",
          { class: "card turns", "aria-labelledby": "turns-title" },
          element("h2", { id: "turns-title" }, "Turns"),
          this.turns,
        ),
        element(
          "section",
          { class: "card", "aria-labelledby": "setup-title" },
          element("h2", { id: "setup-title" }, "A new game"),
          this.setups.root,
        ),
        howTo(),
      ),
    );
  }

  /** @param {Place} place */
  async show(place) {
    const before = this.place;
    this.place = place;
    this.engine.value = place.omweso.engine;
    this.setups.show(place.omweso);
    if (keyOf(place.omweso) === this.shownKey) return (this.render(), this.#replyIfDue());
    this.loading.abort();
    this.#stop();
    this.pit = null;
    const { signal } = (this.loading = new AbortController());
    const replay = this.#replayTo(before, place, signal);
    if (!replay) this.laps.hide();
    try {
      const [answer] = await Promise.all([ask("omweso", query(place.omweso), signal), replay]);
      this.#take(answer, place);
    } catch (error) {
      if (!isAbort(error)) this.#fail(/** @type {Error} */ (error));
    }
  }

  /**
   * Replays the one turn from what is shown to a place, if it is one.
   * @param {Place | null} before
   * @param {Place} place
   * @param {AbortSignal} signal
   * @returns {Promise<void> | null}
   */
  #replayTo(before, place, signal) {
    if (!before || !this.answer || this.shownKey !== keyOf(before.omweso)) return null;
    const turn = place.omweso.turns[place.omweso.ply - 1];
    if (!turn || keyOf(afterTurn(before.omweso, turn)) !== keyOf(place.omweso)) return null;
    return this.#replay(before.omweso, turn, this.answer.position, signal);
  }

  /**
   * @param {OmwesoPlace} from
   * @param {string} turn
   * @param {OmwesoPos} position before the turn
   * @param {AbortSignal} signal
   */
  async #replay(from, turn, position, signal) {
    const found = await ask("omweso/laps", { ...query(from), turn }, signal);
    await this.laps.play(found.laps, found.truncated, turn, position, signal);
  }

  /** @param {OmwesoAnswer} answer @param {Place} place */
  #take(answer, place) {
    this.answer = answer;
    this.shownKey = keyOf(place.omweso);
    say(this.error);
    this.root.classList.remove("nothing");
    this.said.textContent = "";
    this.render();
    this.#replyIfDue();
  }

  /** @param {Error} error */
  #fail(error) {
    const again = element(
      "button",
      { type: "button", onclick: () => this.place && this.show(this.place) },
      "Try again",
    );
    const fresh =
      this.place &&
      element(
        "a",
        {
          class: "button",
          href: format({
            ...this.place,
            omweso: { ...this.place.omweso, start: FIRST_SETUP, turns: [], ply: 0, rules: "tournament" },
          }),
        },
        "A new game",
      );
    say(
      this.error,
      element("span", {}, error.message),
      error instanceof ApiError && error.kind === "unreachable" ? again : fresh,
    );
    if (this.answer) return;
    this.headline.textContent = "There is no position to show.";
    this.root.classList.add("nothing");
  }

  render() {
    const { answer, place } = this;
    if (!answer || !place || this.shownKey !== keyOf(place.omweso)) return;
    const { position, over, turns } = answer;
    const pits = new Set(over ? [] : turns.map(({ pit }) => pit));
    if (!this.laps.replaying) this.board.show(sidesOf(position), { playable: pits, chosen: this.pit });
    this.headline.textContent = over ? over.words : `${sideName(position.turn)} to move`;
    const seeds = `${sideName(position.turn)} has ${sum(position.side)} seeds, the opponent ${sum(position.opponent)}`;
    this.under.textContent = `${plural(turns.length, "turn")}. ${seeds}. Rules: ${answer.rules.id}.`;
    this.back.disabled = place.omweso.ply === 0;
    this.on.disabled = place.omweso.ply === place.omweso.turns.length;
    this.reply.disabled = this.think.disabled = over !== null;
    this.#showTurns();
  }

  #showTurns() {
    const { answer, place } = this;
    if (!answer || !place) return;
    const count = answer.position.side.length;
    const listed = answer.over
      ? []
      : this.pit === null
        ? answer.turns
        : answer.turns.filter(({ pit }) => pit === this.pit);
    const all =
      this.pit !== null && element("button", { type: "button", onclick: () => this.#choose(null) }, "All turns");
    const title =
      this.pit === null ? "" : element("p", {}, `From pit ${pitLetter(this.pit, count, answer.position.turn)}: `, all);
    const href = (/** @type {string} */ turn) =>
      format({ ...place, view: "omweso", omweso: afterTurn(place.omweso, turn) });
    const none = answer.over ? answer.over.words : "There is no turn.";
    fill(
      this.turns,
      title,
      listed.length ? turnList(listed, href) : element("p", {}, none),
      element("p", { class: "note" }, "Turns stand by start pit; one pit can have several, by the choices on the way."),
    );
  }

  /** @param {number | null} pit plays its only turn, or lists its turns */
  #choose(pit) {
    const turns = this.answer?.turns.filter((turn) => turn.pit === pit) ?? [];
    if (turns.length === 1) return this.#play(turns[0].turn);
    this.pit = pit;
    this.render();
    if (pit !== null) /** @type {HTMLElement | null} */ (this.turns.querySelector("a"))?.focus();
  }

  /** @param {string} turn */
  #play(turn) {
    if (this.place) this.go({ ...this.place, view: "omweso", omweso: afterTurn(this.place.omweso, turn) });
  }

  /** @param {number} plies */
  #step(plies) {
    if (this.place) this.#change({ ply: this.place.omweso.ply + plies });
  }

  /** @param {Partial<OmwesoPlace>} change */
  #change(change) {
    if (this.place) this.go({ ...this.place, view: "omweso", omweso: { ...this.place.omweso, ...change } });
  }

  #replyIfDue() {
    const { answer, place } = this;
    if (!answer || answer.over || !place || place.view !== "omweso") return;
    const { engine, ply, turns } = place.omweso;
    if (engine === answer.position.turn && ply === turns.length && !this.searching) this.#search(true);
  }

  // -- the engine -----------------------------------------------------------------------------------------------------

  /** @param {boolean} play plays the best turn when the search is over */
  async #search(play) {
    const { place } = this;
    if (!place) return;
    const control = (this.searching = new AbortController());
    (play ? this.reply : this.think).textContent = "Stop";
    this.said.textContent = "The engine thinks …";
    try {
      const best = await this.#follow(place, control.signal);
      this.#stop();
      if (play && best && this.place && keyOf(this.place.omweso) === keyOf(place.omweso)) this.#play(best);
    } catch (error) {
      if (isAbort(error)) return;
      this.#stop();
      say(this.error, /** @type {Error} */ (error).message);
      this.said.textContent = "";
    }
  }

  /** @param {Place} place @param {AbortSignal} signal @returns {Promise<string | null>} the best turn */
  async #follow(place, signal) {
    let best = null;
    for await (const { event, data } of events("omweso/search", { ...query(place.omweso), seconds: 2 }, signal)) {
      if (event === "error") throw new ApiError(data.error);
      if (event === "done") best = data.best;
      if (event === "depth" && !settings().hide)
        this.said.textContent = searchWords(data, /** @type {OmwesoAnswer} */ (this.answer).position.turn);
    }
    return best;
  }

  #stop() {
    this.searching?.abort();
    this.searching = null;
    this.reply.textContent = "Let the engine play";
    this.think.textContent = "Search";
  }
}

/** @param {OmwesoPlace} place @param {string} turn @returns {OmwesoPlace} */
function afterTurn(place, turn) {
  const same = place.turns[place.ply] === turn;
  return { ...place, turns: same ? place.turns : [...place.turns.slice(0, place.ply), turn], ply: place.ply + 1 };
}

/** @param {OmwesoPlace} place */
function query({ rules, start, turns, ply }) {
  return { rules, position: start, moves: turns.slice(0, ply).join(",") };
}

/** @param {OmwesoPlace} place */
function keyOf(place) {
  return JSON.stringify(query(place));
}

/** @param {number[]} counts */
function sum(counts) {
  return grouped(counts.reduce((total, count) => total + count, 0));
}

function howTo() {
  const words = [
    "Each player owns two rows. A turn is written as the letter of the pit it starts from, and a sign for each choice on",
    "the way: < sow the other way, > go on, * sow three seeds two and one. A turn sows on from lap to lap until the",
    "last seed falls in an empty pit.",
  ];
  return element(
    "section",
    { class: "card", "aria-labelledby": "omweso-how" },
    element("h2", { id: "omweso-how" }, "How to read this"),
    element("p", {}, words.join(" ")),
    element("p", {}, "The engine’s numbers are chances to win: estimates. There are no tables of this board."),
  );
}
