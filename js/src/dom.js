// Elements without innerHTML: whatever a program or an input holds is shown as text.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "circle", "line", "path", "text", "rect", "polyline", "defs", "pattern", "title"]);

/** An element with attributes (`on…` are listeners) and children; strings become text. */
export function h(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return element;
}

const FOCUSABLE = "button, input, select, summary, [tabindex]";

/** Puts children in the place of what an element holds; who had the focus has it still: what has its `data-key`, or its place. */
export function fill(element, ...children) {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const [key, place] = [held?.dataset.key, held && [...element.querySelectorAll(FOCUSABLE)].indexOf(held)];
  element.replaceChildren(...children.flat(2).filter((child) => child !== null && child !== undefined));
  if (!held || held === element || element.contains(held)) return;
  const next = key === undefined ? element.querySelectorAll(FOCUSABLE)[place] : element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (next?.tagName === held.tagName) next.focus({ preventScroll: true });
}

/** What scrolls when it is too large, by keys as well. */
export function scroller(label, ...children) {
  return h("div", { class: "ptf-scroll", role: "group", tabindex: "0", "aria-label": label }, ...children);
}

/** A text whose words between backticks are of a program. */
export function marked(text) {
  const parts = text.split("`");
  return parts.length % 2 ? parts.map((part, place) => (place % 2 ? h("code", {}, part) : part)) : [text];
}

let last = 0;

/** An id that no other element of the page has. */
export function freshId(stem) {
  return `progtf-${stem}-${++last}`;
}

/** How strongly a value is coloured, from 0 to 1, and its side; zero is always uncoloured. `--ptf-on-tint` is read on all of them. */
export function tint(value, most = 1) {
  const strength = Math.min(1, Math.abs(value) / (most || 1));
  const side = value < 0 ? "negative" : "positive";
  return `color-mix(in srgb, var(--ptf-tint-${side}) ${Math.round(12 + 78 * strength)}%, var(--ptf-surface))`;
}
