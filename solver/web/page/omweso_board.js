// @ts-check
// Omweso's board: two rows of pits on each side, seen from South. Each side's pits are numbered by its owner, the outer row
// from left to right, then the inner row from right to left; this is the one place that knows where they lie on the
// screen.

/** @import {OmwesoPos, Side, Lap} from "./types.js" */

import { element, fill } from "./dom.js";
import { drawHouse, housePicture } from "./seeds.js";
import { otherSide, plural, sideName } from "./words.js";

/** @typedef {{south: number[], north: number[], turn: Side}} Sides */

/** @param {OmwesoPos} position @returns {Sides} */
export function sidesOf({ side, opponent, turn }) {
  return turn === "south" ? { south: side, north: opponent, turn } : { south: opponent, north: side, turn };
}

/**
 * @param {number} pit
 * @param {number} pits a side's
 * @param {Side} side
 * @returns {string} its letter: a.. along the inner row, then the outer one; capitals for North
 */
export function pitLetter(pit, pits, side) {
  const letter = String.fromCharCode(97 + (pit >= pits / 2 ? pits - 1 - pit : pits / 2 + pit));
  return side === "north" ? letter.toUpperCase() : letter;
}

export class OmwesoBoard {
  /** @param {HTMLElement} root @param {(pit: number) => void} onPit called when a pit that can be played is chosen */
  constructor(root, onPit) {
    this.root = root;
    this.onPit = onPit;
    /** @type {Record<Side, HTMLElement[]>} */
    this.pits = { south: [], north: [] };
  }

  /**
   * @param {Sides} sides
   * @param {{playable: Set<number>, chosen: number | null}} how pits of the player to move that can be played, and the one whose turns are listed
   */
  show(sides, { playable, chosen }) {
    const focused = this.root.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-pit")
      : null;
    const count = sides.south.length;
    for (const side of /** @type {const} */ (["south", "north"])) {
      this.pits[side] = sides[side].map((seeds, pit) =>
        this.#pit(side, pit, seeds, count, side === sides.turn && playable.has(pit), pit === chosen),
      );
    }
    const { south, north } = this.pits;
    const half = count / 2;
    const rows = [
      ["North’s outer row", north.slice(0, half).reverse()],
      ["North’s inner row", north.slice(half)],
      ["South’s inner row", south.slice(half).reverse()],
      ["South’s outer row", south.slice(0, half)],
    ];
    const player = (/** @type {Side} */ side) =>
      element(
        "div",
        { class: "player" },
        element("span", { class: side === sides.turn ? "moves" : null }, sideName(side)),
      );
    fill(
      this.root,
      player("north"),
      rows.map(([label, pits], index) =>
        element(
          "div",
          { class: `row${index === 1 ? " edge" : ""}`, role: "group", "aria-label": label },
          .../** @type {Node[]} */ (pits),
        ),
      ),
      player("south"),
    );
    this.root.style.setProperty("--pits", String(half));
    if (focused)
      /** @type {HTMLElement | null} */ (this.root.querySelector(`button[data-pit="${focused}"]`))?.focus({
        preventScroll: true,
      });
  }

  /** @param {Lap} lap @param {Side} mover marks where a lap began, where it sowed and what it captured */
  mark(lap, mover) {
    for (const box of [...this.pits.south, ...this.pits.north]) box.classList.remove("origin", "sown", "taken", "last");
    this.pits[mover][lap.pit]?.classList.add("origin");
    for (const { side, pit } of lap.sown)
      this.pits[side === "mover" ? mover : otherSide(mover)][pit]?.classList.add("sown");
    const last = lap.sown.at(-1);
    if (last) this.pits[last.side === "mover" ? mover : otherSide(mover)][last.pit]?.classList.add("last");
    for (const pit of lap.captured) this.pits[otherSide(mover)][pit]?.classList.add("taken");
  }

  /**
   * @param {Side} side
   * @param {number} pit
   * @param {number} seeds
   * @param {number} count
   * @param {boolean} playable
   * @param {boolean} chosen
   */
  #pit(side, pit, seeds, count, playable, chosen) {
    const picture = housePicture();
    drawHouse(picture, seeds, pit + (side === "north" ? 5 : 0));
    const letter = pitLetter(pit, count, side);
    const inside = [
      element("span", { class: "hollow" }, picture),
      element(
        "span",
        { class: "sign" },
        element("span", { class: "letter" }, letter),
        element("span", { class: "count" }, seeds),
      ),
    ];
    const name = `${sideName(side)} ${letter}: ${plural(seeds, "seed")}`;
    if (!playable) return element("div", { class: "pit", role: "img", "aria-label": name }, inside);
    return element(
      "button",
      {
        type: "button",
        class: "pit legal",
        "data-pit": pit,
        "aria-pressed": String(chosen),
        "aria-label": `${name}. Show its turns.`,
        onclick: () => this.onPit(pit),
      },
      inside,
    );
  }
}
