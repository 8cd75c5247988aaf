// @ts-check
// The small signs beside a number: who it is good for (never colour alone) and how sure it is. Each comes with its
// word for those who do not see it, unless the words stand beside it.

/** @import {Outcome} from "./types.js" */

import { drawing, element, fill } from "./dom.js";
import { CERTAINTY_WORDS } from "./words.js";

/** @type {Record<Outcome, string>} paths in a square of 12 */
const OUTCOME_PATHS = {
  win: "M6 2 L11 10 H1 Z",
  draw: "M1.5 3 H10.5 V5.2 H1.5 Z M1.5 7.2 H10.5 V9.4 H1.5 Z",
  loss: "M6 10 L1 2 H11 Z",
  open: "M6 1 L11 6 L6 11 L1 6 Z M6 3.6 L3.6 6 L6 8.4 L8.4 6 Z",
};

/** @param {Outcome | "unknown"} outcome */
export function outcomeMark(outcome) {
  if (outcome === "unknown") return null;
  const path = drawing("path", { d: OUTCOME_PATHS[outcome], "fill-rule": "evenodd", fill: "currentColor" });
  return drawing("svg", { class: "mark", viewBox: "0 0 12 12", "aria-hidden": "true", focusable: "false" }, path);
}

/**
 * @param {"exact" | "bounded" | "estimate" | null} certainty
 * @returns {SVGElement | null} a full, a half, a dotted disc
 */
export function certaintyMark(certainty) {
  if (!certainty) return null;
  const ring = { cx: 6, cy: 6, r: 4.2, fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
  const inside = {
    exact: drawing("circle", { cx: 6, cy: 6, r: 5, fill: "currentColor" }),
    bounded: drawing(
      "g",
      {},
      drawing("circle", ring),
      drawing("path", { d: "M6 1.2 A4.8 4.8 0 0 0 6 10.8 Z", fill: "currentColor" }),
    ),
    estimate: drawing("circle", { ...ring, "stroke-dasharray": "1.9 1.4" }),
  }[certainty];
  return drawing(
    "svg",
    { class: `mark sure ${certainty}`, viewBox: "0 0 12 12", "aria-hidden": "true", focusable: "false" },
    inside,
  );
}

/** @type {Record<string, [string, string]>} how a mistake is written, and its word */
export const MISTAKES = {
  inaccuracy: ["?!", "inaccuracy"],
  mistake: ["?", "mistake"],
  blunder: ["??", "blunder: the result changes"],
};

/** @param {HTMLElement} place */
export function showLegend(place) {
  const rows = /** @type {["exact" | "bounded" | "estimate", string][]} */ (Object.entries(CERTAINTY_WORDS));
  fill(
    place,
    rows.map(([certainty, words]) =>
      element(
        "div",
        {},
        element("dt", {}, certaintyMark(certainty), element("span", { class: "visually-hidden" }, certainty)),
        element("dd", {}, words),
      ),
    ),
  );
}
