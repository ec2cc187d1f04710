// A glossary: every seme of a program, who writes it and who reads it.

import { fill, h, scroller } from "./dom.js";
import { isWritten } from "./run.js";

const MOST = 60; // rows that are shown
const FEW = 6; // places that are listed

/** seme -> {writes, reads}: maps of a place to its line, as "noun_phrase / colour". */
export function glossary(program) {
  const found = new Map(program.names.slice(0, program.semes).map((name) => [name, { writes: new Map(), reads: new Map() }]));
  const put = (way, place, line) => (name) => found.get(name)?.[way].set(place, line ?? null);
  const read = (form, place, line) => Object.keys(form[0]).forEach(put("reads", place, line));
  const write = (weights, place, line) => Object.entries(weights).forEach(([name, value]) => value && put("writes", place, line)(name));
  const dense = (columns, place, line) => {
    for (const [name, form] of Object.entries(columns)) {
      read(form, place, line);
      if (form[1] || Object.keys(form[0]).length) put("writes", place, line)(name);
    }
  };
  const words = [...Object.values(program.lexicon), ...Object.values(program.cut ?? {}).flatMap(({ vectors = [] }) => vectors)];
  for (const vector of [...words, program.unknown ?? {}]) write(vector, "lexicon");
  if (program.cell) for (const part of ["input", "recurrent"]) dense(program.cell[part], `cell / ${part}`, program.cell.line);
  for (const stage of [...program.encoder, ...program.decoder]) {
    const name = stage.name || (stage.type === "dense" ? "dense" : "layer");
    if (stage.type === "dense") dense(stage.weights, name, stage.line);
    else ofLayer(stage, name, read, write);
  }
  for (const [token, form] of program.outputs) read(form, "output", null, token);
  for (const [, form] of program.classify?.classes ?? []) read(form, "classify");
  return found;
}

function ofLayer(stage, name, read, write) {
  for (const head of [...stage.heads, ...stage.cross]) {
    const place = `${name} / ${head.name}`;
    for (const { query, key } of head.features) [query, key].forEach((form) => read(form, place, head.line));
    for (const { filler, role, writes } of head.channels) {
      [filler, role].forEach((form) => read(form, place, head.line));
      write(writes, place, head.line);
    }
    write(head.bias, place, head.line);
  }
  if (!stage.feedforward) return;
  const { rules, units, bias } = stage.feedforward;
  const place = `${name} / rules`;
  for (const { violations, curve, writes, line } of rules) {
    read(violations, place, line);
    if (curve) read(curve.form, place, line);
    write(writes, place, line);
  }
  for (const { reads, writes } of units) {
    read(reads, place, stage.line);
    write(writes, place, stage.line);
  }
  write(bias, place, stage.line);
}

/** The glossary of a store's program, with a field to look for names. */
export function glossaryView(store) {
  let sought = "";
  const rows = h("tbody");
  const more = h("p", { class: "ptf-muted", role: "status" });
  const field = h("input", { class: "ptf-input ptf-mono ptf-filter", placeholder: "parts of names", spellcheck: "false", "aria-label": "look for semes by parts of their names", oninput: () => ((sought = field.value), draw()), onkeydown: (event) => event.key !== "Escape" && event.stopPropagation() });
  const draw = () => {
    if (!store.program) return fill(rows);
    const said = new Map(store.names.map((one) => [one.name, one]));
    const parts = sought.split(/[\s,]+/).filter(Boolean);
    const all = [...glossary(store.program)].filter(([name]) => isWritten(name) && (!parts.length || parts.some((part) => name.includes(part))));
    table.classList.toggle("ptf-unexplained", !all.slice(0, MOST).some(([name]) => said.get(name)?.meaning));
    fill(rows, all.slice(0, MOST).map(([name, found]) => row(store, name, said.get(name), found)));
    more.textContent = `${Math.min(all.length, MOST)} of ${all.length} semes`;
    return null;
  };
  const heads = ["seme", "means", "is", "written by", "read by"].map((name) => h("th", { scope: "col" }, name));
  const table = h("table", { class: "ptf-glossary" }, h("thead", {}, h("tr", {}, heads)), rows);
  let { program } = store;
  store.on("run", () => {
    if (program !== store.program) draw();
    ({ program } = store);
  });
  draw();
  return h("div", { "data-testid": "glossary" }, h("div", { class: "ptf-controls" }, field, more), scroller("semes", table));
}

function row(store, name, said, { writes, reads }) {
  const about = said ? [said.about.replace(/^seme: /, ""), " ", link(store, `line ${said.line}`, said.line)] : "made by the program";
  return h("tr", {}, h("th", { scope: "row" }, h("code", {}, name)), h("td", {}, said?.meaning ?? ""), h("td", { class: "ptf-muted" }, about), h("td", {}, places(store, writes, "nobody")), h("td", {}, places(store, reads, "nobody")));
}

function places(store, found, none) {
  if (!found.size) return h("span", { class: "ptf-muted" }, none);
  const shown = [...found].slice(0, FEW).map(([place, line], number) => [number ? ", " : "", link(store, place, line)]);
  return [shown, found.size > FEW ? h("span", { class: "ptf-muted" }, ` and ${found.size - FEW} more`) : null].flat(2);
}

function link(store, label, line) {
  return line ? h("button", { class: "ptf-link", title: `line ${line}`, onclick: () => store.emit("go", line) }, label) : label;
}
