// In a narrow window a figure is its input, its answer, and one of its other parts at a time.

import { freshId, h } from "./dom.js";

const KEYS = { ArrowLeft: (at) => at - 1, ArrowRight: (at) => at + 1, Home: () => 0, End: () => -1 };

/**
 * The tabs of a store's figure; only narrow figures show them (see progtf.css).
 * @param groups what each is called, and the elements that it shows
 */
export function tabsView(store, groups) {
  const parts = groups.filter(([, elements]) => elements.length);
  for (const element of parts.flatMap(([, elements]) => elements)) element.id ||= freshId("part");
  const choose = (chosen) =>
    parts.forEach(([, elements], place) => {
      const on = place === chosen;
      tabs[place].setAttribute("aria-selected", String(on));
      tabs[place].tabIndex = on ? 0 : -1;
      for (const element of elements) element.classList.toggle("ptf-shown", on);
      if (on && elements.length === 1 && elements[0].tagName === "DETAILS") elements[0].open = true;
    });
  const keys = (event) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    event.stopPropagation();
    const to = KEYS[event.key](tabs.indexOf(event.target)) + tabs.length;
    choose(to % tabs.length);
    tabs[to % tabs.length].focus();
  };
  const tabs = parts.map(([name, elements], place) => h("button", { class: "ptf-tab", role: "tab", "aria-controls": elements.map(({ id }) => id).join(" "), onclick: () => choose(place) }, name));
  choose(0);
  store.on("go", () => choose(0)); // to a line of the program
  return h("div", { class: "ptf-tabs", role: "tablist", "aria-label": "parts of the figure", "data-testid": "tabs", onkeydown: keys }, tabs);
}
