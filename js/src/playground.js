// A program, its input, and everything that follows from them.

import { attentionView } from "./attention.js";
import { clocksView } from "./clocks.js";
import { fill, freshId, h, short } from "./dom.js";
import { editorView } from "./editor.js";
import { mapsView } from "./matrix.js";
import { residualView } from "./residual.js";
import { Store } from "./store.js";

const WAIT = 60;

/**
 * A figure of some panels.
 * @param data what progtf.views.playground gives: program, text, problems, names, input, panels
 * @param host `send` and `receive` reach Python; missing in an exported page
 */
export function playground(data, host, root) {
  const store = new Store(data);
  store.root = root;
  const analyse = host && debounced(store, host);
  const panels = new Set(data.panels);
  const views = [];
  const tools = [];
  if (panels.has("editor")) {
    const editor = editorView(store, analyse);
    tools.push(...toolbar(store, editor, Boolean(analyse)));
    views.push(card("program", editor.element, "ptf-area-program", tools));
  }
  const reading = h("div", { class: "ptf-area-reading" });
  if (panels.has("input")) reading.append(inputView(store, analyse));
  if (panels.has("residual")) reading.append(card("residual stream", residualView(store), "", [], "what each part adds, in semes"));
  if (reading.childNodes.length) views.push(reading);
  const below = h("div", { class: "ptf-area-below" });
  if (panels.has("attention") && (hasHeads(data.program) || panels.size === 1)) below.append(card("attention", attentionView(store), "ptf-grow"));
  if (panels.has("clocks") && (data.program?.clocks.length || panels.size === 1)) below.append(card("clocks", clocksView(store), "ptf-grow", [], "drag a hand"));
  if (panels.has("matrices")) below.append(folded("matrices", mapsView(store)));
  const layout = h("div", { class: panels.has("editor") ? "ptf-layout" : "ptf-layout ptf-plain" }, views);
  store.on("point", ({ position }) => {
    for (const one of root.querySelectorAll("[data-pos]")) one.classList.toggle("ptf-linked", position !== null && one.dataset.pos === String(position));
  });
  const stale = () => root.classList.toggle("ptf-stale", store.stale);
  store.on("run", stale);
  store.on("problems", stale);
  stale();
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.token !== null) store.lock(store.token);
  });
  store.on("token", () => {
    for (const one of root.querySelectorAll("[data-pos]")) one.classList.toggle("ptf-locked", store.token !== null && one.dataset.pos === String(store.token));
  });
  host?.receive((message) => receive(store, message));
  root.append(layout, below.childNodes.length ? below : "");
  return store;
}

function hasHeads(program) {
  return [...(program?.encoder ?? []), ...(program?.decoder ?? [])].some((stage) => stage.heads?.length || stage.cross?.length);
}

function card(title, body, name = "", tools = [], about = "") {
  const id = freshId("card");
  return h(
    "section",
    { class: `ptf-card ${name}`, "aria-labelledby": id },
    h("header", {}, h("h3", { id }, title), about ? h("span", { class: "ptf-muted" }, about) : null, h("span", { class: "ptf-tools" }, tools)),
    body,
  );
}

function folded(title, body) {
  return h("details", { class: "ptf-card ptf-fold" }, h("summary", {}, title), body);
}

function toolbar(store, editor, live) {
  const copy = async (event) => {
    const button = event.currentTarget;
    try {
      await navigator.clipboard.writeText(editor.text());
      button.textContent = "copied";
    } catch {
      button.textContent = "not allowed here";
    }
    setTimeout(() => (button.textContent = "copy"), 1500);
  };
  const button = (label, title, onclick) => h("button", { class: "ptf-button", title, onclick }, label);
  return [
    live ? button("undo", "undo the last change", editor.undo) : h("span", { class: "ptf-muted" }, "read only"),
    live ? button("reset", "the program as it was", editor.reset) : null,
    button("copy", "copy as .seme", copy),
  ];
}

function inputView(store, analyse) {
  const answer = h("output", { class: "ptf-answer", "aria-live": "polite", "data-testid": "answer" });
  const field = h("input", {
    class: "ptf-input ptf-mono",
    value: store.input,
    spellcheck: "false",
    "aria-label": "input",
    "data-testid": "input",
    oninput: () => {
      store.setInput(field.value);
      if (store.program?.cut && !Object.hasOwn(store.program.cut, field.value)) analyse?.(store.text);
    },
    onkeydown: (event) => event.key !== "Escape" && event.stopPropagation(),
  });
  const examples = h("div", { class: "ptf-examples" });
  const pick = (input) => {
    field.value = input;
    store.setInput(input);
  };
  const draw = () => {
    const texts = [...new Set(store.program?.examples.map((one) => one.input) ?? [])].slice(0, 8);
    fill(examples, texts.map((text) => h("button", { class: "ptf-example", "aria-pressed": String(text === store.input), title: text, onclick: () => pick(text) }, text)));
    fill(answer, store.inputError ? h("span", { class: "ptf-error-text" }, store.inputError) : said(store));
  };
  store.on("run", draw);
  draw();
  return h("section", { class: "ptf-card" }, h("label", { class: "ptf-label" }, h("h3", {}, "input"), field), examples, answer);
}

/** The answer, unless it is the residual itself, which has a picture of its own. */
function said({ program, run }) {
  if (!run) return null;
  const answers = program.classify || program.outputs.length;
  if (!answers) return null;
  const { scores } = run.answer;
  const most = scores && Math.max(...Object.values(scores));
  return [
    h("span", { class: "ptf-muted" }, "answers "),
    h("b", {}, run.answer.text || "(nothing)"),
    scores
      ? h("span", { class: "ptf-scores" }, Object.entries(scores).map(([label, score]) => h("span", { class: score === most ? "" : "ptf-muted" }, `${label} ${short(score)}`)))
      : null,
  ];
}

/** Sends texts to Python when typing pauses; answers to older texts are dropped. */
function debounced(store, host) {
  let timer = null;
  store.sent = 0;
  return (text) => {
    clearTimeout(timer);
    store.edited = performance.now();
    timer = setTimeout(() => host.send({ type: "examine", id: ++store.sent, text, input: store.input }), WAIT);
  };
}

function receive(store, message) {
  if (message.type !== "examined" || message.id !== store.sent) return;
  const heard = performance.now();
  store.setAnalysis(message.data);
  const drawn = performance.now();
  const since = (moment) => (moment - store.edited).toFixed(1);
  Object.assign(store.root.dataset, { redrawn: String(message.id), heard: since(heard), took: since(drawn) });
}
