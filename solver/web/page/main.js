// @ts-check
// Starts the page and keeps it and the address together: every change is a new address, and what is shown follows from
// it. The views themselves are oware.js, tables.js and omweso.js.

/** @import {Place} from "./address.js" */

import { format, parse } from "./address.js";
import { byId } from "./dom.js";
import { atPly, Undo } from "./game.js";
import { listenToKeys } from "./keys.js";
import { OmwesoView } from "./omweso.js";
import { Oware } from "./oware.js";
import { bindSettings, onSettings } from "./settings.js";
import { TablesView } from "./tables.js";

const undo = new Undo();
let place = parse(location.search);
const oware = new Oware(place, go);
const tables = new TablesView(byId("tables-body"));
const omweso = new OmwesoView(byId("omweso-body"), go);

/** @param {Place} next @param {{replace?: boolean, undoing?: boolean}} [how] */
function go(next, { replace = false, undoing = false } = {}) {
  const address = format(next);
  if (!undoing && !replace) undo.note(place, next);
  if (address !== format(place)) history[replace ? "replaceState" : "pushState"](null, "", address);
  show(next);
}

/** @param {Place} next */
function show(next) {
  place = next;
  for (const view of ["oware", "tables", "omweso"]) byId(view).hidden = view !== place.view;
  document.title = { oware: "Oware", tables: "Tables", omweso: "Omweso" }[place.view] + " – Abapa";
  for (const link of byId("sections").querySelectorAll("a[data-view]")) {
    link.href = format({ ...place, view: link.dataset.view });
    if (link.dataset.view === place.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  byId("undo").disabled = !undo.past.length;
  byId("redo").disabled = !undo.future.length;
  const shown = place.view === "omweso" ? null : oware.show(place);
  if (place.view === "tables") tables.show(place, oware, shown);
  if (place.view === "omweso") omweso.show(place);
}

/** @param {Place | undefined} found */
function goBack(found) {
  if (found) go(found, { undoing: true });
}

/** @param {number} ply steps replace each other in the browser's history: back leaves the game, not a step */
function step(ply) {
  go(atPly(place, ply), { replace: true });
}

function flip() {
  go({ ...place, flipped: !place.flipped }, { replace: true });
}

/** Links to other places of this page are followed here; the browser follows the rest. @param {MouseEvent} event */
function follow(event) {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const link = /** @type {Element} */ (event.target).closest?.("a[href]");
  if (
    !(link instanceof HTMLAnchorElement) ||
    link.hasAttribute("data-outside") ||
    link.getAttribute("href")?.startsWith("#")
  )
    return;
  if (link.origin !== location.origin || link.pathname !== location.pathname) return;
  event.preventDefault();
  go(parse(link.search));
}

bindSettings();
onSettings(() => {
  oware.render();
  omweso.render();
});
addEventListener("click", follow);
addEventListener("popstate", () => show(parse(location.search)));
byId("undo").addEventListener("click", () => goBack(undo.undo(place)));
byId("redo").addEventListener("click", () => goBack(undo.redo(place)));
byId("step-first").addEventListener("click", () => step(0));
byId("step-back").addEventListener("click", () => step(place.ply - 1));
byId("step-on").addEventListener("click", () => step(place.ply + 1));
byId("step-last").addEventListener("click", () => step(place.moves.length));
byId("flip").addEventListener("click", flip);
byId("best").addEventListener("click", () => oware.playBest());
listenToKeys(
  {
    house: (number) => oware.playNumber(number),
    letter: (letter) => oware.playLetter(letter),
    best: () => oware.playBest(),
    step: (plies) => step(place.ply + plies),
    flip,
    undo: () => goBack(undo.undo(place)),
    redo: () => goBack(undo.redo(place)),
    unshifted: (letter) =>
      (byId("announce").textContent = `Hold Shift to play ${letter.toUpperCase()}, or press its number.`),
  },
  () => place.view === "oware" && !oware.editing,
);
show(place);
