// The residual stream: tokens down, layers across, and in each cell what was added and by whom.

import { chips, FEW, folded, semes, shownToken, whole } from "./chips.js";
import { fill, h, scroller } from "./dom.js";

const MOST_PARTS = 4;

/** A table for each stack of the store's run. */
export function residualView(store) {
  const body = scroller("residual stream");
  body.dataset.testid = "residual";
  const open = new Set();
  const draw = () => {
    const tables = (store.run ? stacks(store) : []).map((steps, place) => renewed(body.children[place], table(store, steps, open, draw)));
    if (tables.length && tables.length === body.children.length && tables.every((one, place) => one === body.children[place])) return;
    const kept = [body.scrollLeft, body.scrollTop];
    fill(body, tables.length ? tables : h("p", { class: "ptf-muted" }, store.run ? "No seme that is up has such a name." : store.missing));
    [body.scrollLeft, body.scrollTop] = kept;
  };
  let sought = false;
  store.on("theme", () => (sought ||= store.focus ? inSight(body) : wordInSight(store, body)));
  store.on("run", draw);
  store.on("token", draw);
  draw();
  return body;
}

/** The table that is there, with those rows anew that differ: to lay out what is large takes longest. */
function renewed(old, made) {
  if (old?.getAttribute("aria-label") !== made.getAttribute("aria-label") || old.rows.length !== made.rows.length) return made;
  [...made.rows].forEach((row, place) => {
    const before = old.rows[place];
    if (row.isEqualNode(before)) return;
    before.className = row.className;
    fill(before, [...row.childNodes]);
  });
  return old;
}

/** Scrolls to where the figure is to begin, once there is a page around it; says whether it could. */
function inSight(body) {
  const target = body.querySelector("[data-focus]");
  if (!body.clientWidth || !target) return false;
  const edge = target.closest("tr").firstElementChild;
  body.scrollTop = target.closest("table").offsetTop - body.offsetTop;
  body.scrollLeft = target === edge ? 0 : target.offsetLeft - edge.offsetWidth;
  return true;
}

/** Scrolls to the word that the chosen head reads, or that reads, where `<bos>` alone would be in sight; says whether there was a page. */
function wordInSight(store, body) {
  if (!body.clientHeight) return false;
  const rows = [...body.querySelectorAll("tr[data-pos]")];
  const head = store.heads?.find((one) => one.id === store.head);
  if (!head || rows.length < 2 || store.run.steps[0].tokens[0] !== "<bos>") return true;
  const shares = head.pattern.flatMap((row, dst) => row.map((share, src) => [dst, src, share]).filter(([, src, share]) => share && (head.source === "encoder" || src !== dst)));
  const [dst, src] = shares.sort(([, , one], [, , two]) => two - one)[0] ?? [1, 1];
  const row = rows[head.source === "encoder" ? src : dst];
  if (row && row.getBoundingClientRect().bottom > body.getBoundingClientRect().bottom) body.scrollTop += row.getBoundingClientRect().top - row.closest("table").tHead.getBoundingClientRect().bottom;
  return true;
}

/** The steps that are shown, for each stack; of those, the ones that say something of the semes asked for. */
export function stacks(store, only = store.only) {
  const { run } = store;
  const names = [...new Set(run.steps.map((step) => step.stack))];
  const shown = run.steps.filter(({ round }) => !round || round.number === store.lookedAt(round.loop));
  const tables = names.map((name) => shown.filter((step) => step.stack === name));
  return only.trim() ? tables.map((steps) => steps.filter((step) => says(store, step))).filter((steps) => steps.length) : tables;
}

/** Whether a step has anything to show of the semes that were asked for. */
function says(store, step) {
  const rows = (position) => (step.parts.length ? contributions(step, position).map(([, row]) => row) : [step.rows[position]]);
  return step.tokens.some((_, position) => rows(position).some((row) => semes(store, row).length));
}

/** Of very many rounds the first and the last ones. */
function fewer(steps) {
  return steps.length > 14 ? [...steps.slice(0, 9), null, ...steps.slice(-4)] : steps;
}

function table(store, steps, open, redraw) {
  const [{ stack, tokens }] = steps;
  const begin = store.run.steps.find((step) => step.stack === stack);
  const last = steps.at(-1);
  const title = store.program.decoder.length && store.program.encoder.length ? stack : null;
  return h(
    "table",
    { class: "ptf-residual", "aria-label": `residual stream of the ${stack}` },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col", "data-focus": stack === store.focus ? "" : null }, title ? h("b", {}, title) : "token"),
        fewer(steps).map((step, place) =>
          step ? h("th", { scope: "col", "data-focus": store.focus && [step.label, step.round?.loop].includes(store.focus) ? "" : null }, step.parts.length ? "+ " : "", breaking(step.label || "layer")) : h("th", { scope: "col" }, `… ${steps.length - 13} more`),
        ),
        last.parts.length ? h("th", { scope: "col" }, "= residual") : null,
      ),
    ),
    h(
      "tbody",
      {},
      tokens.map((token, position) => row(store, { stack, token, position, begin }, steps, open, redraw)),
    ),
  );
}

/** A name that may go on below behind each of its parts. */
function breaking(name) {
  return name.split(/(?<=[_.])/).flatMap((part, place) => (place ? [h("wbr"), part] : part));
}

function row(store, { stack, token, position, begin }, steps, open, redraw) {
  const locked = store.token === position && stack === "encoder";
  const point = (line) => () => store.point(stack === "encoder" ? position : null, line);
  const last = steps.at(-1);
  return h(
    "tr",
    { "data-pos": stack === "encoder" ? position : null, class: locked ? "ptf-locked" : "", onpointerenter: point(null), onpointerleave: () => store.point(null) },
    h(
      "th",
      { scope: "row" },
      h("button", { class: "ptf-token", "aria-pressed": String(locked), onclick: () => store.lock(position), title: `${typed(store, stack, position)}lock; Esc frees` }, shownToken(token)),
    ),
    fewer(steps).map((step, place) =>
      h("td", {}, !step ? "…" : step.parts.length ? parts(store, step, position, `${stack}/${place}/${position}`, open, redraw) : whole(store, step.rows[position], steps[place - 1]?.rows[position], `${stack}/${place}/${position}`, open, redraw)),
    ),
    last.parts.length
      ? h("td", { class: "ptf-sum" }, whole(store, last.rows[position], begin.rows[position], `${stack}/sum/${position}`, open, redraw))
      : null,
  );
}

/** Where a token stands in the text, and as what it was typed there. */
function typed(store, stack, position) {
  const place = stack === "encoder" ? store.run.places?.[position] : null;
  if (!place || place[0] === place[1]) return "";
  const [first, behind] = place;
  return `\u201c${[...store.run.input].slice(first, behind).join("")}\u201d, characters ${first + 1} to ${behind}; `;
}

/** What each part of a layer adds at a token. */
export function parts(store, step, position, key, open, redraw) {
  const found = contributions(step, position)
    .map(([part, row]) => [part, semes(store, row)])
    .filter(([, entries]) => entries.length);
  if (!found.length) return h("span", { class: "ptf-nothing", role: "img", "aria-label": "nothing added" }, "·");
  const shown = found.map(([part, entries]) =>
    h(
      "div",
      { class: "ptf-part", "data-line": part.line ?? null, onpointerenter: () => store.point(position, part.line) },
      h("span", { class: "ptf-part-name", title: `${part.kind} ${nameOf(store, part)}` }, h("span", { "aria-hidden": "true" }, part.kind === "head" ? "◉ " : "▸ "), nameOf(store, part)),
      chips(entries.slice(0, FEW)),
      entries.length > FEW ? h("span", { class: "ptf-muted" }, `and ${entries.length - FEW} more`) : null,
    ),
  );
  return folded(shown, MOST_PARTS, key, open, redraw);
}

/** What each head and each line of rules adds; one line may have become several rules that cancel. */
function contributions({ parts: all }, position) {
  const groups = new Map();
  for (const part of all) {
    const key = part.kind === "rule" && part.line ? part.line : part;
    if (!groups.has(key)) groups.set(key, [part, {}]);
    const [, row] = groups.get(key);
    for (const [seme, value] of Object.entries(part.rows[position])) row[seme] = (row[seme] ?? 0) + value;
  }
  return [...groups.values()];
}

/** A rule is called as its line of the program is written, without what it writes. */
function nameOf(store, part) {
  if (part.kind !== "rule" || !part.line) return part.name;
  const written = store.lineOf(part.line);
  return written.replace(/\s#.*$/, "").replace(/^[^:]*:/, "").trim() || part.name;
}
