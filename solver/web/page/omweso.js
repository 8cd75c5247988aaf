// @ts-check
// Omweso's view: the board of four rows, the turns with their choices, a turn replayed lap by lap, the engine's reply. The
// turns, laps and boards are the server's; this shows them and keeps the game in the address.

/** @import {Place, OmwesoPlace} from "./address.js" */
/** @import {Turn, Lap, OmwesoPos, Side} from "./types.js" */

import { FIRST_SETUP, format } from "./address.js";
import { ApiError, ask, events, isAbort } from "./api.js";
import { element, fill, say } from "./dom.js";
import { LapPlayer } from "./laps.js";
import { OmwesoBoard, pitLetter, sidesOf } from "./omweso_board.js";
import { settings } from "./settings.js";
import { grouped, plural, rough, sideName } from "./words.js";

/** @typedef {{rules: {id: string}, position: OmwesoPos, over: {how: string, words: string} | null, turns: Turn[], order?: string, verdict?: string}} OmwesoAnswer */

export class OmwesoView {
  /** @param {HTMLElement} root @param {(place: Place) => void} go */
  constructor(root, go) {
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
    this.board = new OmwesoBoard(element("div", { class: "board omweso-board", role: "group", "aria-label": "Omweso board" }), (pit) => this.#choose(pit));
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
    this.reply = element("button", { type: "button", class: "primary", id: "omweso-reply", onclick: () => (this.searching ? this.#stop() : this.#search(true)) }, "Let the engine play");
    this.think = element("button", { type: "button", onclick: () => (this.searching ? this.#stop() : this.#search(false)) }, "Search");
    this.said = element("p", { class: "note", role: "status", id: "omweso-said" });
    this.engine = element("select", { id: "omweso-engine", onchange: () => this.#change({ engine: this.engine.value }) },
      [["", "nobody"], ["north", "North"], ["south", "South"]].map(([value, words]) => element("option", { value }, words))); // prettier-ignore
    const bar = element("div", { class: "bar", role: "toolbar", "aria-label": "The game" }, this.back, this.on, this.reply, this.think, element("label", {}, "The engine plays ", this.engine));
    fill(root,
      element("div", { class: "hero" }, element("div", { class: "said" }, this.headline, this.under), this.error, this.board.root, this.laps.root, bar, this.said),
      element("div", { class: "side" }, element("section", { class: "card", "aria-labelledby": "turns-title" }, element("h2", { id: "turns-title" }, "Turns"), this.turns),
        element("section", { class: "card", "aria-labelledby": "setup-title" }, element("h2", { id: "setup-title" }, "A new game"), this.setups.root), howTo())); // prettier-ignore
  }

  /** @param {Place} place */
  async show(place) {
    const before = this.place;
    this.place = place;
    this.engine.value = place.omweso.engine;
    this.setups.show(place.omweso);
    if (keyOf(place.omweso) === this.shownKey) return this.render(), this.#replyIfDue();
    this.loading.abort();
    this.#stop();
    this.pit = null;
    const { signal } = (this.loading = new AbortController());
    const turn = before && this.shownKey === keyOf(before.omweso) && keyOf(afterTurn(before.omweso, place.omweso.turns[place.omweso.ply - 1] ?? "")) === keyOf(place.omweso);
    try {
      const mover = this.answer?.position.turn;
      const [answer] = await Promise.all([ask("omweso", query(place.omweso), signal), turn && mover && before ? this.#replay(before.omweso, place.omweso.turns[place.omweso.ply - 1], mover, signal) : null]);
      this.#take(answer, place);
    } catch (error) {
      if (!isAbort(error)) this.#fail(/** @type {Error} */ (error));
    }
  }

  /** @param {OmwesoPlace} from @param {string} turn @param {Side} mover @param {AbortSignal} signal */
  async #replay(from, turn, mover, signal) {
    const found = await ask("omweso/laps", { ...query(from), turn }, signal);
    const before = /** @type {OmwesoAnswer} */ (this.answer).position;
    await this.laps.play(found.laps, found.truncated, turn, before, mover, signal);
  }

  /** @param {OmwesoAnswer} answer @param {Place} place */
  #take(answer, place) {
    this.answer = answer;
    this.shownKey = keyOf(place.omweso);
    say(this.error);
    this.said.textContent = "";
    this.render();
    this.#replyIfDue();
  }

  /** @param {Error} error */
  #fail(error) {
    const again = element("button", { type: "button", onclick: () => this.place && this.show(this.place) }, "Try again");
    const fresh = this.place && element("a", { class: "button", href: format({ ...this.place, omweso: { ...this.place.omweso, start: FIRST_SETUP, turns: [], ply: 0, rules: "tournament" } }) }, "A new game");
    say(this.error, element("span", {}, error.message), error instanceof ApiError && error.kind === "unreachable" ? again : fresh);
  }

  render() {
    const { answer, place } = this;
    if (!answer || !place || this.shownKey !== keyOf(place.omweso)) return;
    const { position, over, turns } = answer;
    const pits = new Set(over ? [] : turns.map(({ pit }) => pit));
    if (!this.laps.replaying) this.board.show(sidesOf(position), { playable: pits, chosen: this.pit });
    this.headline.textContent = over ? over.words : `${sideName(position.turn)} to move`;
    this.under.textContent = `${plural(turns.length, "turn")}. ${sum(position.side)} seeds are ${sideName(position.turn)}’s, ${sum(position.opponent)} the opponent’s. Rules: ${answer.rules.id}.`;
    this.back.disabled = place.omweso.ply === 0;
    this.on.disabled = place.omweso.ply === place.omweso.turns.length;
    this.reply.disabled = this.think.disabled = over !== null;
    this.#showTurns();
  }

  #showTurns() {
    const { answer, place } = this;
    if (!answer || !place) return;
    const count = answer.position.side.length;
    const listed = answer.over ? [] : this.pit === null ? answer.turns : answer.turns.filter(({ pit }) => pit === this.pit);
    const all = this.pit !== null && element("button", { type: "button", onclick: () => this.#choose(null) }, "All turns");
    const title = this.pit === null ? "" : element("p", {}, `From pit ${pitLetter(this.pit, count, answer.position.turn)}: `, all);
    const link = (/** @type {Turn} */ turn) =>
      element("li", {}, element("a", { class: "move turn", href: format({ ...place, view: "omweso", omweso: afterTurn(place.omweso, turn.turn) }), "data-turn": turn.turn },
        element("span", { class: "letter" }, turn.turn), " ", element("span", { class: "does" }, does(turn)), " ",
        turn.choices.length > 0 && element("span", { class: "from-here" }, turn.choices.map(({ symbol, words }) => `${symbol} ${words}`).join("; ")))); // prettier-ignore
    const none = answer.over ? answer.over.words : "There is no turn.";
    fill(this.turns, title, listed.length ? element("ul", { class: "move-list" }, listed.map(link)) : element("p", {}, none), element("p", { class: "note" }, "Turns stand by start pit; one pit can have several, by the choices on the way."));
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
    if (place.omweso.engine === answer.position.turn && place.omweso.ply === place.omweso.turns.length && !this.searching) this.#search(true);
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
      if (event === "depth" && !settings().hide) this.said.textContent = depthWords(data, /** @type {OmwesoAnswer} */ (this.answer).position.turn);
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

/** @typedef {{move: string, chance: number, plies_to_end: number | null, exact: boolean, pv: string[]}} OmwesoLine */

/** @param {{depth: number, nodes: number, lines: OmwesoLine[]}} depth @param {Side} turn */
function depthWords({ depth, nodes, lines: [best] }, turn) {
  const searched = `Depth ${depth}, ${rough(nodes)} nodes.`;
  if (!best) return searched;
  const then = best.pv.length > 1 ? ` Then ${best.pv.slice(1, 6).join(", ")}.` : "";
  return `${searched} Best is ${best.move}: ${chanceWords(best, turn)}.${then}`;
}

/** @param {OmwesoLine} line @param {Side} turn */
function chanceWords({ chance, plies_to_end: plies }, turn) {
  if (plies !== null) return `${sideName(turn)} ${chance > 0 ? "wins" : "loses"} in ${plural(plies, "turn")} (exact)`;
  return `${sideName(turn)} wins about ${Math.round(chance * 100)} of 100 such games (estimate)`;
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

/** @param {Turn} turn */
function does({ captured, laps, status, points }) {
  if (status === "endless") return "never ends";
  const scored = points ? `; ${points.name}, ${plural(points.points, "point")}` : "";
  return `${captured ? `captures ${captured}` : "captures nothing"}, ${plural(laps, "lap")}${scored}`;
}

/** @param {number[]} counts */
function sum(counts) {
  return grouped(counts.reduce((total, count) => total + count, 0));
}

function howTo() {
  return element("section", { class: "card", "aria-labelledby": "omweso-how" }, element("h2", { id: "omweso-how" }, "How to read this"),
    element("p", {}, "Each player owns two rows. A turn is written as the letter of the pit it starts from, and a sign for each choice on the way: < sow the other way, > go on. A turn sows on from lap to lap until the last seed falls in an empty pit."),
    element("p", {}, "The engine’s numbers are chances to win: they are estimates. There are no tables of this board.")); // prettier-ignore
}

/** Rules and set-ups of a new game. */
class SetupForm {
  /** @param {(change: {rules: string, start: string}) => void} onChange */
  constructor(onChange) {
    const names = ["outer-four", "all-two", "seventeen-six-threes", "seventeen-five-threes"];
    const options = () => [...names.map((name) => element("option", { value: name }, name.replaceAll("-", " "))), element("option", { value: "", hidden: true }, "a position of its own")];
    this.rules = element("select", { id: "omweso-rules" }, ["tournament", "comp424"].map((id) => element("option", { value: id }, id)));
    this.south = element("select", { id: "setup-south" }, options());
    this.north = element("select", { id: "setup-north" }, options());
    const begin = element("button", { type: "submit", class: "primary" }, "Begin");
    this.root = element("form", { class: "fields" }, element("label", {}, "Rules ", this.rules), element("label", {}, "South’s set-up ", this.south), element("label", {}, "North’s set-up ", this.north), begin);
    this.root.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      onChange({ rules: this.rules.value, start: `${this.south.value || "outer-four"}/${this.north.value || "outer-four"}` });
    });
  }

  /** @param {OmwesoPlace} place */
  show(place) {
    const [south, north = south] = place.start.split("/");
    this.rules.value = place.rules;
    this.south.value = south;
    this.north.value = north;
    for (const select of [this.south, this.north]) if (select.selectedIndex < 0) select.value = "";
  }
}
