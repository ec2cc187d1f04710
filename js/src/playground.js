// A program, its input, and everything that follows from them.

import { attentionView } from "./attention.js";
import { changesView } from "./changes.js";
import { shownToken } from "./chips.js";
import { clocksView } from "./clocks.js";
import { compareView } from "./compare.js";
import { fill, freshId, h, marked } from "./dom.js";
import { short } from "./numbers.js";
import { editorView } from "./editor.js";
import { glossaryView } from "./glossary.js";
import { keep, kept, save } from "./kept.js";
import { copier, linkTools } from "./link.js";
import { mapsOf, mapsView } from "./matrix.js";
import { residualView } from "./residual.js";
import { roundsView } from "./rounds.js";
import { stepsView } from "./steps.js";
import { Store } from "./store.js";
import { tabsView } from "./tabs.js";
import { taskView } from "./task.js";
import { term } from "./terms.js";

const WAIT = 30; // ms after the last key until a text is sent
const LATE = 150; // ms until it is said that something is being computed
const LOST = 30_000; // ms until it is said that nothing may come; Python gives up before
const UP = 0.5; // of a seme that is a reason
const MOST_EXAMPLES = 8;
const MOST_REASONS = 8;
const MOST_SCORES = 12; // of classes
const MANY = 20; // semes
const MOST_BESIDE = 4; // columns of the residual stream that fit beside the program

/**
 * A figure of some panels.
 * @param data what progtf.views.figure gives: program, text, problems, names, input, panels; of a task, `task` as well
 * @param host `keep` is told what is edited, `send` of a first edit to come, `receive` brings what
 *   Python found, `links` are as in link.js, `lost` tells that nobody is there any more, `waiting` says why nothing came yet; missing where there is no Python
 */
export function playground(data, host, root) {
  const store = new Store(data);
  store.root = root;
  const analyse = host && debounced(store, host);
  if (data.task) root.append(taskView(store, data.task));
  root.append(...arranged(store, data, analyse));
  store.on("point", ({ position }) => mark(root, "ptf-linked", position));
  store.on("token", () => mark(root, "ptf-locked", store.token));
  const stale = () => root.classList.toggle("ptf-stale", store.stale);
  const before = () => {
    root.classList.toggle("ptf-before", !store.judged);
    root.classList.toggle("ptf-untried", !store.judged && store.stale);
  };
  for (const news of ["run", "problems", "waiting"]) store.on(news, stale);
  for (const news of ["run", "problems", "waiting", "text", "examples"]) store.on(news, before);
  stale();
  before();
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.token !== null) store.lock(store.token);
  });
  host?.receive((found) => receive(store, found));
  host?.lost?.(() => store.waiting && store.setWaiting(host.waiting()));
  if (store.text !== store.source) analyse?.(store.text);
  return store;
}

/** Marks whatever belongs to a token, in all panels. */
function mark(root, name, position) {
  for (const one of root.querySelectorAll("[data-pos]")) one.classList.toggle(name, position !== null && one.dataset.pos === String(position));
}

/** The panels: program, input, residual stream and attention on one screen, the others below; a wide table gets all the width. */
function arranged(store, { panels: names, program, unchanged }, analyse) {
  const panels = new Set(names);
  const edits = panels.has("editor");
  const heads = hasHeads(program);
  const alone = panels.size === 1;
  const open = edits && !heads && program && mapsOf(program).length;
  const wide = columns(store) > MOST_BESIDE;
  const small = edits && !wide && (program?.semes ?? 0) <= MANY && store.run?.steps.some(({ parts }) => parts.length);
  const [title, about] = stream(store, program?.kind);
  const make = {
    input: () => inputView(store, analyse, !edits),
    residual: () => card(title, about, residualView(store), "", [filter(store)]),
    attention: () => (heads || alone ? card(term(store, "head", "attention"), "who reads from whom", attentionView(store)) : null),
    clocks: () => (program?.clocks.length || alone ? card(term(store, "clock", "clocks"), "drag a hand", clocksView(store)) : null),
    steps: () => (small ? folded("reading in steps", () => stepsView(store), "ptf-walked", true) : later("reading in steps", stepsView)),
    compare: () => later("two inputs", compareView),
    matrices: () => (open ? card("matrices", "numbers and notation", mapsView(store)) : folded("matrices", () => mapsView(store))),
    glossary: () => later("glossary of semes", glossaryView),
  };
  const later = (name, view) => (edits ? folded(name, () => view(store)) : card(name, "", view(store)));
  const made = new Map(); // of a panel its element
  const built = (chosen) => {
    for (const name of chosen.filter((one) => one in make && panels.has(one))) made.set(name, make[name]());
    return chosen.map((name) => made.get(name)).filter(Boolean);
  };
  if (!edits) return [h("div", { class: "ptf-layout ptf-plain" }, built(names))];
  store.beside = !alone;
  made.set("editor", programView(store, analyse, unchanged));
  if (alone) return [h("div", { class: "ptf-layout ptf-plain" }, made.get("editor"))];
  const beside = ["input", wide ? null : "residual", "attention", open ? "matrices" : null];
  const whole = wide ? ["residual"] : [];
  const rest = Object.keys(make).filter((name) => ![...beside, ...whole].includes(name));
  const layout = h("div", { class: wide ? "ptf-layout ptf-wide" : "ptf-layout" }, made.get("editor"), h("div", { class: "ptf-area-reading" }, built(beside)), built(whole));
  const below = h("div", { class: "ptf-area-below" }, built(rest));
  const tabs = tabsView(store, [["program", "editor"], [STREAMS[program?.kind]?.[0] ?? "residual", "residual"], ["attention", "attention"], ["clocks", "clocks"], ["steps", "steps"], ["more", "compare", "matrices", "glossary"]].map(([name, ...parts]) => [name, parts.map((part) => made.get(part)).filter(Boolean)]));
  return [h("div", { class: "ptf-figure" }, tabs, layout, below.childElementCount ? below : null)];
}

/** The program; `unchanged` says why nobody can change it. */
function programView(store, analyse, unchanged) {
  const editor = editorView(store, analyse, status(store));
  editor.element.addEventListener("focusin", () => analyse?.soon(), { once: true });
  const why = unchanged ? h("p", { class: "ptf-small", "data-testid": "read-only" }, marked(unchanged)) : null;
  return card("program", "", analyse ? [editor.element, changesView(store)] : [why, editor.element], "ptf-area-program", [...toolbar(store, editor, Boolean(analyse), unchanged), ...linkTools(store, analyse?.links)]);
}

/** How many columns the widest table of the residual stream has. */
function columns({ run }) {
  const stacks = run?.steps.map((step) => step.stack) ?? [];
  return 1 + Math.max(0, ...stacks.map((stack) => stacks.filter((other) => other === stack).length));
}

function hasHeads(program) {
  return [...(program?.encoder ?? []), ...(program?.decoder ?? [])].some((stage) => stage.heads?.length || stage.cross?.length);
}

/** Says when an answer takes its time, and of what the picture is that stays. */
function status(store) {
  const said = h("span", { class: "ptf-status", role: "status", "data-testid": "status" }, store.said);
  for (const news of ["run", "problems", "waiting"]) store.on(news, () => (said.textContent = store.said));
  return said;
}

/** A field that leaves only some semes; programs with few semes need none. */
function filter(store) {
  if (!store.only && (store.program?.semes ?? 0) <= MANY) return "";
  return h("input", {
    class: "ptf-input ptf-mono ptf-filter",
    value: store.only,
    placeholder: "only: parts of names",
    spellcheck: "false",
    "aria-label": "show only semes with these parts in their names",
    "data-testid": "only",
    oninput: (event) => store.setOnly(event.target.value),
    onkeydown: (event) => event.key !== "Escape" && event.stopPropagation(),
  });
}

const STREAMS = { rnn: ["state", "after each word"], dense: ["vectors", "before and after each layer"] };

/** What the table of vectors is: only layers that add to a residual stream have one. */
function stream(store, kind) {
  return STREAMS[kind] ?? [term(store, "residual", "residual stream"), "what each part adds, in semes"];
}

function card(title, about, body, name = "", tools = []) {
  const id = freshId("card");
  return h(
    "section",
    { class: `ptf-card ${name}`, "aria-labelledby": id },
    h("header", {}, h("h3", { id }, title), about ? h("span", { class: "ptf-muted" }, about) : null, h("span", { class: "ptf-tools" }, tools)),
    body,
  );
}

/** A panel that is made when somebody opens it, or is open from the beginning. */
function folded(title, make, name = "", open = false) {
  const details = h("details", { class: `ptf-card ptf-fold ${name}`, open }, h("summary", {}, title));
  if (open) details.append(make());
  else details.addEventListener("toggle", () => details.append(make()), { once: true });
  return details;
}

function toolbar(store, editor, live, unchanged) {
  const button = (label, title, onclick) => h("button", { class: "ptf-button", title, onclick }, label);
  return [
    button("find", "search in the program (Ctrl+F)", editor.find),
    live ? button("undo", "undo the last change", editor.undo) : unchanged ? null : h("span", { class: "ptf-muted" }, "read only"),
    live ? button("reset", "the program as it was", editor.reset) : null,
    button("copy", "copy as .seme", copier("copy", () => editor.text())),
    button("save", "save as a .seme file", () => save(store, editor.text())),
    live ? broughtBack(store, editor) : null,
  ];
}

/** An edit of an earlier visit, where this browser has kept one. */
function broughtBack(store, editor) {
  const text = kept(store);
  if (text === null) return null;
  const button = h("button", { class: "ptf-button", title: "what you last wrote here", "data-testid": "my-edit", onclick: () => (editor.write(text), button.remove()) }, "my last edit");
  return button;
}

function inputView(store, analyse, alone) {
  const answer = h("output", { class: "ptf-answer", "aria-live": "polite", "data-testid": "answer" });
  const field = h("input", {
    class: "ptf-input ptf-mono",
    value: store.input,
    spellcheck: "false",
    "aria-label": "input",
    "data-testid": "input",
    oninput: () => {
      store.setInput(field.value);
      analyse?.note();
      if (store.program?.cut && !Object.hasOwn(store.program.cut, field.value)) analyse?.(store.text);
    },
    onkeydown: (event) => event.key !== "Escape" && event.stopPropagation(),
  });
  const examples = h("div", { class: "ptf-examples" });
  const pick = (input) => {
    field.value = input;
    store.setInput(input);
    analyse?.note();
  };
  const draw = () => {
    const all = [...new Set(store.program?.examples.map((one) => one.input) ?? [])];
    const texts = all.slice(0, MOST_EXAMPLES);
    const more = texts.length < all.length;
    const count = all.length > 1 ? h("span", { class: `ptf-muted ptf-small ${more ? "" : "ptf-count"}` }, `${more ? `${texts.length} of ` : ""}${all.length} examples`) : null;
    fill(examples, count, texts.map((text) => h("button", { class: "ptf-example", "aria-pressed": String(text === store.input), title: text, onclick: () => pick(text) }, text)));
    fill(answer, store.inputError ? h("span", { class: "ptf-error-text" }, marked(store.inputError)) : [said(store), because(store)]);
  };
  store.on("run", draw);
  draw();
  const id = freshId("card");
  return h("section", { class: "ptf-card ptf-area-input", "aria-labelledby": id }, h("label", { class: "ptf-label" }, h("h3", { id }, "input"), field), examples, answer, roundsView(store), alone ? status(store) : null);
}

/** The answer, unless it is the residual itself, which has a picture of its own. */
function said({ program, run }) {
  if (!run) return null;
  const answers = program.classify || program.outputs.length;
  if (!answers) return null;
  const { scores, error } = run.answer;
  const most = scores && Math.max(...Object.values(scores));
  const ranked = Object.entries(scores ?? {});
  const left = ranked.length - MOST_SCORES;
  if (left > 0) ranked.sort(([, one], [, two]) => two - one).splice(MOST_SCORES);
  return [
    h("span", { class: "ptf-muted" }, "answers "),
    h("b", {}, run.answer.text || "(nothing)"),
    error ? h("span", { class: "ptf-error-text" }, " ", marked(error)) : null,
    scores
      ? h("span", { class: "ptf-scores" }, ranked.map(([label, score]) => h("span", { class: score === most ? "" : "ptf-muted" }, `${label} ${short(score)}`)), left > 0 ? h("span", { class: "ptf-muted" }, `and ${left} more`) : null)
      : null,
  ];
}

/** Where a class was decided by semes of single words: which ones, and where. */
function because(store) {
  const { program, run } = store;
  if (!run || !["max", "sum"].includes(program.classify?.pool)) return null;
  const read = new Set(program.classify.classes.flatMap(([, [coefficients]]) => Object.keys(coefficients)));
  const { tokens, rows } = run.steps.at(-1);
  const found = rows.flatMap((row, position) => Object.entries(row).filter(([name, value]) => read.has(name) && value > UP).map(([name]) => [name, position]));
  const reason = ([name, position]) =>
    h("button", { class: "ptf-example ptf-reason", title: "lock this word", onclick: () => store.lock(position), onpointerenter: () => store.point(position), onpointerleave: () => store.point(null) }, h("b", {}, shownToken(tokens[position])), ` ${name}`);
  return found.length ? h("span", { class: "ptf-reasons", "data-testid": "because" }, h("span", { class: "ptf-muted" }, "because of "), found.slice(0, MOST_REASONS).map(reason), found.length > MOST_REASONS ? ` and ${found.length - MOST_REASONS} more` : null) : null;
}

/** Tells Python of texts when typing pauses; answers to older texts are dropped. */
function debounced(store, host) {
  let timer = null;
  store.asked = 0;
  store.late = [];
  const note = () => host.keep({ id: store.asked, text: store.text, input: store.input });
  const analyse = () => {
    store.asked = Math.max(store.asked + 1, Date.now()); // a number that no other view of this figure has
    clearTimeout(timer);
    store.root.setAttribute("aria-busy", "true");
    timer = setTimeout(() => {
      note();
      keep(store);
      store.late.forEach(clearTimeout);
      store.late = [setTimeout(() => store.setWaiting(host.waiting?.() ?? "computing …"), LATE), setTimeout(() => store.setWaiting(host.waiting?.() ?? "no answer yet: is the kernel busy?"), LOST)];
    }, WAIT);
  };
  return Object.assign(analyse, { note, links: host.links, soon: () => host.send({ type: "soon" }) });
}

function receive(store, found) {
  if (found.asked !== store.asked) return;
  store.late.forEach(clearTimeout);
  if (store.waiting) store.setWaiting("");
  store.setAnalysis(found);
  store.root.setAttribute("aria-busy", "false");
  store.root.dataset.redrawn = String(found.asked);
}
