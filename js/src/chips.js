// Tokens and semes as readers see them.

import { h, tint } from "./dom.js";
import { rounded, short } from "./numbers.js";
import { isWritten, showTerm } from "./run.js";

export const FEW = 10;
const NEAR = 1e-9;
const HAND = /\.(cos|sin)\[([\d.]+)\]$/;

/** Blanks and line ends made visible. */
export function shownToken(token) {
  return token === " " ? "␣" : token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

const hands = new WeakMap(); // of a program: the names of its clocks' hands

function clocksOf(program) {
  if (!hands.has(program)) hands.set(program, new Set(program.names.slice(program.semes)));
  return hands.get(program);
}

/** The semes of a vector that are shown: [name, value, whether it is a distance]. */
export function semes(store, vector) {
  const clocked = clocksOf(store.program);
  const wanted = store.only.split(/[\s,]+/).filter(Boolean);
  const asked = (name) => (wanted.length ? wanted.some((part) => name.includes(part)) : isWritten(name));
  const found = Object.entries(vector).filter(([name, value]) => !clocked.has(name) && rounded(value) && asked(name));
  return found.filter(([name]) => !HAND.test(name)).concat(distances(found));
}

/** The hands of a distance as one entry: how many tokens away, by its slowest clock. */
export function distances(entries) {
  const stems = [...new Set(entries.filter(([name]) => HAND.test(name)).map(([name]) => name.replace(HAND, "")))];
  const values = new Map(entries);
  return stems.map((stem) => {
    const periods = entries.flatMap(([name]) => (name.startsWith(`${stem}.`) ? [Number(HAND.exec(name)?.[2])] : []));
    const period = Math.max(...periods.filter(Number.isFinite));
    const [cos, sin] = ["cos", "sin"].map((hand) => values.get(`${stem}.${hand}[${period}]`) ?? 0);
    const away = (Math.atan2(sin, cos) * period) / (2 * Math.PI);
    return [stem, Number(short(away)), true];
  });
}

/** The first of many things, and a button for the others. */
export function folded(shown, most, key, open, redraw) {
  const all = open.has(key);
  const more = shown.length - most;
  const toggle = () => {
    if (!open.delete(key)) open.add(key);
    redraw();
  };
  return [...(all ? shown : shown.slice(0, most)), more > 0 ? h("button", { class: "ptf-link", onclick: toggle }, all ? "fewer" : `${more} more`) : null];
}

/** A vector; what `before` had as well stays pale. */
export function whole(store, vector, before, key, open, redraw) {
  const entries = semes(store, vector);
  if (!entries.length) return h("span", { class: "ptf-nothing" }, "0");
  const earlier = before && new Map(semes(store, before));
  return h("div", { class: "ptf-chips" }, folded(entries.map((entry) => chip(entry, earlier)), FEW, key, open, redraw));
}

/** The names of semes and distances in which two vectors differ. */
export function differences(store, one, two) {
  const [left, right] = [one, two].map((vector) => new Map(semes(store, vector)));
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => Math.abs((left.get(name) ?? 0) - (right.get(name) ?? 0)) > NEAR);
}

export function chips(entries) {
  return h("div", { class: "ptf-chips" }, entries.map((entry) => chip(entry)));
}

/** A seme with its value; what was there `earlier` stays pale. */
function chip([name, value, away], earlier = null) {
  const same = earlier && Math.abs((earlier.get(name) ?? 0) - value) < NEAR;
  const colours = same ? "" : `background:${tint(value, 3)};color:var(--ptf-on-tint)`;
  const shown = away ? `${name} ${short(value)} away` : showTerm(name, short(value));
  const title = away ? `${name}: ${short(value)} tokens away, as its slowest clock tells` : `${name} = ${short(value)}`;
  return h("span", { class: same ? "ptf-chip ptf-same" : "ptf-chip", style: colours, title }, shown);
}
