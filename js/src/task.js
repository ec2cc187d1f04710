// What is wanted of a program in a class, and hidden examples that are ticked off as it meets them.

import "./task.css";
import { verdict } from "./examples.js";
import { fill, freshId, h, marked } from "./dom.js";

/**
 * The card of a task; without words of what is wanted, the line alone that tells how far one is.
 * @param task what progtf/cli/task.py gives: `wanted` in words, and the `hidden` examples
 */
export function taskView(store, { wanted, hidden }) {
  const known = new Set(); // examples that were met once, or asked for, are hidden no more
  const said = h("p", { role: "status", "data-testid": "task" });
  const rows = h("ol", { class: "ptf-hidden-examples", "data-testid": "hidden-examples" });
  const more = h("button", { class: "ptf-button", type: "button", onclick: () => reveal() }, "show one that is not met");
  let found = [];
  const draw = () => {
    const tried = store.judged;
    found = hidden.map((example) => (tried ? verdict(store.program, example) : null));
    found.forEach((one, place) => one?.holds && known.add(place));
    const count = found.filter((one) => one?.holds).length;
    const done = count === hidden.length;
    said.className = done ? "ptf-holds" : "ptf-muted";
    said.textContent = tried ? `${done ? "✓ Done: all" : `${count} of`} ${hidden.length} hidden examples are met` : `hidden examples not tried${store.failed ? ": the program has an error" : " yet"}`;
    more.disabled = !hidden.some((_, place) => missed(place));
    fill(rows, hidden.map((example, place) => row(example, found[place], known.has(place))));
  };
  const missed = (place) => found[place] && !found[place].holds && !known.has(place);
  const reveal = () => {
    known.add(hidden.findIndex((_, place) => missed(place)));
    draw();
  };
  for (const news of ["examples", "problems", "text"]) store.on(news, draw);
  draw();
  if (!wanted) return said;
  const id = freshId("card");
  return h("section", { class: "ptf-card ptf-task", "aria-labelledby": id }, h("h3", { id }, "what is wanted"), h("p", { class: "ptf-wanted" }, marked(wanted)), h("div", { class: "ptf-tried" }, said, more), rows);
}

/** An example: whether it is met, and of one that is known and is not, what the program says. */
function row({ input, output }, tried, known) {
  const sign = tried ? (tried.holds ? "✓" : "✗") : "·";
  const mark = h("span", { class: tried ? (tried.holds ? "ptf-holds" : "ptf-fails") : "ptf-muted" }, sign);
  if (!known) return h("li", {}, mark, " ", h("span", { class: "ptf-muted" }, "hidden until it is met"));
  const said = tried && !tried.holds ? [", yours: ", h("code", {}, tried.found)] : [];
  return h("li", {}, mark, " ", h("code", {}, input), " → ", h("code", {}, output), said);
}
