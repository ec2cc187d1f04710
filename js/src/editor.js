// The program's text: CodeMirror with the compiler's messages, completion and declarations on hover.

import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, indentService, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, ViewPlugin, gutter, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completion, takeByTab } from "./completion.js";
import { fill, h, marked } from "./dom.js";
import { isLong, purposeOf, shortestHead } from "./opening.js";
import { blocksAround, explained } from "./terms.js";

const STYLES = {
  comment: tags.comment,
  string: tags.string,
  keyword: tags.keyword,
  option: tags.atom,
  number: tags.number,
  operator: tags.operator,
  token: tags.labelName,
  name: tags.variableName,
};

/** The notation, coloured by the rules that Python made from its grammar; a word begins a block only where it can. */
function language({ rules, blocks }) {
  const known = rules.map(([pattern, kind]) => [new RegExp(pattern, "uy"), kind]);
  const enter = (state, indent, word) => {
    const words = state.around.at(-1)?.words ?? blocks[""];
    const means = words.includes(word);
    state.around.push({ indent, words: word === "for" ? words : means ? (blocks[word] ?? []) : [] });
    return means;
  };
  return StreamLanguage.define({
    name: "seme",
    startState: () => ({ around: [] }), // the blocks around a line: how far in they are, and what may begin their lines
    token(stream, state) {
      const indent = stream.sol() && /^ *(?=[^\s#])/.exec(stream.string)?.[0].length;
      const word = Number.isInteger(indent) && /^[a-z][a-z0-9]*/.exec(stream.string.slice(indent))?.[0];
      if (word !== false) while (state.around.length && state.around.at(-1).indent >= indent) state.around.pop();
      const means = word !== false && enter(state, indent, word);
      for (const [pattern, kind] of known) {
        pattern.lastIndex = stream.pos;
        const found = pattern.exec(stream.string);
        if (found?.[0]) {
          stream.pos += found[0].length;
          return kind === "keyword" && word && !means && found[0].trim() === word ? "token" : kind;
        }
      }
      stream.next();
      return null;
    },
    copyState: ({ around }) => ({ around: [...around] }),
    tokenTable: STYLES,
    languageData: { commentTokens: { line: "#" } },
  });
}

const OPENS = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^#"'])*:\s*(?:#.*)?$/;

/** How far in a new line begins: as the one before it, or further where that ends in a colon. */
function indented(context, position) {
  if (context.simulatedBreak === null) return null;
  const { text } = context.lineAt(position, -1);
  return /^ */.exec(text)[0].length + (OPENS.test(text) ? context.unit : 0);
}

const style = HighlightStyle.define(
  Object.entries(STYLES).map(([kind, tag]) => ({ tag, color: `var(--ptf-code-${kind})`, fontWeight: kind === "keyword" ? "600" : null })),
);

const MOST_WRONG = 20;
const WORD = /[\p{L}_][\p{L}\p{N}_.]*/u;
const pointed = StateEffect.define();
const pointedLine = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) {
      if (!effect.is(pointed)) continue;
      const { doc } = change.state;
      if (!effect.value || effect.value > doc.lines) return Decoration.none;
      return Decoration.set([Decoration.line({ class: "ptf-pointed-line" }).range(doc.line(effect.value).from)]);
    }
    return marks.map(change.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Verdict extends GutterMarker {
  constructor(holds) {
    super();
    this.holds = holds;
  }
  eq(other) {
    return other.holds === this.holds;
  }
  toDOM() {
    const about = this.holds ? "this example holds" : "this example does not hold: what is found is told below";
    return h("span", { class: this.holds ? "ptf-holds" : "ptf-fails", title: about }, this.holds ? "✓" : "✗");
  }
}

const MARKS = { true: new Verdict(true), false: new Verdict(false) };
const judged = StateEffect.define();
const verdicts = StateField.define({
  create: () => RangeSet.empty,
  update(marks, change) {
    const news = change.effects.find((effect) => effect.is(judged));
    if (!news) return marks.map(change.changes);
    const { doc } = change.state;
    const lines = news.value.filter(({ line, holds }) => line && line <= doc.lines && holds !== null);
    return RangeSet.of(lines.map(({ line, holds }) => MARKS[holds].range(doc.line(line).from)), true);
  },
});

/** ✓ or ✗ beside every example; `open` is told where a mark was clicked. */
function gutterOfVerdicts(open) {
  const click = (view, block) => {
    let found = null;
    view.state.field(verdicts).between(block.from, block.to, (_, __, { holds }) => void (found = holds));
    if (found === false) open(view.state.doc.lineAt(block.from).number);
    return found === false;
  };
  return [verdicts, gutter({ class: "ptf-verdicts", markers: (view) => view.state.field(verdicts), initialSpacer: () => MARKS.true, domEventHandlers: { click } })];
}

/** How many examples hold, and of those that do not, what was expected and what was found. */
function verdictList(store, goTo) {
  const said = h("summary", {}, h("span", { role: "status", "data-testid": "examples" }));
  const rows = h("div");
  const list = h("details", { class: "ptf-verdict-list", hidden: true }, said, rows);
  const row = ({ input, output, found, line }) =>
    h(
      "div",
      { class: "ptf-problem ptf-error", "data-line": line, tabindex: "-1" },
      h("button", { class: "ptf-link", onclick: () => goTo(line), title: "go there" }, `line ${line}`),
      " ",
      h("code", {}, input),
      h("dl", {}, h("dt", {}, "expected"), h("dd", {}, h("code", {}, output)), h("dt", {}, "found"), h("dd", {}, h("code", {}, found))),
    );
  const draw = () => {
    const tried = store.verdicts.filter(({ holds }) => holds !== null);
    const untried = !store.judged && store.stale;
    const wrong = tried.filter(({ holds }) => !holds);
    list.hidden = !tried.length;
    list.classList.toggle("ptf-all-hold", !wrong.length);
    const why = store.failed ? ": the program has an error" : " yet";
    said.firstChild.textContent = untried ? `examples not tried${why}` : `${wrong.length ? "✗" : "✓"} ${tried.length - wrong.length} of ${tried.length} examples hold`;
    if (untried) return;
    rows.replaceChildren(...wrong.slice(0, MOST_WRONG).map(row));
    if (!wrong.length) list.open = false;
  };
  for (const news of ["examples", "problems", "waiting"]) store.on(news, draw);
  const open = (line) => {
    list.open = true;
    rows.querySelector(`[data-line="${line}"]`)?.focus();
  };
  return { list, open };
}

/** Long lines go on below, a little further in than they began. */
const hanging = ViewPlugin.define((view) => ({ decorations: indents(view), update: follow }), { decorations: (plugin) => plugin.decorations });

function follow(change) {
  if (change.docChanged || change.viewportChanged) this.decorations = indents(change.view);
}

function indents(view) {
  const marks = [];
  for (const { from, to } of view.visibleRanges) {
    for (let line = view.state.doc.lineAt(from); ; line = view.state.doc.line(line.number + 1)) {
      const depth = /^ */.exec(line.text)[0].length + 2;
      marks.push(Decoration.line({ attributes: { style: `padding-left:calc(6px + ${depth}ch);text-indent:-${depth}ch` } }).range(line.from));
      if (line.to >= to) break;
    }
  }
  return Decoration.set(marks);
}

/** The editor of a store's text above a `status`; `analyse` is told about every change, and is missing without Python. */
export function editorView(store, analyse, status) {
  const problems = h("div", { class: "ptf-problems", "aria-live": "polite", "data-testid": "problems" });
  const holder = h("div", { class: "ptf-editor", "data-lm-suppress-shortcuts": "true", "data-testid": "editor" });
  const editable = new Compartment();
  const pane = h("div", { class: "ptf-pane" });
  holder.append(pane);
  const named = h("div", { class: "ptf-named ptf-muted", "data-testid": "named" }); // for those who cannot hover
  const leave = analyse ? h("span", { class: "ptf-leave ptf-muted", "aria-hidden": "true" }, "Escape, then Tab: out of here") : null;
  const below = h("div", { class: "ptf-told" }, named, status, leave);
  const goTo = (number) => {
    const { from } = view.state.doc.line(Math.min(number, view.state.doc.lines));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    queueMicrotask(() => view.focus()); // its tab is chosen first
  };
  const { list, open } = verdictList(store, goTo);
  const view = new EditorView({
    parent: pane,
    state: EditorState.create({ doc: store.text, extensions: [...extensions(store, analyse, editable), gutterOfVerdicts(open), EditorView.updateListener.of(({ selectionSet, state }) => selectionSet && fill(named, marked(told(store, state, state.selection.main.head)?.text ?? "")))] }),
  });
  for (const name of ["keydown", "keyup", "keypress"]) {
    holder.addEventListener(name, (event) => event.stopPropagation());
  }
  const show = () => {
    view.dispatch(setDiagnostics(view.state, store.problems.map((one) => asLint(view, one))));
    problems.replaceChildren(...store.problems.slice(0, 4).map((one) => shown(view, one)));
  };
  store.on("problems", show);
  store.on("examples", () => view.dispatch({ effects: judged.of(store.verdicts) }));
  store.on("go", goTo);
  store.on("point", ({ line }) => view.dispatch({ effects: pointed.of(line) }));
  show();
  const lines = store.text.split("\n");
  const purpose = isLong(lines) ? h("p", { class: "ptf-purpose", "data-testid": "purpose" }, purposeOf(lines)) : null;
  if (purpose) opened(view, shortestHead(lines));
  const write = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  return { element: h("div", { class: "ptf-text" }, purpose, holder, below, problems, list), write, reset: () => write(store.first.text), undo: () => undo(view), find: () => openSearchPanel(view), text: () => view.state.doc.toString() };
}

/** Scrolls to a line within the editor alone; how high lines are is known only when they are drawn. */
function opened(view, number, again = 2) {
  if (!number) return;
  const read = () => view.lineBlockAt(view.state.doc.line(number).from).top;
  const scroll = (top) => {
    view.scrollDOM.scrollTop = top;
    if (again) opened(view, number, again - 1);
  };
  requestAnimationFrame(() => view.requestMeasure({ read, write: scroll }));
}

function extensions(store, analyse, editable) {
  return [
    lineNumbers(),
    EditorView.lineWrapping,
    hanging,
    history(),
    highlightActiveLine(),
    language(store.highlight),
    indentService.of(indented),
    syntaxHighlighting(style),
    pointedLine,
    lintGutter(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    completion(store),
    hoverTooltip((view, position) => declaration(store, view, position)),
    search({ top: true }),
    keymap.of([takeByTab, ...searchKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap, ...(analyse ? [indentWithTab] : [])]),
    editable.of(EditorView.editable.of(Boolean(analyse))),
    EditorState.readOnly.of(!analyse),
    EditorView.contentAttributes.of({
      "aria-label": analyse ? "program, Escape then Tab leaves the editor" : "program, read only",
      tabindex: "0",
    }),
    EditorView.updateListener.of(({ geometryChanged, view }) => geometryChanged && view.dom.parentElement?.parentElement.style.setProperty("--ptf-content", `${view.contentHeight}px`)),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      store.setText(update.state.doc.toString());
      analyse?.(store.text);
    }),
  ];
}

function range(view, problem) {
  const line = view.state.doc.line(Math.min(problem.line, view.state.doc.lines));
  const from = Math.min(line.from + problem.start, line.to);
  const to = Math.min(Math.max(line.from + problem.end, from + 1), Math.max(line.to, from));
  return { from: from === to && from > line.from ? from - 1 : from, to };
}

function asLint(view, problem) {
  const actions = problem.mend ? [{ name: `Write ${problem.mend}`, apply: (editor) => mend(editor, problem) }] : [];
  if (problem.declare) actions.push({ name: `Declare ${problem.declare.name}`, apply: (editor) => declare(editor, problem.declare) });
  const message = [problem.headline, problem.label, problem.help].filter(Boolean).join("\n");
  return { ...range(view, problem), severity: problem.severity, message, renderMessage: () => h("span", {}, marked(message)), actions };
}

function mend(view, problem) {
  view.dispatch({ changes: { ...range(view, problem), insert: problem.mend } });
  view.focus();
}

/** Declares a name: Python says where, and by which text. */
function declare(view, { line, start, insert }) {
  const at = view.state.doc.line(Math.min(line, view.state.doc.lines));
  view.dispatch({ changes: { from: Math.min(at.from + start, at.to), insert }, userEvent: "input" });
  view.focus();
}

function shown(view, problem) {
  const go = () => {
    view.dispatch({ selection: { anchor: range(view, problem).from }, scrollIntoView: true });
    view.focus();
  };
  return h(
    "div",
    { class: `ptf-problem ptf-${problem.severity}` },
    h("button", { class: "ptf-link", onclick: go, title: "go there" }, `line ${problem.line}`),
    h("span", {}, " ", marked(problem.headline), problem.label ? h("span", { class: "ptf-muted" }, " — ", marked(problem.label)) : null),
    problem.mend
      ? h("button", { class: "ptf-button", "data-testid": "mend", onclick: () => mend(view, problem) }, `write ${problem.mend}`)
      : problem.help
        ? h("span", { class: "ptf-muted" }, " (", marked(problem.help), ")")
        : null,
    problem.declare ? h("button", { class: "ptf-button", "data-testid": "declare", onclick: () => declare(view, problem.declare) }, `declare ${problem.declare.name}`) : null,
  );
}

/** What the name at a place is, and where it is declared. */
function declared(store, { doc }, position) {
  const line = doc.lineAt(position);
  for (const found of line.text.matchAll(new RegExp(WORD, "gu"))) {
    const from = line.from + found.index;
    if (position < from || position > from + found[0].length) continue;
    const one = store.names.find(({ name }) => name === found[0] || name.startsWith(`${found[0]}[`));
    return one ? { from, end: from + found[0].length, text: `${one.name}: ${one.about}, declared in line ${one.line}` } : null;
  }
  return null;
}

/** What stands at a place: a word or a mark of the notation and what it does, or a name and what it is. */
function told(store, state, position) {
  const node = [1, -1].map((side) => syntaxTree(state).resolveInner(position, side)).find(({ type }) => !type.isTop);
  const text = node ? state.sliceDoc(node.from, node.to).trim() : "";
  const means = node && explained(store, node.name, text, blocksAround(store, state.doc, state.doc.lineAt(position).number));
  const name = node && (!means || node.name === "name") ? declared(store, state, position) : null;
  if (name || !means) return name;
  return { from: node.from, end: node.to, text: node.name === "comment" || node.name === "string" ? means : `${text}: ${means}` };
}

function declaration(store, view, position) {
  const found = told(store, view.state, position);
  return found && { pos: found.from, end: found.end, above: true, create: () => ({ dom: h("div", { class: "ptf-hover" }, marked(found.text)) }) };
}
