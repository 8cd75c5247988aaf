// @ts-check
// The game beside the board: a strip of margins after each move, drawn from South's view, and the moves as links, mistakes
// marked. The numbers come from the server's review; nothing is judged here.

/** @import {Review, ReviewMove, Pos} from "./types.js" */

import { drawing, element, fill } from "./dom.js";
import { MISTAKES } from "./marks.js";
import { lead } from "./verdicts.js";
import { halved, plural, sideName, signed } from "./words.js";

const HEIGHT = 96;

/** @typedef {{low: number | null, high: number | null, note: ReviewMove}} Point the margin at the end of the game, from South's view */

/**
 * @param {HTMLElement} root
 * @param {Review} review
 * @param {{ply: number, hidden: boolean, href: (ply: number) => string, go: (ply: number) => void}} how
 */
export function showStrip(root, review, how) {
  const points = pointsOf(review);
  const known = points.some(({ low }) => low !== null);
  const box = root.querySelector(".game-moves");
  const scrolled = box?.scrollTop ?? 0;
  fill(root, !how.hidden && known && picture(points, how), !how.hidden && summary(review), moveList(review, how));
  const list = root.querySelector(".game-moves");
  if (list) keepInSight(list, scrolled);
}

/** @param {Element} list @param {number} scrolled */
function keepInSight(list, scrolled) {
  list.scrollTop = scrolled;
  const now = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
  if (!now) return;
  const top = now.offsetTop - /** @type {HTMLElement} */ (list).offsetTop;
  if (top < list.scrollTop || top + now.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

/** @param {Review} review @returns {Point[]} */
function pointsOf(review) {
  let before = review.start;
  return review.moves.map((note) => {
    const point = pointOf(note, before);
    before = note.after;
    return point;
  });
}

/** @param {ReviewMove} note @param {Pos} before @returns {Point} */
function pointOf(note, before) {
  const ahead = lead(before, note.side);
  const low = note.lower ?? note.value;
  const high = note.upper ?? note.value;
  if (low === null || high === null) return { low: null, high: null, note };
  return note.side === "south" ? { low: low + ahead, high: high + ahead, note } : { low: -(high + ahead), high: -(low + ahead), note };
}

/** @param {Point[]} points @param {{ply: number, go: (ply: number) => void}} how */
function picture(points, how) {
  const most = Math.max(8, ...points.flatMap(({ low, high }) => [Math.abs(low ?? 0), Math.abs(high ?? 0)]));
  const width = points.length * 12;
  const y = (/** @type {number} */ margin) => HEIGHT / 2 - (margin / most) * (HEIGHT / 2 - 6);
  const bars = points.flatMap((point, index) => bar(point, index * 12, y));
  const now = how.ply ? drawing("rect", { class: "now", x: (how.ply - 1) * 12 + 0.5, y: 0.5, width: 11, height: HEIGHT - 1, rx: 3 }) : null;
  const chart = drawing("svg", { class: "margins", viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": inWords(points) },
    now, drawing("line", { class: "even", x1: 0, x2: width, y1: HEIGHT / 2, y2: HEIGHT / 2 }), bars); // prettier-ignore
  chart.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const box = chart.getBoundingClientRect();
    how.go(1 + Math.min(points.length - 1, Math.floor(((event.clientX - box.x) / box.width) * points.length)));
  });
  const scale = element("div", { class: "scale", "aria-hidden": "true" }, element("span", {}, `South +${halved(most)}`), element("span", {}, "even"), element("span", {}, `North +${halved(most)}`));
  chart.style.width = `min(100%, ${Math.max(72, width * 1.7)}px)`;
  return element("div", { class: "margins-box" }, scale, chart);
}

/** @param {Point} point @param {number} x @param {(margin: number) => number} y */
function bar({ low, high, note }, x, y) {
  if (low === null || high === null) return [drawing("rect", { class: "unknown", x: x + 4, y: HEIGHT / 2 - 1, width: 4, height: 2 })];
  const sure = low > 0 ? low : high < 0 ? high : 0;
  const parts = [drawing("rect", { class: sure >= 0 ? "south" : "north", x: x + 2, y: Math.min(y(0), y(sure)) - 0.75, width: 8, height: Math.abs(y(sure) - y(0)) + 1.5 })];
  if (low !== high) parts.push(drawing("rect", { class: "between", x: x + 4.5, y: y(high), width: 3, height: Math.max(1.5, y(low) - y(high)) }));
  if (note.mistake) parts.push(drawing("rect", { class: `slip ${note.mistake}`, x: x + 1, y: note.side === "south" ? HEIGHT - 6 : 1, width: 10, height: 5 }));
  return parts;
}

/** @param {Point[]} points */
function inWords(points) {
  const last = points.findLast(({ low }) => low !== null);
  const slips = points.filter(({ note }) => note.mistake).length;
  const end = last ? ` After move ${last.note.ply}: ${last.low === last.high ? signed(last.low ?? 0) : `${signed(last.low ?? 0)} to ${signed(last.high ?? 0)}`}.` : "";
  return `Margin at the end of the game after each move, from South’s view, in seeds.${end} ${plural(slips, "mistake")} marked.`;
}

/** @param {Review} review */
function summary(review) {
  const { south, north } = review.average_loss;
  const parts = [["South", south], ["North", north]].filter(([, loss]) => loss !== null && loss !== undefined).map(([name, loss]) => `${name} ${Number(loss).toFixed(1)}`);
  return parts.length > 0 && element("p", { class: "note" }, `Seeds lost per move, on average: ${parts.join(", ")}. Margins from South’s view; a bar at the edge marks a mistake: above by North, below by South.`);
}

/** @param {Review} review @param {{ply: number, hidden: boolean, href: (ply: number) => string}} how */
function moveList(review, how) {
  const first = review.start.turn === "north" ? 1 : 0;
  const items = review.moves.map((note, index) => {
    const number = (index + first) % 2 === 0 || index === 0 ? `${Math.floor((index + first) / 2) + 1}.` : "";
    return element("li", {}, number && element("span", { class: "number" }, number), moveLink(note, index, review, how));
  });
  const start = element("li", {}, element("a", { href: how.href(0), "aria-current": how.ply === 0 ? "step" : null }, "Start"));
  return element("ol", { class: "game-moves", tabindex: "0", "aria-label": "Moves of the game" }, start, items);
}

/** @param {ReviewMove} note @param {number} index @param {Review} review @param {{ply: number, hidden: boolean, href: (ply: number) => string}} how */
function moveLink(note, index, review, how) {
  const before = index ? review.moves[index - 1].after : review.start;
  const captured = note.after.stores[0] + note.after.stores[1] - before.stores[0] - before.stores[1];
  const [sign, word] = (!how.hidden && note.mistake && MISTAKES[note.mistake]) || ["", ""];
  const why = word && `${word}${note.loss ? `, loses ${plural(note.loss, "seed")}` : ""}${note.best ? `; best was ${note.best}` : ""}`;
  return element("a", { href: how.href(index + 1), class: sign ? `slip ${note.mistake}` : null, "aria-current": how.ply === index + 1 ? "step" : null, title: why || null },
    element("span", { class: "visually-hidden" }, `${sideName(note.side)} `), `${note.move}${captured ? `+${captured}` : ""}`,
    sign && element("span", { class: "slip-sign", "aria-hidden": "true" }, sign), why && element("span", { class: "visually-hidden" }, ` (${why})`)); // prettier-ignore
}
