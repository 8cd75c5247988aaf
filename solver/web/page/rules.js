// @ts-check
// The choice of rules, and of positions to begin with. Which rules there are and what an id means is the server's;
// this writes every field out and lets the server name the rules shortly.

/** @import {Answer} from "./types.js" */

import { element, fill } from "./dom.js";

const PRESETS = [
  ["abapa", "abapa: as in tournaments"],
  ["awari", "awari: as in the literature"],
  ["", "other rules"],
];
const SLAMS = [
  ["forfeit", "captures nothing"],
  ["forbidden", "may not be played"],
  ["capture", "captures"],
  ["win-only", "captures only to win"],
];
const CYCLES = [
  ["own-row", "each takes their own row"],
  ["even", "the seeds are halved"],
];

export class RulesBox {
  /**
   * @param {HTMLElement} root
   * @param {(rules: string, pits: number) => void} onRules
   * @param {(rules: string, position: string) => string} href address of a position
   */
  constructor(root, onRules, href) {
    this.href = href;
    this.preset = select("rules-preset", PRESETS);
    this.slam = select("rules-slam", SLAMS);
    this.cycle = select("rules-cycle", CYCLES);
    this.pits = select(
      "rules-pits",
      Array.from({ length: 8 }, (_, index) => [String(index + 1), String(index + 1)]),
    );
    this.positions = element("ul", { class: "links" });
    this.preset.addEventListener(
      "change",
      () => this.preset.value && onRules(this.#withPits(this.preset.value), this.houses),
    );
    for (const part of [this.slam, this.cycle, this.pits]) {
      part.addEventListener("change", () =>
        onRules(
          `abapa+grand-slam=${this.slam.value}+cycle=${this.cycle.value}+pits=${this.pits.value}`,
          Number(this.pits.value),
        ),
      );
    }
    this.houses = 6;
    fill(
      root,
      element("div", { class: "fields" }, labelled("Rules ", this.preset)),
      element(
        "details",
        {},
        element("summary", {}, "Each rule by itself"),
        element(
          "div",
          { class: "fields" },
          labelled("A grand slam ", this.slam),
          labelled("Endless play: ", this.cycle),
          labelled("Houses per side ", this.pits),
        ),
      ),
      element("h3", { class: "begin" }, "Begin with"),
      this.positions,
    );
  }

  /** @param {Answer} answer */
  show({ rules }) {
    this.houses = rules.pits;
    const [preset, ...fields] = rules.id.split("+");
    const other = fields.some((field) => !field.startsWith("pits="));
    this.preset.value = other ? "" : preset;
    this.slam.value = rules.grand_slam;
    this.cycle.value = rules.cycle;
    this.pits.value = String(rules.pits);
    fill(
      this.positions,
      beginnings(rules.pits).map(([words, position]) =>
        element("li", {}, element("a", { href: this.href(rules.id, position) }, words)),
      ),
    );
  }

  /** @param {string} rules as the address has them, where the server has no answer */
  guess(rules) {
    this.preset.value = PRESETS.some(([id]) => id === rules) ? rules : "";
  }

  /** @param {string} preset */
  #withPits(preset) {
    return this.houses === 6 ? preset : `${preset}+pits=${this.houses}`;
  }
}

/** @param {number} pits @returns {[string, string][]} words and position */
function beginnings(pits) {
  const each = (/** @type {number} */ seeds) => [...Array(2 * pits).fill(seeds), 0, 0, "S"].join("-");
  /** @type {[string, string][]} */
  const found = [
    ["four seeds in each house", "start"],
    ["two in each", each(2)],
    ["one in each", each(1)],
  ];
  if (pits === 6)
    found.push(
      ["an endgame of 8 seeds", "0-1-0-0-1-2-1-0-1-0-0-2-20-20-S"],
      ["one of 6, close", "0-0-1-0-1-1-1-0-0-1-0-1-21-21-S"],
    );
  return found;
}

/** @param {string} id @param {string[][]} options */
function select(id, options) {
  return element(
    "select",
    { id },
    options.map(([value, words]) => element("option", { value }, words)),
  );
}

/** @param {string} words @param {HTMLElement} control */
function labelled(words, control) {
  return element("label", {}, words, control);
}
