// @ts-check
// Building elements: one function for HTML, one for SVG, and looking up what index.html must have. Knows nothing of
// games.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An HTML element. Properties that begin with "on" become listeners, "class" and "data-…" and "aria-…" attributes;
 * null, undefined and false are left out.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  return furnish(document.createElement(tag), properties, children);
}

/**
 * An SVG element, as {@link element}.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function drawing(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @param {Element} made
 * @param {Record<string, any>} properties
 * @param {(Child | Child[])[]} children
 */
function furnish(made, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...wanted(children));
  return made;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function wanted(children) {
  return children.flat().flatMap((child) => {
    if (child === null || child === undefined || child === false || child === "") return [];
    return [typeof child === "number" ? String(child) : child];
  });
}

/**
 * Puts these children in place of all there are.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...wanted(children));
}

/**
 * The element of index.html with this id.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

/**
 * A text in whose scores no line breaks: 26–22 stays together.
 * @param {string} text
 * @returns {Child[]}
 */
export function unbroken(text) {
  return text
    .split(/([0-9½]+–[0-9½]+)/)
    .map((part, index) => (index % 2 ? element("span", { class: "whole" }, part) : part));
}

/**
 * Says something in place: shown with these words, hidden without.
 * @param {HTMLElement} place
 * @param {...(Child | Child[])} words
 */
export function say(place, ...words) {
  const children = wanted(words);
  place.hidden = !children.length;
  place.replaceChildren(...children);
}

/**
 * Calls back after a pause without a further call.
 * @template {any[]} A
 * @param {(...given: A) => void} callback
 * @param {number} pause in milliseconds
 * @returns {(...given: A) => void}
 */
export function afterPause(callback, pause) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => callback(...given), pause);
  };
}
