// Matrices: numbers and notation side by side; pointing at either shows the other.

import { fill, freshId, h, marked, scroller, tint } from "./dom.js";
import { awaiting } from "./late.js";
import { exact, short } from "./numbers.js";
import { showTerm } from "./run.js";

const MOST = 40;

/** Every map of a program, by title: [source, target, value], the source of a bias is "". */
export function mapsOf(program) {
  const found = [];
  const put = (title, entries, line) => entries.length && found.push({ title, entries: entries.filter((e) => e[2]), line });
  const columns = (weights) => Object.entries(weights).flatMap(([target, form]) => ofForm(form, target));
  if (program.cell) {
    put("cell / input", columns(program.cell.input), program.cell.line);
    put("cell / recurrent", columns(program.cell.recurrent), program.cell.line);
  }
  for (const stage of [...program.encoder, ...program.decoder]) {
    if (stage.type === "dense") {
      put(`${stage.name || "dense"} / weights`, columns(stage.weights), stage.line);
      continue;
    }
    for (const head of [...stage.heads, ...stage.cross]) {
      const place = `${stage.name || "layer"} / ${head.name}`;
      put(`${place} / query`, head.features.flatMap((f) => ofForm(f.query, f.name)), head.line);
      put(`${place} / key`, head.features.flatMap((f) => ofForm(f.key, f.name)), head.line);
      put(`${place} / value`, head.channels.flatMap((c) => Object.entries(c.writes).flatMap(([seme, w]) => ofForm(c.filler, seme, w))), head.line);
    }
    const units = stage.feedforward?.units ?? [];
    put(`${stage.name || "layer"} / mat1`, units.flatMap((u) => ofForm(u.reads, u.name.replace(/^unit /, ""))), stage.line);
    put(`${stage.name || "layer"} / mat2`, units.flatMap((u) => Object.entries(u.writes).map(([t, v]) => [u.name.replace(/^unit /, ""), t, v])), stage.line);
  }
  return found;
}

function ofForm([coefficients, constant], target, factor = 1) {
  const entries = Object.entries(coefficients).map(([source, value]) => [source, target, value * factor]);
  return constant ? [...entries, ["", target, constant * factor]] : entries;
}

/** The maps of a store's program, one at a time. */
export function mapsView(store) {
  const body = h("div", { "data-testid": "matrices" });
  let chosen = 0;
  const draw = () => {
    const maps = store.program ? mapsOf(store.program) : [];
    if (!maps.length) return fill(body, h("p", { class: "ptf-muted" }, "This program has no matrix: its rules are not written as one."));
    chosen = Math.min(chosen, maps.length - 1);
    const id = freshId("map");
    const options = maps.map(({ title }, place) => h("option", { value: place, selected: place === chosen }, title));
    const select = h("select", { id, onchange: (event) => ((chosen = Number(event.target.value)), draw()) }, options);
    fill(body, h("div", { class: "ptf-controls" }, h("label", { for: id }, "matrix"), select), grid(maps[chosen].entries, { point: (on) => store.point(null, on ? maps[chosen].line : null) }));
    return null;
  };
  store.on("run", draw);
  draw();
  return body;
}

/**
 * A matrix as a table above its notation.
 * @param entries [source, target, value]
 * @param options `rows`, `columns`: names that are shown even where nothing stands; `edit`: told
 *   about a new value; `point`: told when a pointer comes and goes
 */
export function grid(entries, { rows = null, columns = null, edit = null, point = null, vector = false } = {}) {
  const down = rows ?? [...new Set(entries.map(([source]) => source))].sort((a, b) => (a === "") - (b === ""));
  const across = columns ?? [...new Set(entries.map(([, target]) => target))];
  const most = entries.reduce((m, [, , value]) => Math.max(m, Math.abs(value)), 1);
  const values = new Map(entries.map(([source, target, value]) => [`${source}>${target}`, value]));
  const holder = h("div", { class: "ptf-matrix-holder" });
  const link = (key, on) => {
    for (const one of holder.querySelectorAll("[data-entry]")) one.classList.toggle("ptf-linked", on && one.dataset.entry === key);
    point?.(on);
  };
  const linked = (key) => ({ "data-entry": key, onpointerenter: () => link(key, true), onpointerleave: () => link(key, false) });
  const shown = [down.slice(0, MOST), across.slice(0, MOST)];
  const cut = down.length > MOST || across.length > MOST;
  fill(
    holder,
    scroller(
      "matrix",
      h(
        "table",
        { class: "ptf-matrix" },
        h("thead", {}, h("tr", {}, h("td", { class: "ptf-muted" }, vector ? "" : "from ↓ to →"), shown[1].map((name) => h("th", { scope: "col" }, h("span", {}, name))))),
        h(
          "tbody",
          {},
          shown[0].map((source) =>
            h("tr", {}, h("th", { scope: "row" }, vector ? "" : source || "always"), shown[1].map((target) => number(values.get(`${source}>${target}`) ?? 0, most, linked(`${source}>${target}`), edit && ((value) => edit(source, target, value))))),
          ),
        ),
      ),
    ),
    cut ? h("p", { class: "ptf-muted" }, `${down.length} × ${across.length} in all; the first ${MOST} are shown.`) : null,
    h("p", { class: "ptf-notation", role: "group", tabindex: "0", "aria-label": "the matrix in notation", "data-testid": "notation" }, notation(entries, linked, vector)),
  );
  return holder;
}

function number(value, most, attributes, edit) {
  const style = value ? `background:${tint(value, most)};color:var(--ptf-on-tint)` : "";
  if (!edit) return h("td", { ...attributes, style, class: value ? "" : "ptf-zero" }, short(value));
  const input = h("input", {
    value: String(value),
    inputmode: "decimal",
    "aria-label": attributes["data-entry"],
    onchange: (event) => Number.isFinite(Number(event.target.value)) && edit(Number(event.target.value)),
    onkeydown: (event) => event.stopPropagation(),
  });
  return h("td", { ...attributes, style, class: value ? "" : "ptf-zero" }, input);
}

function notation(entries, linked, vector) {
  const shown = entries.filter(([, , value]) => value).slice(0, 200);
  if (!shown.length) return "0";
  return shown.flatMap(([source, target, value], place) => [
    place ? (vector ? " " : ", ") : null,
    h("code", linked(`${source}>${target}`), source && !vector ? [`${showTerm(source, exact(value)).replace(/^\+/, "")}>`, h("wbr"), target] : showTerm(target, exact(value))), // a long one goes on below between its names
  ]);
}

/** What is wrong with a notation, below the place where it is, and what is perhaps meant. */
function misread({ text, headline, label, help, start, end, mend }, write) {
  const caret = `${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`;
  const said = mend ? h("button", { class: "ptf-button", "data-testid": "mend", onclick: () => write(text.slice(0, start) + mend + text.slice(end)) }, `write ${mend}`) : help ? h("span", { class: "ptf-muted" }, " (", marked(help), ")") : null;
  return h("div", { class: "ptf-problem ptf-error" }, h("pre", { class: "ptf-mono ptf-caret", "aria-hidden": "true" }, `${text}\n${caret}`), h("span", {}, marked(headline), label ? h("span", { class: "ptf-muted" }, " — ", marked(label)) : null), said, h("div", { class: "ptf-muted" }, "shown: the matrix before this mistake"));
}

/** A matrix or vector by itself: `data` has rows, columns, entries, text, problem. */
export function matrixView(data, host) {
  const body = h("div", { class: "ptf-card" });
  const area = h("div");
  const problem = h("div", { class: "ptf-problems", "aria-live": "polite", "data-testid": "problems" });
  const text = h("input", {
    class: "ptf-input ptf-mono",
    "aria-label": "notation",
    "data-testid": "matrix-text",
    spellcheck: "false",
    readonly: !host,
    oninput: () => write(text.value),
    onkeydown: (event) => event.stopPropagation(),
  });
  const write = (written) => {
    if (!host) return;
    text.value = written;
    host.send({ type: "text", text: written });
    late();
  };
  const { late, settled } = awaiting(body, problem, host);
  const show = (next) => {
    if (document.activeElement === text && next.text !== text.value) return; // of what stood there before
    settled(Boolean(next.problem));
    if (next.problem) fill(problem, misread(next.problem, write));
    if (document.activeElement !== text) text.value = next.text;
    const edit = host && ((source, target, value) => host.send({ type: "cell", source, target, value }));
    fill(area, grid(next.entries, { rows: next.rows, columns: next.columns, edit, vector: next.vector }));
  };
  show(data);
  host?.receive(show);
  body.append(h("label", { class: "ptf-label" }, "notation", text), problem, area);
  return body;
}
