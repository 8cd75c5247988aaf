// @ts-check
// Numbers and sides as words: signs, plurals, scores, the state of a search. Which number to say is verdicts.js's.

/** @import {Side, Certainty, Outcome} from "./types.js" */

export const MINUS = "−";

/** @param {number} number @returns {string} with its sign: +4, −4, 0 */
export function signed(number) {
  return number > 0 ? `+${halved(number)}` : number < 0 ? `${MINUS}${halved(-number)}` : "0";
}

/** @param {number} number @returns {string} a half as ½ */
export function halved(number) {
  const whole = Math.floor(number);
  if (number === whole) return String(number);
  if (number - whole === 0.5) return whole ? `${whole}½` : "½";
  return number.toFixed(1);
}

/** @param {number} count @param {string} one @param {string} [many] */
export function plural(count, one, many = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** @param {number} number @returns {string} 1,234,567 */
export function grouped(number) {
  return number.toLocaleString("en-GB");
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const unit = Math.min(units.length - 1, bytes > 0 ? Math.floor(Math.log2(bytes) / 10) : 0);
  return unit ? `${(bytes / 1024 ** unit).toFixed(1)} ${units[unit]}` : plural(bytes, "byte");
}

/** @param {number} seconds @returns {string} 5 seconds, 3 minutes, 2 hours, 4 days: the largest unit that fits */
export function duration(seconds) {
  for (const [unit, length] of /** @type {[string, number][]} */ ([
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ]))
    if (seconds >= 1.5 * length) return plural(Math.round(seconds / length), unit);
  return plural(seconds, "second");
}

/** @param {number} count @returns {string} 1,234, 12 thousand, 4.5 million, 1.4 trillion */
export function rough(count) {
  if (count >= 1e12) return `${(count / 1e12).toFixed(1)} trillion`;
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)} billion`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} million`;
  return count >= 1e4 ? `${Math.round(count / 1e3)} thousand` : grouped(count);
}

/** @param {[number, number]} final seeds of South and North */
export function score(final) {
  return `${halved(final[0])}–${halved(final[1])}`;
}

/** @param {string} sentence of the server's @returns {string} with the signs of print: −4, 26–22 */
export function typeset(sentence) {
  return sentence
    .replace(/(^|[\s(])-(?=[0-9])/g, `$1${MINUS}`)
    .replace(/([0-9½])-(?=[0-9])/g, "$1–")
    .replace(/([0-9])\.5\b/g, "$1½");
}

/** @param {Side} side */
export function sideName(side) {
  return side === "south" ? "South" : "North";
}

/** @param {Side} side @returns {Side} */
export function otherSide(side) {
  return side === "south" ? "north" : "south";
}

/** @type {Record<Outcome | "unknown", string>} */
export const OUTCOME_TITLES = {
  win: "Winning moves",
  draw: "Drawing moves",
  loss: "Losing moves",
  open: "Open: depends on repetition",
  unknown: "Not known yet",
};

/** @type {Record<"exact" | "bounded" | "estimate", string>} */
export const CERTAINTY_WORDS = {
  exact: "exact: proven",
  bounded: "bounded: proven limits",
  estimate: "estimate: may change",
};

/**
 * What a search says of a position, for the headline.
 * @param {number} margin of the player to move, at the end of the game
 * @param {boolean} exact
 * @param {Side} turn
 * @param {number} total seeds of the game
 */
export function searchVerdict(margin, exact, turn, total) {
  const ahead = margin >= 0 ? turn : otherSide(turn);
  const most = (total + Math.abs(margin)) / 2;
  /** @type {[number, number]} */
  const final = ahead === "south" ? [most, total - most] : [total - most, most];
  if (exact)
    return margin
      ? `${sideName(ahead)} wins by ${halved(Math.abs(margin))}, ${score(final)}`
      : `A draw, ${score(final)}`;
  return margin ? `${sideName(ahead)} is ahead by about ${halved(Math.abs(margin))}` : "About even";
}
