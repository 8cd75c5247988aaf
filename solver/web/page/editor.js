// @ts-check
// Any position, in place: the text of the position, and in edit mode the counts on the board itself. The server checks
// what is typed, as it is typed; this shows what it says. Using the position is left to the page.

/** @import {Answer, Side} from "./types.js" */
/** @import {Board} from "./board.js" */

import { askOware, isAbort } from "./api.js";
import { afterPause, element, fill } from "./dom.js";
import { plural, sideName, typeset } from "./words.js";

export class Editor {
  /**
   * @param {HTMLFormElement} form
   * @param {Board} board whose counts can be written in
   * @param {(position: string) => void} onUse called with a position that the server has found good
   * @param {() => void} onClose called when edit mode should end
   */
  constructor(form, board, onUse, onClose) {
    this.board = board;
    this.onUse = onUse;
    this.rules = "";
    this.open = false;
    /** @type {Answer | null} */
    this.good = null;
    /** @type {AbortController | null} */
    this.checking = null;
    this.field = element("input", {
      id: "position",
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      "aria-describedby": "position-said",
    });
    this.said = element("p", { class: "said-of-field", id: "position-said", role: "status" });
    this.use = element("button", { type: "submit", class: "primary" }, "Use this position");
    this.south = element("input", { type: "radio", name: "turn", value: "south" });
    this.north = element("input", { type: "radio", name: "turn", value: "north" });
    this.tools = element(
      "div",
      { class: "bar", hidden: true },
      element(
        "fieldset",
        { class: "sides" },
        element("legend", {}, "To move"),
        element("label", {}, this.south, " South"),
        element("label", {}, this.north, " North"),
      ),
      element("button", { type: "button", onclick: () => this.#empty() }, "Empty the board"),
      element("button", { type: "button", onclick: onClose }, "Cancel"),
    );
    fill(
      form,
      element("div", { class: "field" }, element("label", { for: "position" }, "Position"), this.field, this.use),
      this.said,
      this.tools,
    );
    const check = afterPause((/** @type {boolean} */ typed) => this.#check(typed), 150);
    this.field.addEventListener("input", () => (this.#unknown(), check(true)));
    board.root.addEventListener("input", () => (this.#fromBoard(), check(false)));
    for (const radio of [this.south, this.north])
      radio.addEventListener("change", () => (this.#fromBoard(), check(false)));
    form.addEventListener("submit", (event) => (event.preventDefault(), this.#submit()));
    form.hidden = false;
  }

  /**
   * @param {string} text
   * @param {string} rules
   * @param {boolean} open shows the position as it is now, with the board's counts open to be written or not
   */
  show(text, rules, open) {
    this.checking?.abort();
    this.rules = rules;
    this.open = open;
    this.tools.hidden = !open;
    this.field.value = text;
    this.current = text;
    this.#setSide(text.endsWith("N") ? "north" : "south");
    this.#say("", "");
    this.use.hidden = !open;
  }

  /** Whether something is written there that is not the position shown. */
  get changed() {
    return this.open || this.field.value !== this.current;
  }

  #fromBoard() {
    if (!this.open) return;
    this.board.redraw();
    const counts = this.board.written().map((count) => count || "0");
    this.field.value = `${counts.join("-")}-${this.north.checked ? "N" : "S"}`;
    this.#unknown();
  }

  #empty() {
    this.board.write(this.board.written().map(() => 0));
    this.#fromBoard();
    this.#check(false);
  }

  #unknown() {
    this.good = null;
    this.use.hidden = false;
  }

  /** @param {boolean} typed the text was typed, so the board follows it; else it came from the board */
  async #check(typed) {
    this.checking?.abort();
    const control = new AbortController();
    this.checking = control;
    const position = this.field.value.trim();
    try {
      this.#take(await askOware({ rules: this.rules, position: position || " " }, control.signal), typed);
    } catch (error) {
      if (!isAbort(error)) this.#say(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** @param {Answer} answer @param {boolean} typed */
  #take(answer, typed) {
    this.good = answer;
    const { position } = answer;
    this.#setSide(position.turn);
    if (this.open && typed) this.board.write([...position.board, ...position.stores]);
    const end = answer.over ? `; the game is over: ${typeset(answer.over.words)}` : "";
    this.#say(
      `${plural(position.seeds, "seed")} on the board of ${position.total}, ${sideName(position.turn)} to move${end}`,
      "good",
    );
  }

  async #submit() {
    if (!this.good) await this.#check(true);
    if (this.good) this.onUse(this.good.position.text);
    else this.field.focus();
  }

  /** @param {Side} turn */
  #setSide(turn) {
    this.south.checked = turn === "south";
    this.north.checked = turn === "north";
  }

  /** @param {string} words @param {"" | "good" | "bad"} kind */
  #say(words, kind) {
    this.said.textContent = words;
    this.said.className = `said-of-field ${kind}`;
    this.field.setAttribute("aria-invalid", String(kind === "bad"));
  }
}
