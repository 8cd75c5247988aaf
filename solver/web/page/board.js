// @ts-check
// Oware's board: houses with seeds and counts, stores, and at each house of the player to move the value of its move.
// Legal houses are links to the position after. Draws what it is given; sowing.js moves seeds over it.

/** @import {Answer, Move, Pos, Side} from "./types.js" */
/** @import {Said} from "./verdicts.js" */

import { element, fill } from "./dom.js";
import { certaintyMark, outcomeMark } from "./marks.js";
import { drawHouse, drawStore, housePicture } from "./seeds.js";
import { CERTAINTY_WORDS, plural, sideName } from "./words.js";

/**
 * @typedef {object} Shown
 * @property {Pos} position
 * @property {boolean} flipped North's row at the bottom
 * @property {Said[]} said the legal moves; empty when the game is over
 * @property {boolean} hidden no values
 * @property {boolean} over
 * @property {(letter: string) => string} href address of the position after a move
 * @property {boolean} [editing] counts are fields to write in
 */

/** @typedef {{box: HTMLElement, picture: SVGElement, count: HTMLElement, badge: HTMLElement, seeds: number}} Cell */

const LONG_STORES = matchMedia("(max-width: 640px)");

export class Board {
  /**
   * @param {HTMLElement} root
   * @param {(letter: string | null) => void} onPoint called with the move that is pointed at, and null after
   */
  constructor(root, onPoint) {
    this.root = root;
    /** @type {Shown | null} */
    this.shown = null;
    /** @type {Cell[]} */
    this.cells = [];
    /** @type {Record<Side, Cell>} */
    this.stores = /** @type {any} */ ({});
    for (const [event, on] of /** @type {const} */ ([
      ["pointerover", true],
      ["focusin", true],
      ["pointerout", false],
      ["focusout", false],
    ])) {
      root.addEventListener(event, ({ target }) => {
        const house = /** @type {Element} */ (target).closest("a.house");
        if (house) onPoint(on ? house.getAttribute("data-move") : null);
      });
    }
    LONG_STORES.addEventListener("change", () => this.shown && this.show(this.shown));
  }

  /** @param {Shown} shown */
  show(shown) {
    const focused = this.root.contains(document.activeElement) && document.activeElement !== this.root;
    this.shown = shown;
    const pits = shown.position.board.length / 2;
    this.cells = Array.from({ length: 2 * pits }, (_, house) => this.#cell(house, pits));
    const south = element(
      "div",
      { class: "row south" },
      this.cells.slice(0, pits).map(({ box }) => box),
    );
    const north = element(
      "div",
      { class: "row north" },
      this.cells.slice(pits).map(({ box }) => box),
    );
    for (const row of [shown.flipped ? south : north])
      (row.classList.add("upper"), row.append(...[...row.children].reverse()));
    const rows = element("div", { class: "rows" }, ...(shown.flipped ? [south, north] : [north, south]));
    const [left, right] = /** @type {Side[]} */ (shown.flipped ? ["south", "north"] : ["north", "south"]);
    this.stores = /** @type {any} */ ({ [left]: this.#store(left), [right]: this.#store(right) });
    fill(this.root, this.stores[left].box, rows, this.stores[right].box);
    this.root.setAttribute("aria-label", `Board: ${describe(shown.position)}`);
    this.root.style.setProperty("--pits", String(pits));
    if (focused) this.root.focus({ preventScroll: true });
  }

  /** @param {number} house @param {number} seeds shows so many seeds in a house, for the time of a sowing */
  paint(house, seeds) {
    const cell = this.cells[house];
    cell.seeds = seeds;
    drawHouse(cell.picture, seeds, house);
    cell.count.textContent = String(seeds);
  }

  /** @param {Side} side @param {number} seeds */
  paintStore(side, seeds) {
    const cell = this.stores[side];
    cell.seeds = seeds;
    drawStore(cell.picture, seeds, LONG_STORES.matches);
    cell.count.textContent = String(seeds);
  }

  /** @returns {string[]} what stands in the fields: the houses, then South's and North's store */
  written() {
    return this.#fields().map((field) => field.value.trim());
  }

  /** @param {number[]} counts writes them into the fields, houses first, then the stores */
  write(counts) {
    this.#fields().forEach((field, index) => {
      field.value = String(counts[index]);
      this.#redraw(index, counts[index]);
    });
  }

  /** Draws what has been written in the fields. */
  redraw() {
    this.written().forEach((text, index) => /^[0-9]{1,3}$/.test(text) && this.#redraw(index, Number(text)));
  }

  focusFirst() {
    this.#fields()[0]?.focus();
  }

  /** @returns {HTMLInputElement[]} */
  #fields() {
    return /** @type {any} */ ([...this.cells, this.stores.south, this.stores.north].map(({ count }) => count));
  }

  /** @param {number} index @param {number} seeds */
  #redraw(index, seeds) {
    const houses = this.cells.length;
    if (index < houses) drawHouse(this.cells[index].picture, seeds, index);
    else drawStore((index === houses ? this.stores.south : this.stores.north).picture, seeds, LONG_STORES.matches);
  }

  /** @param {Move | null} move shows where its seeds would fall and what it would capture */
  preview(move) {
    for (const { box, badge } of this.cells) {
      box.classList.remove("origin", "sown", "taken");
      fill(badge);
    }
    if (!move) return;
    this.cells[move.house].box.classList.add("origin");
    for (const house of new Set(move.sowing)) {
      this.cells[house].box.classList.add("sown");
      fill(this.cells[house].badge, `+${move.sowing.filter((sown) => sown === house).length}`);
    }
    for (const house of move.captures) {
      this.cells[house].box.classList.add("taken");
      fill(this.cells[house].badge, "taken");
    }
  }

  /** @param {number} house @param {number} pits @returns {Cell} */
  #cell(house, pits) {
    const shown = /** @type {Shown} */ (this.shown);
    const seeds = shown.position.board[house];
    const letter = houseLetter(house, pits);
    const said = shown.said.find(({ move }) => move.house === house);
    const picture = housePicture();
    drawHouse(picture, seeds, house);
    const count = shown.editing ? countField(seeds, `Seeds in ${letter}`) : element("span", { class: "count" }, seeds);
    const badge = element("span", { class: "badge" });
    const inside = [
      element("span", { class: "hollow" }, picture, badge),
      element("span", { class: "sign" }, element("span", { class: "letter" }, letter), count),
      said && !shown.hidden ? worth(said) : element("span", { class: "worth none" }),
    ];
    const own = house < pits === (shown.position.turn === "south");
    const kind = `house ${own && !shown.over ? "own" : "other"}`;
    const name = `${letter}: ${plural(seeds, "seed")}`;
    const box = said
      ? element(
          "a",
          {
            class: `${kind} legal`,
            href: shown.href(letter),
            "data-move": letter,
            "aria-label": linkName(name, said, shown.hidden),
          },
          inside,
        )
      : element("div", { class: kind, ...(shown.editing ? {} : { role: "img", "aria-label": name }) }, inside);
    box.dataset.house = String(house);
    return { box, picture, count, badge, seeds };
  }

  /** @param {Side} side @returns {Cell} */
  #store(side) {
    const { position, over, editing } = /** @type {Shown} */ (this.shown);
    const seeds = position.stores[side === "south" ? 0 : 1];
    const picture = housePicture();
    drawStore(picture, seeds, LONG_STORES.matches);
    const count = editing
      ? countField(seeds, `Seeds in ${sideName(side)}’s store`)
      : element("span", { class: "count" }, seeds);
    const moves = position.turn === side && !over;
    const label = `${sideName(side)}’s store: ${plural(seeds, "seed")}${moves ? ", to move" : ""}`;
    const box = element(
      "div",
      { class: `store ${side}${moves ? " moves" : ""}`, ...(editing ? {} : { role: "img", "aria-label": label }) },
      element("span", { class: "name" }, sideName(side)),
      element("span", { class: "tray" }, picture),
      count,
    );
    return { box, picture, count, badge: element("span"), seeds };
  }
}

/** @param {number} house @param {number} pits */
export function houseLetter(house, pits) {
  return String.fromCharCode(house < pits ? 65 + house : 97 + house - pits);
}

/** @param {number} seeds @param {string} label */
function countField(seeds, label) {
  return element("input", {
    class: "count",
    type: "text",
    inputmode: "numeric",
    maxlength: "3",
    value: seeds,
    "aria-label": label,
    autocomplete: "off",
    onfocus: (/** @type {FocusEvent} */ { target }) => /** @type {HTMLInputElement} */ (target).select(),
  });
}

/** @param {Said} said @returns {HTMLElement} the label at a house */
function worth(said) {
  const [low, high] = said.text.split("…");
  const number = high
    ? [element("span", {}, low), element("span", { class: "dots" }, "…"), element("span", {}, high)]
    : [low];
  return element(
    "span",
    { class: `worth ${said.outcome} ${said.certainty ?? ""}${high ? " range" : ""}`, "data-worth": said.text },
    outcomeMark(said.outcome),
    element("span", { class: "number" }, number),
    certaintyMark(said.certainty),
  );
}

/** @param {string} name @param {Said} said @param {boolean} hidden */
function linkName(name, said, hidden) {
  const captures = said.move.captured ? `, captures ${said.move.captured}` : "";
  if (hidden) return `${name}. Play${captures}.`;
  const certainty = said.certainty ? ` (${CERTAINTY_WORDS[said.certainty]})` : "";
  return `${name}. Play${captures}: ${said.words}${certainty}.`;
}

/** @param {Pos} position */
function describe(position) {
  const pits = position.board.length / 2;
  const row = (/** @type {number} */ first) => position.board.slice(first, first + pits).join(" ");
  return `South ${row(0)}, store ${position.stores[0]}; North ${row(pits)}, store ${position.stores[1]}; ${sideName(position.turn)} to move`;
}
