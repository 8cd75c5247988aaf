// @ts-check
// The tables there are: a tab each, with its counts, how many boards have each value ("you are here" among them), and
// the board with the longest distance. What they hold is the server's; where one is, oware.js's.

/** @import {Place} from "./address.js" */
/** @import {Tier, Answer} from "./types.js" */
/** @import {Oware} from "./oware.js" */

import { format } from "./address.js";
import { ask, isAbort } from "./api.js";
import { Board } from "./board.js";
import { drawing, element, fill, say } from "./dom.js";
import { newGame } from "./game.js";
import { commandBox } from "./missing.js";
import { grouped, plural, signed, size } from "./words.js";

/** @typedef {{id: string, complete_to: number | null, tiers: Tier[]}} RulesTables */

export class TablesView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.error = element("p", { class: "alert", role: "alert", hidden: true });
    this.chooser = element("div", { class: "chooser" });
    this.panel = element("div", { class: "table-panel", id: "table-panel", role: "tabpanel", tabindex: "-1" });
    /** @type {RulesTables[] | null} */
    this.tables = null;
    this.loading = new AbortController();
    fill(root, this.error, this.chooser, this.panel);
  }

  /**
   * @param {Place} place
   * @param {Oware} oware whose position is "here"
   * @param {Promise<void> | null} settled when it has its answer
   */
  async show(place, oware, settled) {
    this.place = place;
    this.loading.abort();
    const { signal } = (this.loading = new AbortController());
    if (!this.tables) fill(this.panel, element("p", { class: "note" }, "Looking at the tables …"));
    try {
      this.tables ??= (await ask("tables", {}, signal)).rules;
      say(this.error);
      await settled;
      if (signal.aborted) return;
      await this.#show(place, oware, signal);
    } catch (error) {
      if (!isAbort(error)) say(this.error, /** @type {Error} */ (error).message);
    }
  }

  /** @param {Place} place @param {Oware} oware @param {AbortSignal} signal */
  async #show(place, oware, signal) {
    const tables = /** @type {RulesTables[]} */ (this.tables);
    if (!tables.some(({ tiers }) => tiers.length)) return this.#none();
    const chosen = tables.find(({ id }) => id === place.rules) ?? { id: place.rules, complete_to: null, tiers: [] };
    const here = oware.answer?.rules.id === place.rules ? oware.answer : null;
    const wanted = place.tier ?? here?.position.seeds ?? null;
    const tier = chosen.tiers.find(({ seeds }) => seeds === wanted) ?? chosen.tiers.at(-1);
    this.#choose(tables, chosen, tier ?? null, place);
    if (!tier) return fill(this.panel, ...noTables(place.rules, here));
    const whole = await ask(`tables/${encodeURIComponent(chosen.id)}/${tier.seeds}`, {}, signal);
    this.panel.setAttribute("aria-labelledby", `tier-${tier.seeds}`);
    fill(this.panel, ...this.#panel(whole, place, here?.position.seeds === tier.seeds ? here : null));
  }

  #none() {
    fill(this.chooser);
    fill(
      this.panel,
      element("p", {}, "There are no tables yet. This command builds the first, in some seconds:"),
      commandBox("abapa build --rules awari --seeds 9 --distance"),
      element("p", {}, "Then start the server with --tables and the folder, and load this page again."),
    );
  }

  /** @param {RulesTables[]} tables @param {RulesTables} chosen @param {Tier | null} tier @param {Place} place */
  #choose(tables, chosen, tier, place) {
    const focused = this.chooser.contains(document.activeElement);
    const ids = tables.map(({ id }) => id);
    if (!ids.includes(chosen.id)) ids.unshift(chosen.id);
    const rules = element(
      "ul",
      { class: "rules-list", "aria-label": "Rules" },
      ids.map((id) =>
        element(
          "li",
          {},
          element(
            "a",
            {
              href: format({
                ...place,
                ...(id === place.rules ? {} : newGame(place, "start", "", id)),
                view: "tables",
                tier: null,
              }),
              "aria-current": id === chosen.id ? "true" : null,
            },
            id,
          ),
        ),
      ),
    );
    const tabs = element(
      "div",
      { class: "tabs", role: "tablist", "aria-label": `Tables of ${chosen.id}, by seeds on the board` },
      chosen.tiers.map(({ seeds }) =>
        element(
          "a",
          {
            role: "tab",
            id: `tier-${seeds}`,
            href: format({ ...place, view: "tables", tier: seeds }),
            "aria-selected": String(seeds === tier?.seeds),
            tabindex: seeds === tier?.seeds ? "0" : "-1",
            "aria-controls": "table-panel",
          },
          String(seeds),
        ),
      ),
    );
    tabs.addEventListener("keydown", moveAlong);
    const words =
      tier &&
      element(
        "p",
        { class: "note" },
        `A table for each number of seeds on the board${chosen.complete_to === null ? "" : `; none is missing up to ${chosen.complete_to}`}.`,
      );
    fill(this.chooser, rules, words, tabs);
    if (focused) tabs.querySelector("[aria-selected=true]")?.focus();
  }

  /** @param {Tier} tier @param {Place} place @param {Answer | null} here */
  #panel(tier, place, here) {
    return [
      element("h2", {}, plural(tier.seeds, "seed"), " on the board"),
      element("p", {}, `${plural(tier.boards, "board")}, each with the player to move. `, outcomes(tier)),
      shares(tier),
      histogram(tier, here),
      longest(tier, place),
      facts(tier),
    ];
  }
}

/** @param {string} rules @param {Answer | null} here null where the server knows no such rules, or no such position */
function noTables(rules, here) {
  const none = `There are no tables of ${rules}`;
  if (!here) return [element("p", {}, `${none}.`)];
  if (here.error?.kind === "no-tables") return [element("p", {}, `${here.error.message}.`)];
  return [
    element("p", {}, `${none}. This command builds the first:`),
    commandBox(`abapa build --rules ${rules} --seeds 8`),
  ];
}

/** Arrow keys along a list of tabs. @param {KeyboardEvent} event */
function moveAlong(event) {
  const tabs = [.../** @type {HTMLElement} */ (event.currentTarget).querySelectorAll("[role=tab]")];
  const at = tabs.indexOf(/** @type {Element} */ (event.target));
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (event.key === " ") (event.preventDefault(), /** @type {HTMLElement} */ (event.target).click());
  if (to === undefined) return;
  event.preventDefault();
  const tab = /** @type {HTMLElement} */ (tabs[(to + tabs.length) % tabs.length]);
  tab.focus();
  tab.click();
}

/** @param {Tier} tier */
function outcomes({ boards, wins, draws, losses, exact }) {
  const part = (/** @type {number} */ count) => `${grouped(count)} (${((100 * count) / boards).toFixed(1)}\u00a0%)`;
  const sure = exact === null ? "" : ` Of all boards ${part(exact)} are exact, the rest bounded.`;
  return `The player to move wins ${part(wins)}, draws ${part(draws)} and loses ${part(losses)}.${sure}`;
}

/** @param {Tier} tier a bar of three parts; the numbers stand in the words above */
function shares({ boards, wins, draws, losses }) {
  const part = (/** @type {string} */ kind, /** @type {number} */ count) => {
    const name = { win: "wins", draw: "draws", loss: "losses" }[kind];
    const made = element("span", { class: kind }, element("span", { class: "name" }, name));
    made.style.flexGrow = String(count / boards);
    return made;
  };
  return element(
    "div",
    { class: "shares", "aria-hidden": "true" },
    part("win", wins),
    part("draw", draws),
    part("loss", losses),
  );
}

/** @param {Tier} tier @param {Answer | null} here */
function histogram(tier, here) {
  const counts = new Map(tier.histogram ?? []);
  if (!counts.size) return null;
  const most = Math.max(...counts.values());
  const value = here && here.value !== null ? here.value : null;
  const bars = [];
  for (let at = -tier.seeds; at <= tier.seeds; at += 1)
    bars.push(bar(at, counts.get(at) ?? 0, most, tier, at === value));
  const words = `How many boards have each value: from ${-tier.seeds} to ${tier.seeds} seeds for the player to move.`;
  const width = (2 * tier.seeds + 1) * 10;
  const chart = drawing(
    "svg",
    { class: "histogram", viewBox: `0 0 ${width} 130`, preserveAspectRatio: "none", role: "img", "aria-label": words },
    bars,
  );
  const you = value === null ? null : element("p", { class: "you" }, `You are here: ${signed(value)}`);
  if (you && value !== null)
    you.style.setProperty("--at", `${((value + tier.seeds + 0.5) / (2 * tier.seeds + 1)) * 100}%`);
  const axis = element(
    "div",
    { class: "axis", "aria-hidden": "true" },
    [-tier.seeds, Math.round(-tier.seeds / 2), 0, Math.round(tier.seeds / 2), tier.seeds].map((at) =>
      element("span", {}, signed(at)),
    ),
  );
  return element(
    "figure",
    { class: "histogram-box" },
    element(
      "figcaption",
      {},
      `Boards by value, in seeds, for the player to move${tier.exact === null ? "" : "; endless play is split evenly here"}`,
    ),
    you,
    chart,
    axis,
    element("details", {}, element("summary", {}, "The numbers"), numbers(counts)),
  );
}

/** @param {number} at @param {number} count @param {number} most @param {Tier} tier @param {boolean} here */
function bar(at, count, most, tier, here) {
  const height = count ? Math.max(1.5, (count / most) * 122) : 0;
  const kind = at > 0 ? "win" : at < 0 ? "loss" : "draw";
  const title = drawing("title", {}, `${signed(at)}: ${plural(count, "board")}`);
  return drawing(
    "rect",
    { class: `${kind}${here ? " here" : ""}`, x: (at + tier.seeds) * 10 + 1, y: 128 - height, width: 8, height },
    title,
  );
}

/** @param {Map<number, number>} counts */
function numbers(counts) {
  const rows = [...counts].map(([value, count]) =>
    element("tr", {}, element("th", { scope: "row" }, signed(value)), element("td", {}, grouped(count))),
  );
  return element(
    "table",
    {},
    element(
      "thead",
      {},
      element("tr", {}, element("th", { scope: "col" }, "value"), element("th", { scope: "col" }, "boards")),
    ),
    element("tbody", {}, rows),
  );
}

/** @param {Tier} tier @param {Place} place */
function longest({ longest: found }, place) {
  if (!found) return null;
  const root = element("div", { class: "board small", role: "group" });
  const board = new Board(root, () => {});
  board.show({ position: found.position, flipped: false, said: [], hidden: true, over: false, href: () => "" });
  const link = element("a", { class: "button", href: format(newGame(place, found.position.text)) }, "Look at it");
  return element(
    "figure",
    { class: "longest" },
    element(
      "figcaption",
      {},
      `The longest way: ${plural(found.distance, "ply", "plies")} to the capture, or the end of the game, that gives the value. `,
      link,
    ),
    root,
  );
}

/** @param {Tier} tier */
function facts(tier) {
  const rows = [
    ["Holds", tier.quantities.join(", ")],
    tier.window === null ? null : ["Window", `values up to ${signed(tier.window)} are told apart`],
    ["File", `${size(tier.bytes)}${tier.packed ? ", packed" : ""}`],
    tier.sha256 && ["SHA-256", element("code", {}, tier.sha256)],
  ].filter((row) => row !== null);
  return element(
    "dl",
    { class: "facts" },
    rows.map(([name, words]) => element("div", {}, element("dt", {}, name), element("dd", {}, words))),
  );
}
