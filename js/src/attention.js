// Attention: all heads small, one large; hover or arrow keys show the arithmetic of a score.

import { products, writes } from "./arithmetic.js";
import { fill, freshId, h } from "./dom.js";
import { short } from "./numbers.js";
import { term } from "./terms.js";
import { shownToken } from "./chips.js";
import { brokenOf, showVector } from "./run.js";
import { describedHead } from "./store.js";

const MODES = { pattern: "pattern", score: "score", value: "value-weighted" };
const COLOURS = ["blocked", "empty", "rest", "negative", "positive"];
const SMALL = 64;
const MOST = 60;
const LARGE = [420, 46, 9]; // pixels: the picture, its cells, and the smallest of them
const SCREEN = { least: 110, others: 300, share: 0.5, around: 150 }; // pixels beside other panels: of the height of a window

/** The heads of the store's run. */
export function attentionView(store) {
  const state = { mode: "pattern", cell: null, locked: false };
  const grid = h("div", { class: "ptf-heads", role: "listbox", "aria-label": "heads", "data-testid": "heads" });
  const large = h("div", { class: "ptf-large" });
  const words = h("div", { class: "ptf-arithmetic", "aria-live": "polite", "data-testid": "arithmetic" });
  const beside = h("div", { class: "ptf-beside" });
  const element = h("div", { class: "ptf-attention", "data-testid": "attention" }, grid, large, beside);
  const draw = () => {
    const head = store.heads?.find((one) => one.id === store.head);
    if (!head) return fill(element, h("p", { class: "ptf-muted" }, store.missing || "This program has no attention."));
    if (!grid.isConnected) fill(element, grid, large, beside);
    fill(grid, store.heads.slice(0, MOST).map((one) => thumb(store, one, one.id === head.id)), more(store.heads.length - MOST));
    grid.hidden = store.heads.length < 2;
    fill(large, controls(store, head, state, draw));
    const { scrolled, settle } = map(store, head, state, words);
    const kept = beside.dataset.head === head.id ? beside.firstElementChild?.scrollLeft : null;
    beside.dataset.head = beside.isConnected ? head.id : "";
    fill(beside, scrolled, words);
    settle();
    const { offsetTop, offsetHeight } = grid.querySelector("[aria-selected=true]") ?? grid;
    if (offsetTop + offsetHeight > grid.offsetTop + grid.scrollTop + grid.clientHeight) grid.scrollTop = offsetTop - grid.offsetTop;
    if (kept) scrolled.scrollLeft = kept;
    explain(store, head, state.cell, words);
    return null;
  };
  for (const news of ["run", "head", "theme"]) store.on(news, draw);
  draw();
  return element;
}

function more(count) {
  return count > 0 ? h("span", { class: "ptf-muted" }, `and ${count} more`) : null;
}

function thumb(store, head, chosen) {
  const canvas = h("canvas", { width: SMALL * 2, height: SMALL * 2, "aria-hidden": "true" });
  paint(canvas, head, table(head, "pattern"), SMALL, store.root);
  const label = `${head.title} / ${head.name}`;
  return h(
    "button",
    { class: "ptf-thumb", role: "option", "aria-selected": String(chosen), title: label, onclick: () => store.choose(head.id) },
    canvas,
    h("span", {}, h("span", { class: "ptf-muted" }, head.title), h("br"), head.name),
  );
}

function controls(store, head, state, draw) {
  const name = freshId("mode");
  const radio = ([mode, label]) =>
    h(
      "label",
      {},
      h("input", { type: "radio", name, value: mode, checked: state.mode === mode, onchange: () => ((state.mode = mode), draw()) }),
      label,
    );
  const on = !store.off.has(head.base);
  return h(
    "div",
    { class: "ptf-controls" },
    h("strong", {}, `${head.title} / ${head.name}`),
    h("span", { class: "ptf-segments", role: "radiogroup", "aria-label": "what the map shows" }, Object.entries(MODES).map(radio)),
    h("label", { class: "ptf-switch" }, h("input", { type: "checkbox", checked: on, "data-testid": "head-on", onchange: () => store.toggle(head.base) }), "head is on"),
  );
}

/** The numbers of a map, the null key's column last where a head has one. */
export function table(head, mode) {
  const withRest = head.rest.some((value) => value > 0);
  switch (mode) {
    case "score":
      return { rows: head.scores ?? head.pattern, signed: true, rest: false };
    case "value":
      return { rows: head.pattern.map((row, dst) => row.map((share, src) => weight(head, dst, src, share))), signed: false, rest: false };
    default:
      return { rows: withRest ? head.pattern.map((row, dst) => [...row, head.rest[dst]]) : head.pattern, signed: false, rest: withRest };
  }
}

function weight(head, dst, src, share) {
  return share * Math.hypot(...head.fillers[src].map((filler, c) => filler * head.roles[dst][c]));
}

function largest(rows) {
  return rows.reduce((most, row) => row.reduce((m, v) => Math.max(m, Math.abs(v ?? 0)), most), 1e-9);
}

/** Cells as tints of zero; drawn at once, so that long inputs stay quick. */
export function paint(canvas, head, { rows, signed, rest }, size, root) {
  const context = canvas.getContext("2d");
  const style = getComputedStyle(root ?? document.body);
  const colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--ptf-${name}`).trim() || "#888"]));
  const columns = rows[0]?.length ?? 1;
  const [wide, high] = [canvas.width / columns, canvas.height / rows.length];
  const gap = Math.min(wide, high) > 14 ? 1.5 : 0;
  const most = signed ? largest(rows) : Math.max(1, largest(rows));
  context.clearRect(0, 0, canvas.width, canvas.height);
  rows.forEach((row, dst) =>
    row.forEach((value, src) => {
      context.globalAlpha = 1;
      context.fillStyle = colours[value === null ? "blocked" : "empty"];
      cell(context, src * wide + gap, dst * high + gap, wide - 2 * gap, high - 2 * gap);
      if (!value) return;
      context.globalAlpha = 0.1 + 0.9 * Math.min(1, Math.abs(value) / most);
      context.fillStyle = colours[rest && src === columns - 1 ? "rest" : value < 0 ? "negative" : "positive"];
      cell(context, src * wide + gap, dst * high + gap, wide - 2 * gap, high - 2 * gap);
    }),
  );
  context.globalAlpha = 1;
}

function cell(context, x, y, width, height) {
  if (Math.min(width, height) < 5) return context.fillRect(x, y, width, height); // no corner would be seen
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(4, width / 5));
  return context.fill();
}

/** How high a picture may be: beside other panels, on one screen with them. */
function room({ beside }) {
  const { least, others, share, around } = SCREEN;
  return beside ? Math.max(least, (innerHeight - others) * share - around) : Infinity;
}

function map(store, head, state, words) {
  const data = table(head, state.mode);
  const [down, across] = [data.rows.length, data.rows[0]?.length ?? 1];
  const [large, largestCell, least] = LARGE;
  const side = Math.max(least, Math.floor(Math.min(largestCell, large / Math.max(down, across), room(store) / down)));
  const sources = across - Number(data.rest); // "nothing" stays in sight, whatever is scrolled
  const picture = (rows, rest, name = "") => {
    const wide = rows[0]?.length ?? 1;
    const canvas = h("canvas", { class: name, width: wide * side * 2, height: down * side * 2, style: `width:${wide * side}px;height:${down * side}px` });
    paint(canvas, head, { ...data, rows, rest }, side, store.root);
    return canvas;
  };
  const canvas = picture(data.rest ? data.rows.map((row) => row.slice(0, -1)) : data.rows, false);
  const nothing = data.rest ? picture(data.rows.map((row) => row.slice(-1)), true, "ptf-stays") : null;
  const mark = h("div", { class: "ptf-mark", hidden: true });
  const place = () => {
    mark.hidden = !state.cell;
    if (!state.cell) return;
    const [dst, src] = state.cell;
    mark.style.cssText = `left:${src < sources ? src * side : nothing.offsetLeft}px;top:${dst * side}px;width:${side}px;height:${side}px`;
  };
  const pick = (at) => {
    state.cell = at;
    place();
    explain(store, head, at, words);
    store.point(at && head.stack === "encoder" ? at[0] : null, at ? describedHead(store.program, head)?.line : null);
  };
  const under = (event) => {
    const apart = event.target === nothing;
    const box = (apart ? nothing : canvas).getBoundingClientRect();
    const at = [Math.floor((event.clientY - box.top) / side), Math.floor((event.clientX - box.left) / side) + (apart ? sources : 0)];
    return at[0] >= 0 && at[0] < down && at[1] >= 0 && at[1] < across ? at : null;
  };
  const keys = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const board = h(
    "div",
    {
      class: "ptf-board",
      tabindex: "0",
      role: "application",
      "aria-label": `attention of ${head.name}: rows read, columns are read; arrow keys move`,
      "data-testid": "board",
      onpointermove: (event) => state.locked || pick(under(event)),
      onpointerleave: () => state.locked || pick(null),
      onclick: (event) => ((state.locked = !state.locked), pick(under(event))),
      onkeydown: (event) => {
        event.stopPropagation();
        if (event.key === "Escape") return (state.locked = false), pick(null);
        const step = keys[event.key];
        if (!step) return null;
        event.preventDefault();
        const [dst, src] = state.cell ?? [0, -step[1]];
        return pick([Math.max(0, Math.min(down - 1, dst + step[0])), Math.max(0, Math.min(across - 1, src + step[1]))]);
      },
    },
    canvas,
    nothing,
    mark,
  );
  const columns = [...head.src, ...(data.rest ? ["nothing"] : [])].map((token, src) =>
    h("span", { style: `width:${side}px;--ptf-side:${side}px`, "data-pos": head.source === "encoder" || head.stack === "encoder" ? src : null, class: data.rest && src === head.src.length ? "ptf-muted ptf-stays" : "" }, h("i", { class: token.length === 1 ? "ptf-upright" : "", title: token }, shownToken(token))),
  );
  const rows = head.dst.map((token, dst) => h("span", { style: `height:${side}px;--ptf-side:${side}px`, "data-pos": head.stack === "encoder" ? dst : null, title: token }, shownToken(token)));
  const scrolled = h(
    "div",
    { class: "ptf-map-scroll" },
    h("div", { class: "ptf-map" }, h("div", { class: "ptf-corner ptf-muted" }, "reads ↓ from →"), h("div", { class: "ptf-columns" }, columns), h("div", { class: "ptf-rows" }, rows), board),
  );
  return { scrolled, settle: () => (place(), inSight(scrolled, canvas, data.rows.map((row) => row.slice(0, sources)), side)) };
}

/** Scrolls to what is read most of all, where that is out of sight. */
function inSight(scrolled, canvas, rows, side) {
  const most = largest(rows);
  const at = rows.map((row) => row.findIndex((value) => Math.abs(value ?? 0) === most)).find((src) => src >= 0);
  const edge = canvas.getBoundingClientRect().left - scrolled.getBoundingClientRect().left + scrolled.scrollLeft;
  if (at !== undefined && (at + 1) * side > scrolled.clientWidth - edge - side) scrolled.scrollLeft = (at + 0.5) * side - (scrolled.clientWidth - edge) / 2;
}

/** The arithmetic of one cell, in the words of the notation. */
function explain(store, head, at, words) {
  if (!at || at[0] >= head.dst.length) {
    fill(words, h("span", { class: "ptf-muted" }, "Point at a cell to see how its score comes about."));
    return;
  }
  const [dst, src] = at;
  const described = describedHead(store.program, head);
  const reader = shownToken(head.dst[dst]);
  if (src >= head.src.length || !described) {
    const score = described?.null ? ` Its score is always ${short(described.null.score)}.` : "";
    fill(words, h("b", {}, reader), ` gives ${short(head.rest[dst])} to the `, term(store, "null key"), ", where a head rests that finds nothing.", score);
    return;
  }
  const source = shownToken(head.src[src]);
  const score = head.scores ? head.scores[dst][src] : null;
  if (score === null && head.scores) {
    fill(words, h("b", {}, reader), " may not look at ", h("b", {}, source), ": this head looks ", h("code", {}, described.look), ".");
    return;
  }
  const share = head.pattern[dst][src];
  const terms = products(described, head.query[dst], head.key[src]);
  const written = showVector([...writes(described, head, dst, src, share)], brokenOf(store.program));
  fill(
    words,
    h("b", {}, reader),
    " → ",
    h("b", {}, source),
    ": ",
    term(store, "score"),
    " = ",
    h("code", {}, terms.length ? terms.join(" + ") : "0"),
    terms.length > 1 && score !== null ? [" = ", h("code", {}, short(score))] : null,
    described.null ? [", the ", term(store, "null key"), " has ", h("code", {}, short(described.null.score))] : null,
    "; ",
    term(store, "share"),
    " ",
    h("code", {}, short(share)),
    share > 0 ? ["; brings ", h("code", {}, written)] : null,
  );
}
