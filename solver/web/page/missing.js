// @ts-check
// What to do where a table is missing: the server's words and the command that builds it, to be copied.

/** @import {Answer} from "./types.js" */

import { element, say } from "./dom.js";
import { copy } from "./record.js";
import { duration, rough, size } from "./words.js";

/** @param {HTMLElement} place @param {Answer} answer */
export function showMissing(place, answer) {
  const { error } = answer;
  if (!error || answer.over) return say(place);
  if (place.dataset.command === (error.command ?? "") && !place.hidden) return;
  place.dataset.command = error.command ?? "";
  const words = error.seeds === null ? error.message : `No table of ${error.seeds} seeds is here.`;
  say(
    place,
    element("p", {}, words, error.command && " This command builds it:"),
    error.command && commandBox(error.command),
    error.build && element("p", { class: "needs" }, needs(error.build)),
  );
}

/** @param {{boards: number, bytes: number, seconds: number}} build @returns {string} what a build takes, roughly */
function needs({ boards, bytes, seconds }) {
  const takes = `${rough(boards)} boards, ${size(bytes)} of disk, about ${duration(seconds)} on two cores.`;
  const large = seconds > 12 * 3600 ? " That is work for a large machine; the engine searches here instead." : "";
  return `It takes ${takes}${large} The command says first what this machine has for it.`;
}

/** @param {string} command a command with a button that copies it */
export function commandBox(command) {
  const code = element("code", { tabindex: "0" }, command);
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    const done = await copy(command);
    button.textContent = done ? "Copied" : "Select it";
    if (!done) getSelection()?.selectAllChildren(code);
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return element("div", { class: "command" }, code, button);
}
