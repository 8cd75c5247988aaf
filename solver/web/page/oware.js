// @ts-check
// Oware's view: asks the server about the place in the address and hands its answer to the parts that show it. Owns
// the requests (a new one drops the old), what is shown while one is under way, and where an error stands.

/** @import {Place} from "./address.js" */
/** @import {ApiError} from "./api.js" */
/** @import {Answer, Move, Review} from "./types.js" */
/** @import {Said} from "./verdicts.js" */

import { format } from "./address.js";
import { askOware, isAbort } from "./api.js";
import { Board } from "./board.js";
import { afterPause, byId, element, say } from "./dom.js";
import { Editor } from "./editor.js";
import { afterMove, atPly, newGame, played, positionKey } from "./game.js";
import { showHeadline } from "./headline.js";
import { showLegend } from "./marks.js";
import { showMissing } from "./missing.js";
import { showMoves } from "./moves.js";
import { Opponent } from "./opponent.js";
import { RecordBox } from "./record.js";
import { RulesBox } from "./rules.js";
import { Search } from "./search.js";
import { animates, settings } from "./settings.js";
import { moveWords, showSowing } from "./sowing.js";
import { GameStrip } from "./strip.js";
import { sayMoves } from "./verdicts.js";

/** Answers kept for stepping through a game without asking again. */
const KEPT = 300;

export class Oware {
  /** @param {Place} place @param {(place: Place, how?: {replace?: boolean}) => void} go */
  constructor(place, go) {
    this.place = place;
    this.go = go;
    /** @type {Answer | null} what is shown */
    this.answer = null;
    /** @type {Said[]} */
    this.said = [];
    /** @type {{letter: string, key: string} | null} the move pointed at: a search draws the board anew meanwhile */
    this.pointed = null;
    /** @type {Map<string, Answer>} */
    this.known = new Map();
    this.shownKey = "";
    this.loading = new AbortController();
    this.editing = false;
    this.board = new Board(byId("board"), (letter) => this.#point(letter));
    this.search = new Search(
      byId("search"),
      () => this.place,
      () => this.render(),
    );
    this.opponent = new Opponent(byId("engine"), (change) => this.go({ ...this.place, ...change }));
    this.editor = new Editor(
      byId("editor"),
      this.board,
      (text) => this.#use(text),
      () => this.#edit(false),
    );
    this.record = new RecordBox(
      byId("record"),
      () => this.place,
      (review) => this.#load(review),
    );
    this.game = new GameStrip(byId("strip"), (ply) => this.go(atPly(this.place, ply)));
    this.rules = new RulesBox(
      byId("rules"),
      (rules, pits) => this.#changeRules(rules, pits),
      (rules, position) => format(newGame(this.place, position, "", rules)),
    );
    this.searchSoon = afterPause((/** @type {string} */ key) => this.#searchIf(key), 300);
    byId("edit").addEventListener("click", () => this.#edit(!this.editing));
    document.addEventListener("pointerover", (event) => this.#pointElsewhere(event));
    showLegend(byId("legend"));
    this.opponent.load();
  }

  // -- the place ------------------------------------------------------------------------------------------------------

  /** @param {Place} place shows it, asking the server where this is a position not known yet */
  async show(place) {
    const before = this.place;
    this.place = place;
    this.game.follow(place);
    this.loading.abort();
    if (positionKey(place) === this.shownKey) {
      this.render();
      return this.#replyIfDue();
    }
    const loading = (this.loading = new AbortController());
    if (positionKey(before) !== positionKey(place)) this.search.stop();
    this.opponent.drop();
    this.editing = false;
    this.board.root.setAttribute("aria-busy", "true");
    const move = this.#moveTo(before, place);
    try {
      const [answer] = await Promise.all([
        this.#ask(place, loading.signal),
        move && this.#animate(move, loading.signal),
      ]);
      if (!loading.signal.aborted) this.#take(answer, positionKey(place));
    } catch (error) {
      if (isAbort(error) || loading.signal.aborted) return;
      loading.abort(); // a sowing under way ends
      this.#fail(/** @type {ApiError} */ (error), move);
    }
  }

  /**
   * @param {Place} before
   * @param {Place} place
   * @returns {Move | null} the one move from what is shown to the place, if it is one
   */
  #moveTo(before, place) {
    if (!this.answer || this.shownKey !== positionKey(before)) return null;
    const letter = place.moves[place.ply - 1];
    if (place.ply !== before.ply + 1 || positionKey(place) !== positionKey(before) + letter) return null;
    return this.answer.moves.find(({ move }) => move === letter) ?? null;
  }

  /** @param {Move} move @param {AbortSignal} signal */
  async #animate(move, signal) {
    const before = /** @type {Answer} */ (this.answer).position;
    byId("announce").textContent = moveWords(before, move);
    if (animates()) await showSowing(this.board, before, move, signal);
  }

  /** @param {Place} place @param {AbortSignal} signal @returns {Promise<Answer>} also where its table is missing */
  async #ask(place, signal) {
    const key = positionKey(place);
    const known = this.known.get(key);
    if (known) return known;
    const answer = await askOware({ rules: place.rules, position: place.start, moves: played(place) }, signal);
    if (!answer.error) this.known.set(key, answer);
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value ?? "");
    return answer;
  }

  /** @param {Answer} answer @param {string} key */
  #take(answer, key) {
    this.answer = answer;
    this.shownKey = key;
    say(byId("board-error"));
    byId("oware").classList.remove("nothing");
    this.#nameRules(answer);
    this.render();
    this.#replyIfDue();
    this.searchSoon(this.shownKey);
  }

  /** Writes the rules in the address as the server names them. @param {Answer} answer */
  #nameRules(answer) {
    if (answer.rules.id === this.place.rules) return;
    this.place = { ...this.place, rules: answer.rules.id };
    this.shownKey = positionKey(this.place);
    this.go(this.place, { replace: true });
  }

  /** @param {ApiError} error @param {Move | null} move */
  #fail(error, move) {
    this.board.root.removeAttribute("aria-busy");
    const again = element("button", { type: "button", onclick: () => this.show(this.place) }, "Try again");
    const start = element(
      "a",
      { class: "button", href: format(newGame(this.place, "start", "", "abapa")) },
      "Go to the start",
    );
    say(byId("board-error"), element("span", {}, error.message), error.kind === "unreachable" ? again : start);
    if (move)
      this.board.show({
        position: move.after,
        flipped: this.place.flipped,
        said: [],
        hidden: true,
        over: false,
        href: () => "",
      });
    if (move || !this.answer) this.#unsay(move);
  }

  /** Leaves no words standing that belong to another position. @param {Move | null} move */
  #unsay(move) {
    byId("headline").textContent = move
      ? "The move is played; what it leads to is not known."
      : "There is no position to show.";
    byId("under").textContent = "";
    this.shownKey = "";
    if (move) return;
    byId("oware").classList.add("nothing");
    this.rules.guess(this.place.rules);
    this.editor.field.value = this.place.start === "start" ? "" : this.place.start;
  }

  // -- showing --------------------------------------------------------------------------------------------------------

  /** Shows the answer there is, with the settings and the search's results as they are now. */
  render() {
    const { answer, place } = this;
    if (!answer || positionKey(place) !== this.shownKey) return;
    const { hide } = settings();
    const depth = this.search.result(place);
    this.said = answer.over ? [] : sayMoves(answer, depth);
    this.board.root.removeAttribute("aria-busy");
    const href = (/** @type {string} */ letter) => format(afterMove(place, letter));
    if (!this.editing) {
      this.board.show({
        position: answer.position,
        flipped: place.flipped,
        said: this.said,
        hidden: hide,
        over: answer.over !== null,
        href,
      });
      this.editor.show(answer.position.text, answer.rules.id, false);
    }
    showMoves(byId("moves"), answer, this.said, { hidden: hide, href, onPoint: (letter) => this.#point(letter) });
    if (this.pointed?.key === positionKey(place)) this.#point(this.pointed.letter);
    showMissing(byId("missing"), answer);
    byId("legend").hidden = answer.over !== null;
    this.search.show(place, hide, answer.over !== null);
    this.opponent.show(place);
    this.record.show(place);
    this.rules.show(answer);
    showHeadline({ headline: byId("headline"), under: byId("under") }, answer, depth, hide);
    this.#bar(answer);
    this.game.show(place, hide);
  }

  /** @param {Answer} answer */
  #bar(answer) {
    const { place } = this;
    byId("step-first").disabled = byId("step-back").disabled = place.ply === 0;
    byId("step-last").disabled = byId("step-on").disabled = place.ply === place.moves.length;
    byId("best").disabled = answer.over !== null || !this.said.length;
    byId("new").href = format(newGame(place, "start"));
    byId("edit").setAttribute("aria-expanded", String(this.editing));
    byId("edit").classList.toggle("on", this.editing);
  }

  /**
   * The pointer may have left a link that was drawn anew meanwhile, which then has not told of it.
   *
   * @param {PointerEvent} event
   */
  #pointElsewhere({ target }) {
    if (this.pointed && !(target instanceof Element && target.closest("[data-move]"))) this.#point(null);
  }

  /** @param {string | null} letter */
  #point(letter) {
    this.pointed = letter && { letter, key: positionKey(this.place) };
    if (this.editing || !this.answer || this.board.root.classList.contains("sowing")) return;
    this.board.preview(this.answer.moves.find(({ move }) => move === letter) ?? null);
  }

  // -- doing ----------------------------------------------------------------------------------------------------------

  /** @param {string} letter plays a move, if it is one here */
  play(letter) {
    if (this.editing || this.shownKey !== positionKey(this.place)) return;
    if (this.said.some(({ move }) => move.move === letter)) this.go(afterMove(this.place, letter));
    else byId("announce").textContent = `${letter} cannot be played here.`;
  }

  /** @param {number} number plays a house counted 1.. from the player's left */
  playNumber(number) {
    const { position } = this.answer ?? {};
    if (position) this.play(String.fromCharCode((position.turn === "south" ? 64 : 96) + number));
  }

  /** @param {string} capital plays the player's house of that letter */
  playLetter(capital) {
    this.play(this.answer?.position.turn === "north" ? capital.toLowerCase() : capital);
  }

  playBest() {
    if (this.said[0]?.certainty) this.play(this.said[0].move.move);
    else byId("announce").textContent = "No best move is known here yet: search first.";
  }

  /** @param {boolean} editing */
  #edit(editing) {
    if (!this.answer) return;
    this.editing = editing;
    if (!editing) return this.render();
    const { answer } = this;
    this.search.stop();
    this.board.show({
      position: answer.position,
      flipped: this.place.flipped,
      said: [],
      hidden: true,
      over: false,
      href: () => "",
      editing: true,
    });
    this.editor.show(answer.position.text, answer.rules.id, true);
    this.#bar(answer);
    this.board.focusFirst();
  }

  /** @param {string} text */
  #use(text) {
    this.editing = false;
    this.shownKey = "";
    this.go(newGame(this.place, text));
  }

  /** @param {string} rules @param {number} pits the position stays where it fits the board */
  #changeRules(rules, pits) {
    const fits = this.answer?.rules.pits === pits;
    const untouched = this.place.start === "start" && this.place.ply === 0;
    this.go(newGame(this.place, fits && this.answer && !untouched ? this.answer.position.text : "start", "", rules));
  }

  /** @param {Review} review */
  #load(review) {
    const place = newGame(
      this.place,
      review.start?.text ?? "start",
      review.moves.map(({ move }) => move).join(""),
      review.rules,
    );
    this.game.take(review, place);
    this.go(place);
  }

  /** The engine's move, where it is its turn at the end of the game so far. */
  async #replyIfDue() {
    const { place, answer } = this;
    if (
      !answer ||
      answer.over ||
      this.editing ||
      place.engine !== answer.position.turn ||
      place.ply !== place.moves.length
    )
      return;
    if (this.opponent.asking) return;
    const letter = await this.opponent.reply(place);
    if (letter && positionKey(this.place) === positionKey(place)) this.play(letter);
  }

  /** @param {string} key searches by itself where no table reaches, if the reader still looks at that position */
  #searchIf(key) {
    const { answer, place } = this;
    if (!settings().search || !answer || answer.over || answer.certainty !== null || this.editing) return;
    if (
      key !== this.shownKey ||
      place.view !== "oware" ||
      place.engine === answer.position.turn ||
      this.search.result(place)
    )
      return;
    this.search.start(place);
  }
}
