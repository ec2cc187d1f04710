// Training: curves while they grow, and the weights that left what was written.

import { fill, h, scroller, tint } from "./dom.js";
import { levelled } from "./outline.js";
import { plain, short } from "./numbers.js";
import { showTerm } from "./run.js";

const [WIDE, HIGH, EDGE] = [460, 190, 64];
const ORDER = { loss: -1, questions_per_second: 1 }; // of curves; the others in between

/** `data` has records ({step, loss, …}), changes (place, source, target, before, after), title. */
export function trainingView(data, host, root) {
  const body = h("div", { class: "ptf-training" });
  const show = (next) => {
    const named = new Set(next.records.flatMap((record) => Object.keys(record)));
    const names = [...named].filter((name) => name !== "step").sort((a, b) => (ORDER[a] ?? 0) - (ORDER[b] ?? 0));
    fill(
      body,
      names.length ? h("div", { class: "ptf-charts" }, names.slice(0, 6).map((name) => chart(name, next.records))) : null,
      next.records.length || next.changes.length ? null : h("p", { class: "ptf-muted" }, "No records yet."),
      next.changes.length ? weights(next) : null,
    );
    levelled(root);
  };
  show(data);
  host?.receive(show);
  return body;
}

function chart(name, records) {
  const points = records.map((record, place) => [record.step ?? place, record[name]]).filter(([, value]) => Number.isFinite(value));
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const share = /acc|right|exact/.test(name);
  const [bottom, top] = share ? [0, 1] : [Math.min(0, ...ys), Math.max(...ys, 1e-9)];
  const at = ([x, y]) => [EDGE + ((x - left) / (right - left || 1)) * (WIDE - EDGE - 12), HIGH - 24 - ((y - bottom) / (top - bottom || 1)) * (HIGH - 42)];
  const path = points.map((point) => at(point).map((v) => v.toFixed(1)).join(",")).join(" ");
  const grid = [0, 0.5, 1].map((part) => {
    const value = bottom + part * (top - bottom);
    const [, y] = at([left, value]);
    return [h("line", { x1: EDGE, x2: WIDE - 12, y1: y, y2: y, class: "ptf-grid" }), h("text", { x: EDGE - 6, y: y + 6, "text-anchor": "end" }, short(value))];
  });
  const [endX, endY] = at(points.at(-1));
  return h(
    "figure",
    { class: "ptf-chart", "data-testid": `chart-${name}` },
    h("figcaption", {}, h("b", {}, name.replaceAll("_", " ")), h("span", { class: "ptf-muted" }, ` ${short(ys.at(-1))} at step ${short(xs.at(-1))}`)),
    h(
      "svg",
      { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${name} over ${points.length} steps, last ${short(ys.at(-1))}` },
      grid,
      h("polyline", { points: path, class: "ptf-curve" }),
      h("circle", { cx: endX, cy: endY, r: 3.5, class: "ptf-end" }),
      h("text", { x: EDGE, y: HIGH - 6 }, short(left)),
      h("text", { x: WIDE - 12, y: HIGH - 6, "text-anchor": "end" }, short(right)),
    ),
  );
}

function weights({ changes, count }) {
  const most = Math.max(...changes.flatMap(({ before, after }) => [Math.abs(before ?? 0), Math.abs(after ?? 0)]), 1e-9);
  const bar = (value, kind) => h("i", { class: `ptf-bar ptf-${kind}`, style: `width:${(88 * Math.abs(value ?? 0)) / most}px;--ptf-bar:${tint(value ?? 0, most)}`, title: `${kind} ${short(value)}` });
  const row = ({ place, source, target, before, after }) =>
    h("tr", {}, h("td", { class: "ptf-muted" }, place), h("td", { class: "ptf-mono" }, spelled(source, target, before)), h("td", { class: "ptf-mono" }, spelled(source, target, after)), h("td", {}, h("div", { class: "ptf-bars" }, bar(before, "written"), bar(after, "learned"))));
  const legend = h("span", { class: "ptf-legend" }, h("span", {}, h("i", { class: "ptf-bar" }), "written"), h("span", {}, h("i", { class: "ptf-bar ptf-learned" }), "learned"));
  const heads = ["where", "written", "learned"].map((name) => h("th", { scope: "col" }, name));
  const said = count > changes.length ? `the ${changes.length} largest of ${count} changes` : `${count} changes, the largest first`;
  return h(
    "section",
    { class: "ptf-card ptf-changes" },
    h("header", {}, h("h3", {}, "weights"), h("span", { class: "ptf-muted" }, said)),
    scroller("weights", h("table", { class: "ptf-weights", "aria-label": "written and learned weights" }, h("thead", {}, h("tr", {}, heads, h("th", { scope: "col" }, legend))), h("tbody", {}, changes.map(row)))),
  );
}

/** An entry in the notation; the source of a bias is empty. */
function spelled(source, target, value) {
  if (value === null) return h("span", { class: "ptf-muted" }, "nothing");
  const amount = plain(value);
  return source ? `${showTerm(source, amount).replace(/^\+/, "")}>${target}` : showTerm(target, amount);
}
