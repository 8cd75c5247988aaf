// @ts-check
// What the browser keeps of the reader's wishes: light or dark, hidden values, the sowing shown, search by itself,
// keys. In localStorage under one name; where that is not to be had, for this visit.

import { byId } from "./dom.js";

const NAME = "abapa";

/** @typedef {{theme: string, hide: boolean, animate: boolean, search: boolean, keys: boolean}} Kept */

/** @type {Kept} */
const USUAL = { theme: "auto", hide: false, animate: true, search: true, keys: true };

/** @type {Kept} */
const kept = { ...USUAL, ...read() };
/** @type {(() => void)[]} */
const listeners = [];

/** @returns {Readonly<Kept>} */
export function settings() {
  return kept;
}

/** @param {() => void} listener called after each change */
export function onSettings(listener) {
  listeners.push(listener);
}

/** Whether to show the sowing: as the switch says, and never against the system's wish for less motion. */
export function animates() {
  return kept.animate && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Ties the controls of index.html to what is kept. */
export function bindSettings() {
  const theme = byId("set-theme");
  theme.value = kept.theme;
  theme.addEventListener("change", () => change({ theme: theme.value }));
  for (const name of /** @type {const} */ (["hide", "animate", "search", "keys"])) {
    const box = byId(`set-${name}`);
    box.checked = kept[name];
    box.addEventListener("change", () => change({ [name]: box.checked }));
  }
  apply();
  addEventListener("click", (event) => closeOutside(/** @type {Node} */ (event.target)));
  byId("settings").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") closeSheet();
  });
}

/** @param {Partial<Kept>} changes */
function change(changes) {
  Object.assign(kept, changes);
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // private windows may refuse; the wish then holds for this visit
  }
  apply();
  for (const listener of listeners) listener();
}

function apply() {
  document.documentElement.dataset.theme = kept.theme;
}

/** @param {Node} target */
function closeOutside(target) {
  const sheet = byId("settings");
  if (sheet.open && !sheet.contains(target)) sheet.open = false;
}

function closeSheet() {
  const sheet = byId("settings");
  sheet.open = false;
  sheet.querySelector("summary").focus();
}

/** @returns {Partial<Kept>} */
function read() {
  try {
    const found = JSON.parse(localStorage.getItem(NAME) ?? "{}");
    return Object.fromEntries(
      Object.entries(found).filter(([name, value]) => typeof value === typeof USUAL[/** @type {keyof Kept} */ (name)]),
    );
  } catch {
    return {};
  }
}
