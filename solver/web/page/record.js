// @ts-check
// Game records in and out: pasted, dropped or opened ones are read by the server; the game at hand is copied or saved
// as the server writes it. The game itself is left to the page.

/** @import {Place} from "./address.js" */
/** @import {Review} from "./types.js" */

import { askText, endpoint, isAbort, send } from "./api.js";
import { element, fill, say } from "./dom.js";

const MOST = 64 * 1024;

/** @param {Place} place @returns {Record<string, string>} the game as the server's endpoints take it */
export function gameQuery(place) {
  return { rules: place.rules, position: place.start, moves: place.moves };
}

export class RecordBox {
  /**
   * @param {HTMLElement} root
   * @param {() => Place} place
   * @param {(review: Review) => void} onGame called with a game that was read
   */
  constructor(root, place, onGame) {
    this.onGame = onGame;
    this.place = place;
    this.field = element("textarea", {
      id: "record-text",
      rows: 4,
      spellcheck: "false",
      "aria-describedby": "record-said",
    });
    this.said = element(
      "p",
      { class: "note", id: "record-said", role: "status" },
      "Or drop a file on the page, or paste where no field is chosen.",
    );
    this.error = element("p", { class: "alert", role: "alert", hidden: true });
    this.file = element("input", {
      type: "file",
      id: "record-file",
      accept: ".ogn,.pgn,.txt,text/plain",
      onchange: () => this.#open(this.file.files),
    });
    this.download = element("a", { class: "button", download: "game.ogn", href: "#", "data-outside": true }, "Save");
    fill(
      root,
      element("label", { for: "record-text" }, "Paste a game record"),
      this.field,
      element(
        "div",
        { class: "bar" },
        element("button", { type: "button", onclick: () => this.read(this.field.value) }, "Read the game"),
        element("label", { class: "button file" }, this.file, "Open a file"),
      ),
      this.error,
      this.said,
      element(
        "div",
        { class: "bar outgoing" },
        element("button", { type: "button", onclick: () => this.#copy() }, "Copy this game"),
        this.download,
        element(
          "button",
          { type: "button", onclick: () => this.#copyText(location.href, "The link is copied.") },
          "Copy the link",
        ),
      ),
    );
    this.#listen();
  }

  /** @param {Place} place */
  show(place) {
    this.download.href = endpoint("oware/record", gameQuery(place));
  }

  /** @param {string} text */
  async read(text) {
    say(this.error);
    if (!text.trim()) return say(this.error, "There is nothing to read: paste a record first.");
    if (new Blob([text]).size > MOST) return say(this.error, "The record is longer than 64 KiB.");
    try {
      const review = await send("oware/review", text);
      this.onGame(review);
      this.said.textContent = [`Read: ${review.title}.`, ...review.warnings].join(" ");
    } catch (error) {
      if (!isAbort(error)) say(this.error, /** @type {Error} */ (error).message);
    }
  }

  #listen() {
    addEventListener("paste", (event) => {
      const target = /** @type {Element} */ (event.target);
      if (document.getElementById("oware")?.hidden || target.closest?.("input, textarea, select")) return;
      this.read(event.clipboardData?.getData("text/plain") ?? "");
    });
    addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("dropping")));
    addEventListener(
      "dragleave",
      (event) => event.relatedTarget === null && document.body.classList.remove("dropping"),
    );
    addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      const { files } = event.dataTransfer ?? {};
      if (files?.length) this.#open(files);
      else this.read(event.dataTransfer?.getData("text/plain") ?? "");
    });
  }

  /** @param {FileList | null} files */
  async #open(files) {
    if (!files?.length) return;
    if (files[0].size > MOST) return say(this.error, `${files[0].name} is longer than 64 KiB.`);
    const text = await files[0].text();
    this.field.value = text;
    await this.read(text);
  }

  async #copy() {
    say(this.error);
    try {
      const text = await askText("oware/record", gameQuery(this.place()));
      this.field.value = text;
      await this.#copyText(text, "The game is copied.");
    } catch (error) {
      say(this.error, /** @type {Error} */ (error).message);
    }
  }

  /** @param {string} text @param {string} done */
  async #copyText(text, done) {
    this.said.textContent = (await copy(text))
      ? done
      : "The browser does not let the page copy: it stands in the field above.";
    if (this.said.textContent !== done) this.field.value = text;
  }
}

/** @param {string} text @returns {Promise<boolean>} whether it is in the clipboard now */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
