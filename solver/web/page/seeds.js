// @ts-check
// Seeds as they lie in a house or a store. Where the n-th seed lies comes from fixed tables, so the same board always
// looks the same, and sowing one seed moves none of the others. The count beside them is for reading.

import { drawing, fill } from "./dom.js";

/** Places in a house of radius 100: a layer on the ground, from the middle outwards, then a second on top. */
const HOUSE_PLACES = [
  [-2, 3],
  [12, -27],
  [32, 1],
  [-25, -21],
  [11, 34],
  [-22, 29],
  [-47, 6],
  [-10, -52],
  [49, -28],
  [44, 34],
  [-11, 61],
  [29, -56],
  [-59, -27],
  [65, 4],
  [-53, 42],
  [24, 64],
  [-43, -57],
  [8, 12],
  [23, -19],
  [30, 17],
  [-9, -33],
  [5, 45],
  [-35, -9],
  [-29, 24],
];

const SEED = { rx: 20.5, ry: 17 };
/** Seeds drawn in a store; the count goes on. */
const STORE_SEEDS = 48;

/**
 * Draws so many seeds into a house's picture (viewBox -100 -100 200 200), changing no more than it must.
 * @param {SVGElement} picture
 * @param {number} count
 * @param {number} turned which house: each lies a little differently
 */
export function drawHouse(picture, count, turned) {
  const shown = Math.min(count, HOUSE_PLACES.length);
  while (picture.childElementCount > shown) picture.lastElementChild?.remove();
  for (let index = picture.childElementCount; index < shown; index += 1) {
    const angle = turned * 1.1;
    const [x, y] = HOUSE_PLACES[index];
    picture.append(
      seed(
        x * Math.cos(angle) - y * Math.sin(angle),
        x * Math.sin(angle) + y * Math.cos(angle),
        index + turned,
        index >= 17,
      ),
    );
  }
}

/** @returns {SVGElement} an empty house */
export function housePicture() {
  return drawing("svg", { class: "seeds", viewBox: "-100 -100 200 200", "aria-hidden": "true", focusable: "false" });
}

/**
 * A store's picture: a tall tray beside the board, or a long one above and below it.
 * @param {SVGElement} picture
 * @param {number} count
 * @param {boolean} long
 */
export function drawStore(picture, count, long) {
  const shown = Math.min(count, STORE_SEEDS);
  picture.setAttribute("viewBox", long ? "0 0 640 76" : "0 0 160 380");
  const places = Array.from({ length: shown }, (_, index) => storePlace(index, long));
  fill(
    picture,
    places.map(([x, y], index) => seed(x, y, index, false)),
  );
}

/** @param {number} index @param {boolean} long @returns {[number, number]} */
function storePlace(index, long) {
  const [sway, lift] = HOUSE_PLACES[(index * 5) % HOUSE_PLACES.length].map((part) => part / 9);
  if (long) return [36 + (index >> 1) * 24.4 + sway, 24 + (index % 2) * 29 + lift / 2];
  if (index < 3) return [52 + index * 29 + sway, 346 + lift / 2];
  const row = 1 + ((index - 3) >> 2);
  return [(row % 2 ? 34 : 38) + ((index - 3) % 4) * 29.5 + sway, 346 - row * 27 + lift];
}

/** @param {number} x @param {number} y @param {number} kind @param {boolean} top */
function seed(x, y, kind, top) {
  const tilt = (kind * 47) % 180;
  return drawing("ellipse", {
    class: top ? "seed top" : "seed",
    cx: 0,
    cy: 0,
    ...SEED,
    fill: `url(#seed-${kind % 3})`,
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${tilt})`,
  });
}
