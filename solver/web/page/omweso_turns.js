// @ts-check
// The list of Omweso's turns, with the choices on their way, and what a search says of the best: words and links.
// Which turns there are is the server's.

/** @import {Side, Turn} from "./types.js" */

import { element } from "./dom.js";
import { plural, rough, sideName } from "./words.js";

/** @typedef {{move: string, chance: number, plies_to_end: number | null, exact: boolean, pv: string[]}} Line */

/**
 * @param {Turn[]} turns
 * @param {(turn: string) => string} href address of the position after a turn
 */
export function turnList(turns, href) {
  return element(
    "ul",
    { class: "move-list" },
    turns.map((turn) => element("li", {}, turnLink(turn, href(turn.turn)))),
  );
}

/**
 * @param {Turn} turn
 * @param {string} href
 */
function turnLink(turn, href) {
  const choices = turn.choices.map(({ symbol, words }) => `${symbol} ${words}`).join("; ");
  return element(
    "a",
    { class: "move turn", href, "data-turn": turn.turn },
    element("span", { class: "letter" }, turn.turn),
    " ",
    element("span", { class: "does" }, does(turn)),
    " ",
    choices && element("span", { class: "detail" }, choices),
  );
}

/** @param {Turn} turn */
function does({ captured, laps, status, points }) {
  if (status === "endless") return "never ends";
  const scored = points ? `; ${points.name}, ${plural(points.points, "point")}` : "";
  return `${captured ? `captures ${captured}` : "captures nothing"}, ${plural(laps, "lap")}${scored}`;
}

/**
 * @param {{depth: number, nodes: number, lines: Line[]}} depth
 * @param {Side} turn
 */
export function searchWords({ depth, nodes, lines: [best] }, turn) {
  const searched = `Depth ${depth}, ${rough(nodes)} nodes.`;
  if (!best) return searched;
  const then = best.pv.length > 1 ? ` Then ${best.pv.slice(1, 6).join(", ")}.` : "";
  return `${searched} Best is ${best.move}: ${chanceWords(best, turn)}.${then}`;
}

/**
 * @param {Line} line
 * @param {Side} turn
 */
function chanceWords({ chance, plies_to_end: plies }, turn) {
  if (plies !== null) return `${sideName(turn)} ${chance > 0 ? "wins" : "loses"} in ${plural(plies, "turn")} (exact)`;
  return `${sideName(turn)} wins about ${Math.round(chance * 100)} of 100 such games (estimate)`;
}
