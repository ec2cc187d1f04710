// What is wanted of a program in a class, and hidden examples that are ticked off as it meets them.

import "./task.css";
import { verdict } from "./examples.js";
import { fill, freshId, h, marked } from "./dom.js";

/**
 * The card of a task.
 * @param task what progtf/cli/task.py gives: `wanted` in words, and the `hidden` examples
 */
export function taskView(store, { wanted, hidden }) {
  const met = new Set(); // the examples that were met once are hidden no more
  const said = h("p", { role: "status", "data-testid": "task" });
  const rows = h("ol", { class: "ptf-hidden-examples", "data-testid": "hidden-examples" });
  const draw = () => {
    const tried = store.judged;
    const found = hidden.map((example) => tried && verdict(store.program, example).holds === true);
    found.forEach((holds, place) => holds && met.add(place));
    const count = found.filter(Boolean).length;
    const done = count === hidden.length;
    said.className = done ? "ptf-holds" : "ptf-muted";
    said.textContent = tried ? `${done ? "✓ Done: all" : `${count} of`} ${hidden.length} hidden examples are met` : `hidden examples not tried${store.failed ? ": the program has an error" : " yet"}`;
    fill(rows, hidden.map((example, place) => row(example, found[place], met.has(place), tried)));
  };
  for (const news of ["examples", "problems", "text"]) store.on(news, draw);
  draw();
  const id = freshId("card");
  return h("section", { class: "ptf-card ptf-task", "aria-labelledby": id }, h("h3", { id }, "what is wanted"), h("p", { class: "ptf-wanted" }, marked(wanted)), said, rows);
}

function row({ input, output }, holds, known, tried) {
  const sign = tried ? (holds ? "✓" : "✗") : "·";
  const mark = h("span", { class: tried ? (holds ? "ptf-holds" : "ptf-fails") : "ptf-muted" }, sign);
  return h("li", {}, mark, " ", known ? [h("code", {}, input), " → ", h("code", {}, output)] : h("span", { class: "ptf-muted" }, "hidden until it is met"));
}
