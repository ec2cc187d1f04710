// Loops: which round is looked at, and the registers before it and after every round, as numbers.

import { fill, freshId, h, scroller } from "./dom.js";
import { short } from "./numbers.js";
import { shownToken } from "./chips.js";
import { isWritten } from "./run.js";

const MOST = 40; // rounds that are shown as columns
const NEAR = 1e-6;

/** A slider and a table for each loop of the store's run. */
export function roundsView(store) {
  const body = h("div", { "data-testid": "rounds" });
  const draw = () => {
    fill(body, loops(store).map(([loop, ends]) => view(store, loop, ends)));
  };
  store.on("run", draw);
  draw();
  return body;
}

/** Every loop with the step before it and the last step of each of its rounds. */
function loops({ run }) {
  const found = new Map();
  (run?.steps ?? []).forEach((step, place, steps) => {
    if (!step.round) return;
    const { loop, number } = step.round;
    if (!found.has(loop)) found.set(loop, [steps[place - 1]]);
    found.get(loop)[number] = step;
  });
  return [...found];
}

function view(store, loop, ends) {
  const id = freshId("round");
  const last = ends.length - 1;
  const chosen = Math.min(store.roundOf(loop), last);
  const slide = (event) => store.chooseRound(loop, Number(event.target.value));
  const slider = h("input", { id, type: "range", min: 1, max: last, value: chosen, "data-key": loop, oninput: slide, onkeydown: (event) => event.key !== "Escape" && event.stopPropagation() });
  const said = h("span", { class: "ptf-muted" }, `${chosen} of ${last}`);
  return h("div", { class: "ptf-rounds" }, h("div", { class: "ptf-controls" }, h("label", { for: id }, `loop ${loop}, round`), slider, said), registers(store, ends, chosen));
}

function registers(store, ends, chosen) {
  const rows = ends[0].tokens.flatMap((token, position) => changing(store, ends, position).map((name) => [token, position, name]));
  if (!rows.length) return null;
  const shown = ends.slice(0, MOST + 1);
  const heads = shown.map((_, place) => h("th", { scope: "col", class: place === chosen ? "ptf-chosen" : "" }, place || "before"));
  const cells = (position, name) => shown.map((step, place) => h("td", { class: place === chosen ? "ptf-chosen" : "" }, short(step.rows[position][name] ?? 0)));
  const row = ([token, position, name]) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "ptf-muted" }, `${shownToken(token)} `), name), cells(position, name));
  return scroller("registers", h("table", { class: "ptf-registers", "aria-label": "registers after every round" }, h("thead", {}, h("tr", {}, h("td", { class: "ptf-muted" }, "round"), heads)), h("tbody", {}, rows.map(row))), ends.length > shown.length ? h("p", { class: "ptf-muted" }, `and ${ends.length - shown.length} rounds more`) : null);
}

/** The semes that hold other numbers than 0 and 1 at a token, and change from round to round. */
function changing(store, ends, position) {
  const values = (name) => ends.map((step) => step.rows[position][name] ?? 0);
  const number = (value) => Math.abs(value) > NEAR && Math.abs(value - 1) > NEAR;
  const moves = (all) => all.some(number) && all.some((value) => Math.abs(value - all[0]) > NEAR);
  return store.program.names.slice(0, store.program.semes).filter((name) => isWritten(name) && moves(values(name)));
}
