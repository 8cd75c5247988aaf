// @ts-check
// What the page shows, as text in the address: view, rules, game, place in it. The address is the only home of that
// state, so a link or a reload shows the same. What a browser keeps (settings.js) is not in it.

/** @import {Side} from "./types.js" */

/** @typedef {"oware" | "tables" | "omweso"} View */

/**
 * @typedef {object} Place
 * @property {View} view
 * @property {string} rules
 * @property {string} start position text, or "start"
 * @property {string} moves letters, one per move
 * @property {number} ply moves played of them, 0..moves.length
 * @property {boolean} flipped North's row at the bottom
 * @property {Side | ""} engine the side that the engine plays
 * @property {number} level its strength
 * @property {number | null} tier seeds of the table looked at
 * @property {OmwesoPlace} omweso
 */

/**
 * @typedef {object} OmwesoPlace
 * @property {string} rules
 * @property {string} start position text, or the names of set-ups
 * @property {string[]} turns
 * @property {number} ply
 * @property {Side | ""} engine
 */

const VIEWS = /** @type {View[]} */ (["oware", "tables", "omweso"]);
export const FIRST_SETUP = "seventeen-six-threes/seventeen-five-threes";

/**
 * The place that an address names. Parts that make no sense are as if they were not there; positions and moves are left to
 * the server to judge.
 * @param {string} search location.search
 * @returns {Place}
 */
export function parse(search) {
  const query = new URLSearchParams(search);
  const view = /** @type {View} */ (query.get("view"));
  const moves = query.get("moves") ?? "";
  const turns = (query.get("turns") ?? "").split(",").filter(Boolean);
  return {
    view: VIEWS.includes(view) ? view : "oware",
    rules: query.get("rules") || "abapa",
    start: query.get("position") || "start",
    moves,
    ply: whole(query.get("ply"), 0, moves.length) ?? moves.length,
    flipped: query.get("flip") === "1",
    engine: side(query.get("engine")),
    level: whole(query.get("level"), 1, 8) ?? 4,
    tier: whole(query.get("tier"), 0, 127),
    omweso: {
      rules: query.get("omweso") || "tournament",
      start: query.get("setup") || FIRST_SETUP,
      turns,
      ply: whole(query.get("turn"), 0, turns.length) ?? turns.length,
      engine: side(query.get("omweso-engine")),
    },
  };
}

/**
 * The address of a place, what is usual left out: "?rules=awari&moves=Ff".
 * @param {Place} place
 */
export function format(place) {
  const query = new URLSearchParams();
  /** @param {string} name @param {string | number | null} value @param {string | number} [usual] */
  const add = (name, value, usual = "") => {
    if (value !== null && value !== usual && value !== "") query.set(name, String(value));
  };
  add("view", place.view, "oware");
  add("rules", place.rules, "abapa");
  add("position", place.start, "start");
  add("moves", place.moves);
  add("ply", place.ply, place.moves.length);
  add("flip", place.flipped ? 1 : "");
  add("engine", place.engine);
  if (place.engine) add("level", place.level, 4);
  add("tier", place.tier);
  add("omweso", place.omweso.rules, "tournament");
  add("setup", place.omweso.start, FIRST_SETUP);
  add("turns", place.omweso.turns.join(","));
  add("turn", place.omweso.ply, place.omweso.turns.length);
  add("omweso-engine", place.omweso.engine);
  const text = query.toString();
  return text ? `?${text.replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3E", ">")}` : "?";
}

/** @param {string | null} text @param {number} least @param {number} most */
function whole(text, least, most) {
  if (text === null || !/^[0-9]{1,4}$/.test(text)) return null;
  return Math.min(most, Math.max(least, Number(text)));
}

/** @param {string | null} text @returns {Side | ""} */
function side(text) {
  return text === "south" || text === "north" ? text : "";
}
