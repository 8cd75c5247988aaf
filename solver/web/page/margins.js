// @ts-check
// The strip of margins: what each position of a game was worth at the end of the game, drawn from South's view, with a
// bar at the edge for each mistake. The numbers come from the server's review; nothing is judged here.

/** @import {Review, ReviewMove, Pos} from "./types.js" */

import { drawing, element } from "./dom.js";
import { lead } from "./verdicts.js";
import { halved, plural, signed } from "./words.js";

const HEIGHT = 96;

/**
 * @typedef {{low: number | null, high: number | null, note: ReviewMove}} Point the margin at the end of the game, from South's view
 */

/** @param {Review} review @returns {Point[]} */
function pointsOf(review) {
  let before = review.start;
  return review.moves.map((note) => {
    const point = pointOf(note, before);
    before = note.after;
    return point;
  });
}

/** @param {ReviewMove} note @param {Pos | null} before @returns {Point} */
function pointOf(note, before) {
  if (!before) return { low: null, high: null, note };
  const ahead = lead(before, note.side);
  const low = note.lower ?? note.value;
  const high = note.upper ?? note.value;
  if (low === null || high === null) return { low: null, high: null, note };
  return note.side === "south"
    ? { low: low + ahead, high: high + ahead, note }
    : { low: -(high + ahead), high: -(low + ahead), note };
}

/**
 * @param {Review} review
 * @param {{ply: number, go: (ply: number) => void}} how where one stands, and what a click does
 * @returns {HTMLElement | null} null where no margin is known
 */
export function marginPicture(review, how) {
  const points = pointsOf(review);
  if (points.every(({ low }) => low === null)) return null;
  const most = Math.max(8, ...points.flatMap(({ low, high }) => [Math.abs(low ?? 0), Math.abs(high ?? 0)]));
  const width = points.length * 12;
  const y = (/** @type {number} */ margin) => HEIGHT / 2 - (margin / most) * (HEIGHT / 2 - 6);
  const bars = points.flatMap((point, index) => bar(point, index * 12, y));
  const now = how.ply
    ? drawing("rect", { class: "now", x: (how.ply - 1) * 12 + 0.5, y: 0.5, width: 11, height: HEIGHT - 1, rx: 3 })
    : null;
  const chart = drawing(
    "svg",
    {
      class: "margins",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": inWords(points),
    },
    now,
    drawing("line", { class: "even", x1: 0, x2: width, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    bars,
  );
  chart.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const box = chart.getBoundingClientRect();
    how.go(1 + Math.min(points.length - 1, Math.floor(((event.clientX - box.x) / box.width) * points.length)));
  });
  const scale = element(
    "div",
    { class: "scale", "aria-hidden": "true" },
    element("span", {}, `South +${halved(most)}`),
    element("span", {}, "even"),
    element("span", {}, `North +${halved(most)}`),
  );
  chart.style.width = `min(100%, ${Math.max(72, width * 1.7)}px)`;
  return element("div", { class: "margins-box" }, scale, chart);
}

/** @param {Point} point @param {number} x @param {(margin: number) => number} y */
function bar({ low, high, note }, x, y) {
  if (low === null || high === null)
    return [drawing("rect", { class: "unknown", x: x + 4, y: HEIGHT / 2 - 1, width: 4, height: 2 })];
  const sure = low > 0 ? low : high < 0 ? high : 0;
  const parts = [
    drawing("rect", {
      class: `${note.certainty ?? ""} ${sure >= 0 ? "south" : "north"}`,
      x: x + 2,
      y: Math.min(y(0), y(sure)) - 0.75,
      width: 8,
      height: Math.abs(y(sure) - y(0)) + 1.5,
    }),
  ];
  if (low !== high)
    parts.push(
      drawing("rect", { class: "between", x: x + 4.5, y: y(high), width: 3, height: Math.max(1.5, y(low) - y(high)) }),
    );
  if (note.mistake)
    parts.push(
      drawing("rect", {
        class: `slip ${note.mistake}`,
        x: x + 1,
        y: note.side === "south" ? HEIGHT - 6 : 1,
        width: 10,
        height: 5,
      }),
    );
  return parts;
}

/** @param {Point[]} points */
function inWords(points) {
  const at = points.findLastIndex(({ low }) => low !== null);
  const last = points[at];
  const slips = points.filter(({ note }) => note.mistake).length;
  const end = last
    ? ` After move ${at + 1}: ${last.low === last.high ? signed(last.low ?? 0) : `${signed(last.low ?? 0)} to ${signed(last.high ?? 0)}`}.`
    : "";
  return `Margin at the end of the game after each move, from South’s view, in seeds.${end} ${plural(slips, "mistake")} marked.`;
}
