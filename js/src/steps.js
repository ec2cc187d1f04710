// Reading in steps: one token walked through the layers, and in each head from query to what is written.

import { products, writes, writesOfNull } from "./arithmetic.js";
import { chips, distances, semes, shownToken, whole } from "./chips.js";
import { fill, freshId, h, scroller } from "./dom.js";
import { short } from "./numbers.js";
import { parts, stacks } from "./residual.js";
import { player } from "./player.js";
import { describedHead } from "./store.js";
import { meant, term } from "./terms.js";

const OF_HEAD = ["query", "key", "score", "share", "value", "role", "written"];
const MOST = 12; // tokens that are read
const KEYS = { ArrowLeft: (at) => at - 1, ArrowRight: (at) => at + 1, Home: () => 0, End: () => Infinity };

/** The walk of one token of the store's run; ← and → go on, and so it does by itself while it is played. */
export function stepsView(store) {
  const state = { stack: "", position: 0, at: 0 };
  const body = h("div", { class: "ptf-steps", tabindex: "0", role: "group", "aria-label": "reading in steps: the left and right arrow keys go on", "data-testid": "steps" });
  const go = (at) => {
    const all = stops(store, state);
    state.at = Math.max(0, Math.min(all.length - 1, at));
    const { head, line } = all[state.at];
    draw();
    if (head) store.choose(head.id);
    store.point(state.stack === "encoder" ? state.position : null, line ?? null);
  };
  const last = () => stops(store, state).length - 1;
  const playing = player(body, { begin: () => go(state.at === last() ? 0 : state.at), next: () => go(state.at + 1), ended: () => state.at === last(), end: () => draw() });
  const walk = (at) => (playing.stop(), go(at));
  const draw = () => {
    if (!store.run) return fill(body, h("p", { class: "ptf-muted" }, store.missing));
    settle(store, state);
    const all = stops(store, state);
    state.at = Math.min(state.at, all.length - 1);
    fill(body, controls(store, state, all, walk, playing, draw), path(store, all, state, walk), h("div", { class: playing.on ? "ptf-stop ptf-arrives" : "ptf-stop" }, shownStop(store, state, all[state.at])));
    return null;
  };
  body.addEventListener("keydown", (event) => {
    if (event.key === "Escape") playing.stop();
    if (!(event.key in KEYS) || event.target.closest("select")) return;
    event.preventDefault();
    event.stopPropagation();
    walk(KEYS[event.key](state.at));
  });
  store.on("run", draw);
  store.on("token", () => {
    playing.stop();
    if (store.token !== null) Object.assign(state, { stack: "encoder", position: store.token });
    draw();
  });
  draw();
  return body;
}

/** A token that there is: the one that is locked, or the first that reads another one. */
function settle(store, state) {
  const tables = stacks(store, "");
  const table = tables.find(([step]) => step.stack === state.stack);
  if (table && state.position < table[0].tokens.length) return;
  const reader = store.heads.find(({ pattern }) => pattern.some((row, dst) => reads(row, dst)));
  const stack = reader?.stack ?? tables[0][0].stack;
  Object.assign(state, { stack, position: store.token ?? reader?.pattern.findIndex(reads) ?? 0, at: 0 });
  if (state.position >= tables.find(([step]) => step.stack === stack)[0].tokens.length) state.position = 0;
}

function reads(row, dst) {
  return row.some((share, src) => share && src !== dst);
}

/** Where the walk stops: `kind`, its `step`, the step `before`, a `head`, and the `line` that says so. */
function stops(store, { stack, position }) {
  const steps = stacks(store, "").find(([step]) => step.stack === stack);
  return steps.flatMap((step, place) => {
    const before = steps[place - 1]?.rows[position];
    const title = step.label || "layer";
    if (!step.parts.length) return [{ kind: "vector", step, before, title }];
    const [heads, rules] = ["head", "rule"].map((kind) => step.parts.filter((part) => part.kind === kind));
    const found = store.heads.filter((head) => store.run.steps[head.step] === step).map((head, number) => [head, heads[number]]);
    const busy = found.filter(([, part]) => semes(store, part.rows[position]).length);
    const fired = rules.filter((part) => semes(store, part.rows[position]).length);
    const ofHeads = busy.flatMap(([head, { line }]) => OF_HEAD.map((kind) => ({ kind, step, head, line, title: `${title} / ${head.name}` })));
    const ofRules = fired.length ? [{ kind: "rules", step, fired, line: fired[0].line, title: `${title} / rules` }] : [];
    return [...ofHeads, ...ofRules, { kind: "vector", step, before, title: `= ${title}`, resting: found.length - busy.length }];
  });
}

function controls(store, state, all, walk, playing, draw) {
  const id = freshId("walk");
  const option = ({ stack }) => (token, position) => h("option", { value: `${stack}/${position}`, selected: stack === state.stack && position === state.position }, `${shownToken(token)} (${position})`);
  const groups = stacks(store, "").map(([step]) => [step.stack, step.tokens.map(option(step))]);
  const choose = (event) => {
    const [stack, position] = event.target.value.split("/");
    Object.assign(state, { stack, position: Number(position), at: 0 });
    playing.stop();
    draw();
  };
  const select = h("select", { id, "data-key": "token", onchange: choose }, groups.length > 1 ? groups.map(([label, options]) => h("optgroup", { label }, options)) : groups[0][1]);
  const button = (label, name, to, off) => h("button", { class: "ptf-button", "aria-label": name, "data-key": name, disabled: off, onclick: () => walk(to) }, label);
  return h(
    "div",
    { class: "ptf-controls" },
    h("label", { for: id }, "token"),
    select,
    button("←", "back", state.at - 1, state.at === 0),
    button("→", "on", state.at + 1, state.at === all.length - 1),
    playing.button(),
    h("span", { class: "ptf-muted", role: "status" }, `${state.at + 1} of ${all.length}`),
  );
}

/** The parts that the token passes, and within a head its seven steps. */
function path(store, all, state, walk) {
  const { title } = all[state.at];
  const firsts = all.map((stop, at) => [stop, at]).filter(([stop, at]) => stop.title !== all[at - 1]?.title);
  const link = (label, at, on, means = null) => h("button", { class: "ptf-example", "aria-current": on ? "step" : null, "data-key": `${at}`, title: means && `${label}: ${means}`, onclick: () => walk(at) }, label);
  const within = all.map((stop, at) => [stop, at]).filter(([stop]) => stop.head && stop.title === title);
  return [
    h("div", { class: "ptf-path" }, firsts.map(([stop, at]) => link(stop.title, at, stop.title === title))),
    within.length ? h("div", { class: "ptf-path" }, within.map(([stop, at]) => link(stop.kind, at, at === state.at, meant(store, stop.kind)))) : null,
  ];
}

function shownStop(store, { stack, position }, { kind, step, before, head, fired, resting }) {
  const token = h("b", {}, shownToken(step.tokens[position]));
  if (kind === "vector") {
    const said = step.parts.length ? [" is now"] : before ? [" leaves as"] : [" comes in as"];
    const idle = resting ? h("p", { class: "ptf-muted" }, `${resting} ${resting === 1 ? "head writes" : "heads write"} nothing here.`) : null;
    return [h("p", {}, token, said), scroller("semes", whole(store, step.rows[position], before, "", new Set(["", undefined]), () => {})), idle];
  }
  if (kind === "rules") return [h("p", {}, "What the ", term(store, "rule", "rules"), " add to ", token, ":"), scroller("rules", parts(store, { parts: fired }, position, "all", new Set(["all"]), () => {}))];
  const described = describedHead(store.program, head);
  return [h("p", { "aria-live": "polite" }, sentence(store, kind, token, described, head, position)), readings(store, kind, described, head, position, stack)];
}

/** What one of the seven steps of a head is. */
function sentence(store, kind, token, described, head, position) {
  switch (kind) {
    case "query":
      return [token, " asks. Its ", term(store, "query"), ":"];
    case "key":
      return [`Whom ${token.textContent} may look at (${head.source === "encoder" ? "the input" : described.look}) has a `, term(store, "key"), ", and ", token, " looks for one that fits its query."];
    case "score":
      return ["The ", term(store, "score"), " of a word is its key times the query of ", token, ": each ", term(store, "feature"), " by itself, and then all of them added up."];
    case "share":
      return [described.normalize === "queries" ? "Each word parts itself among those who ask with the highest score." : ["The ", term(store, "sharpness"), " is so great that the highest score takes all; equal ones part it."], described.null ? [` Where no score is above ${short(described.null.score)}, the `, term(store, "null key"), " takes all."] : null].flat();
    case "value":
      return ["What the words hold for who reads them:"];
    case "role":
      return ["What is read is bound to a ", term(store, "role"), " of ", token, ", that is, multiplied by: ", list(store, named(described.channels, head.roles[position]))];
    default:
      return [term(store, "share", "Share"), " times value times role: what the head writes to ", token, "."];
  }
}

/** The words that a head reads, with as many columns as the walk has come to. */
function readings(store, kind, described, head, dst, stack) {
  const until = OF_HEAD.indexOf(kind);
  const query = h("p", {}, h("span", { class: "ptf-muted" }, "query "), list(store, named(described.features, head.query[dst])));
  if (!until) return query;
  const columns = ["key", "score", "share", "value", "written"].filter((name) => OF_HEAD.indexOf(name) <= until);
  const mark = (name) => (name === kind ? "ptf-chosen" : "");
  const cell = {
    key: (src) => list(store, named(described.features, head.key[src])),
    score: (src) => (head.scores ? [products(described, head.query[dst], head.key[src]).join(" + ") || "0", " = ", h("b", {}, short(head.scores[dst][src]))] : "not by itself"),
    share: (src) => short(head.pattern[dst][src]),
    value: (src) => list(store, named(described.channels, head.fillers[src])),
    written: (src) => (head.pattern[dst][src] ? added(writes(described, head, dst, src, head.pattern[dst][src])) : "·"),
  };
  const rows = sources(head, dst);
  const row = (src) => h("tr", { "data-pos": stack === "encoder" || head.source === "encoder" ? src : null }, h("th", { scope: "row" }, shownToken(head.src[src])), columns.map((name) => h("td", { class: mark(name) }, cell[name](src))));
  return [
    query,
    scroller("what the head reads", h("table", { class: "ptf-walk" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "word"), columns.map((name) => h("th", { scope: "col", class: mark(name) }, name)))), h("tbody", {}, rows.map(row), ...rest(store, columns, described, head, dst, mark)))),
    rows.length < allowed(head, dst).length ? h("p", { class: "ptf-muted" }, `The ${rows.length} with the highest scores, of ${allowed(head, dst).length}.`) : null,
  ];
}

/** The null key, which takes what nothing else takes, and what is written in any case. */
function rest(store, columns, described, head, dst, mark) {
  const row = (title, cell) => h("tr", {}, h("th", { scope: "row", class: "ptf-muted" }, title), columns.map((name) => h("td", { class: mark(name) }, cell[name] ?? "")));
  const nothing = described.null && row(term(store, "null key", "nothing"), { score: short(described.null.score), share: short(head.rest[dst]), value: list(store, named(described.channels, described.null.filler)), written: head.rest[dst] ? added(writesOfNull(described, head, dst)) : "·" });
  const always = columns.includes("written") && Object.keys(described.bias).length ? row("always", { written: added(Object.entries(described.bias)) }) : null;
  return [nothing, always];
}

function added(entries) {
  const found = [...entries].filter(([name, value]) => value && !/\.(cos|sin)\[/.test(name));
  const all = [...found, ...distances([...entries])];
  return all.length ? chips(all) : "·";
}

function allowed(head, dst) {
  return head.src.map((_, src) => src).filter((src) => !head.scores || head.scores[dst][src] !== null);
}

/** The tokens that are read, and those with the next scores. */
function sources(head, dst) {
  const rank = (src) => head.pattern[dst][src] * 1e9 + (head.scores?.[dst][src] ?? 0);
  return allowed(head, dst).sort((a, b) => rank(b) - rank(a)).slice(0, MOST).sort((a, b) => a - b);
}

/** Features or channels with their values, and whether clocks say so; their hands are one place. */
function named(described, values) {
  const entries = described.map(({ name }, place) => [name, values[place]]);
  const plain = entries.filter(([name, value]) => !/\.(cos|sin)\[/.test(name) && Math.abs(value) > 1e-9);
  return [...plain.map(([name, value]) => [`${name} ${short(value)}`, false]), ...distances(entries).map(([name, value]) => [`${name === "at" ? "place" : name} ${short(value)}`, true])];
}

function list(store, words) {
  return words.length ? words.map(([word, clocked]) => h("code", { class: "ptf-word" }, clocked ? term(store, "clock", word) : word)) : h("span", { class: "ptf-muted" }, "nothing");
}
