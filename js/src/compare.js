// Two inputs side by side: the residual stream and the chosen head of each, with what differs marked.

import { paint, table } from "./attention.js";
import { differences, shownToken, whole } from "./chips.js";
import { fill, freshId, h, marked, scroller } from "./dom.js";
import { stacks } from "./residual.js";
import { InputError, run } from "./run.js";
import { headsOf } from "./store.js";

const NEAR = 1e-9;
const SIDE = 22; // pixels of a cell
const LONGEST = 400; // tokens that are paired by what they are

/** The store's input beside another one. */
export function compareView(store) {
  const id = freshId("other");
  const open = new Set();
  const first = store.program?.examples.map(({ input }) => input).find((input) => input !== store.input) ?? "";
  const body = h("div", { class: "ptf-two" });
  const said = h("p", { role: "status", "data-testid": "differences" });
  const field = h("input", { id, class: "ptf-input ptf-mono", value: first, spellcheck: "false", "data-testid": "other", oninput: () => draw(), onkeydown: (event) => event.key !== "Escape" && event.stopPropagation() });
  const draw = () => {
    if (!store.run) return fill(body, h("p", { class: "ptf-muted" }, store.missing));
    let other = null;
    try {
      other = run(store.program, field.value, { off: store.off });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      fill(said, marked(error.message));
      return fill(body);
    }
    const two = [store.run, other];
    const pairs = paired(two);
    const counts = { cells: 0, semes: new Set() };
    const columns = [0, 1].map((side) => column(store, two, side, pairs, counts, open, draw));
    fill(body, columns);
    const all = counts.semes.size;
    said.textContent = all ? `${all} ${all === 1 ? "seme differs" : "semes differ"}, in ${counts.cells} ${counts.cells === 1 ? "cell" : "cells"}` : "Nothing differs.";
    return null;
  };
  for (const news of ["run", "head", "token", "theme"]) store.on(news, draw);
  draw();
  return h("div", { "data-testid": "compare" }, h("label", { class: "ptf-label", for: id }, "the other input"), field, said, body);
}

/** For each stack, the positions in the other run of the tokens of each: null for those of one run only. */
function paired(two) {
  const tokens = two.map((seen) => Object.fromEntries(seen.steps.map((step) => [step.stack, step.tokens])));
  return Object.fromEntries(Object.keys(tokens[0]).map((stack) => [stack, aligned(tokens[0][stack], tokens[1][stack] ?? [])]));
}

/**
 * Which token of the one belongs to which of the other: texts of one length token by token; in others the tokens that both have,
 * in their order, and what stands between those as it comes.
 */
export function aligned(one, other) {
  const ways = [one.map(() => null), other.map(() => null)];
  const pair = (i, j) => ([ways[0][i], ways[1][j]] = [j, i]);
  if (one.length === other.length || Math.max(one.length, other.length) > LONGEST) {
    for (let i = 0; i < Math.min(one.length, other.length); i++) pair(i, i);
    return ways;
  }
  const common = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) common[i][j] = one[i] === other[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  let [i, j, from, there] = [0, 0, 0, 0]; // the last two: where the gap began
  const close = () => {
    while (from < i && there < j) pair(from++, there++);
  };
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      close();
      pair(i++, j++);
      [from, there] = [i, j];
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  [i, j] = [one.length, other.length];
  close();
  return ways;
}

function column(store, two, side, pairs, counts, open, redraw) {
  const seen = two[side];
  const tables = stacks({ ...store, run: seen, only: store.only, lookedAt: (loop) => store.lookedAt(loop) });
  const head = (run) => headsOf(run).find(({ id }) => id === store.head);
  const answer = seen.answer.text && seen.answer.rows === undefined ? h("p", {}, h("span", { class: "ptf-muted" }, "answers "), h("b", {}, seen.answer.text), seen.answer.error ? h("span", { class: "ptf-error-text" }, ` ${seen.answer.error}`) : null) : null;
  return h(
    "div",
    { role: "group", "aria-label": side ? "the other input" : "the input" },
    h("p", { class: "ptf-mono" }, h("b", {}, seen.input)),
    answer,
    scroller(`residual stream of ${side ? "the other input" : "the input"}`, tables.map((steps) => streams(store, steps, two[1 - side], side, pairs, counts, open, redraw))),
    map(store, two.map(head), side, pairs),
  );
}

function streams(store, steps, other, side, pairs, counts, open, redraw) {
  const [{ stack, tokens }] = steps;
  const partner = (step) => twin(steps, step, other);
  const cell = (step, position) => {
    const place = pairs[stack]?.[side][position] ?? null;
    const before = place === null ? null : (partner(step)?.rows[place] ?? null);
    const differing = before ? differences(store, step.rows[position], before) : [];
    if (side === 0 && differing.length) counts.cells++;
    differing.forEach((name) => counts.semes.add(name));
    const about = differing.length ? `differs in ${differing.slice(0, 6).join(", ")}` : null;
    return h("td", { class: differing.length ? "ptf-differs" : "", title: about }, whole(store, step.rows[position], before, `${side}/${stack}/${step.label}/${position}`, open, redraw));
  };
  const row = (token, position) => h("tr", {}, h("th", { scope: "row", class: changed(tokens, other, stack, pairs, side, position) ? "ptf-differs" : "" }, shownToken(token)), steps.map((step) => cell(step, position)));
  const heads = steps.map((step) => h("th", { scope: "col" }, step.label || "layer"));
  return h("table", { class: "ptf-residual", "aria-label": `residual stream of the ${stack}` }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "token"), heads)), h("tbody", {}, tokens.map(row)));
}

/** The step of another run that is the same one of the program. */
function twin(steps, step, other) {
  const same = (one) => one.stack === step.stack && one.label === step.label && one.round?.number === step.round?.number;
  return other.steps.filter(same)[steps.filter(same).indexOf(step)];
}

function changed(tokens, other, stack, pairs, side, position) {
  const place = pairs[stack]?.[side][position] ?? null;
  return place === null || other.steps.find((step) => step.stack === stack).tokens[place] !== tokens[position];
}

/** The chosen head of one run; cells that differ from the other run's have a frame. */
function map(store, heads, side, pairs) {
  const [head, other] = [heads[side], heads[1 - side]];
  if (!head) return null;
  const shown = table(head, "pattern");
  const [down, across] = [shown.rows.length, shown.rows[0]?.length ?? 1];
  const canvas = h("canvas", { width: across * SIDE * 2, height: down * SIDE * 2, style: `width:${across * SIDE}px;height:${down * SIDE}px`, role: "img", "aria-label": `attention of ${head.name}` });
  paint(canvas, head, shown, SIDE, store.root);
  const from = head.source === "encoder" ? "encoder" : head.stack;
  const partner = (dst, src) => other?.pattern[pairs[head.stack]?.[side][dst]]?.[pairs[from]?.[side][src]];
  const marks = head.pattern.flatMap((row, dst) => row.map((share, src) => (Math.abs(share - (partner(dst, src) ?? 0)) > NEAR ? h("i", { class: "ptf-mark", style: `left:${src * SIDE}px;top:${dst * SIDE}px;width:${SIDE}px;height:${SIDE}px` }) : null)));
  return h("div", { class: "ptf-map-scroll", role: "group", tabindex: "0", "aria-label": `attention of ${head.name}, ${side ? "the other input" : "the input"}` }, h("p", { class: "ptf-muted ptf-small" }, `${head.title} / ${head.name}`), h("div", { class: "ptf-board ptf-still" }, canvas, marks));
}
