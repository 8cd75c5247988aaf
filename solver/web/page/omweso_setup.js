// @ts-check
// The form for a new game of Omweso: rules and each side's set-up. The set-ups' names are the server's.

/** @import {OmwesoPlace} from "./address.js" */

import { element } from "./dom.js";

const RULES = ["tournament", "comp424"];
const SETUPS = ["outer-four", "all-two", "seventeen-six-threes", "seventeen-five-threes"];

export class SetupForm {
  /** @param {(change: {rules: string, start: string}) => void} onBegin */
  constructor(onBegin) {
    const ids = RULES.map((id) => element("option", { value: id }, id));
    this.rules = element("select", { id: "omweso-rules" }, ids);
    this.south = element("select", { id: "setup-south" }, setupOptions());
    this.north = element("select", { id: "setup-north" }, setupOptions());
    this.root = element(
      "form",
      { class: "fields" },
      element("label", {}, "Rules ", this.rules),
      element("label", {}, "South’s set-up ", this.south),
      element("label", {}, "North’s set-up ", this.north),
      element("button", { type: "submit", class: "primary" }, "Begin"),
    );
    this.root.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      const [south, north] = [this.south, this.north].map(({ value }) => value || SETUPS[0]);
      onBegin({ rules: this.rules.value, start: `${south}/${north}` });
    });
  }

  /** @param {OmwesoPlace} place */
  show(place) {
    const [south, north = south] = place.start.split("/");
    this.rules.value = place.rules;
    this.south.value = south;
    this.north.value = north;
    for (const select of [this.south, this.north]) if (select.selectedIndex < 0) select.value = "";
  }
}

function setupOptions() {
  const named = SETUPS.map((name) => element("option", { value: name }, name.replaceAll("-", " ")));
  return [...named, element("option", { value: "", hidden: true }, "a position of its own")];
}
