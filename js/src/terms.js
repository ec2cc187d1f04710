// What words, marks and numbers mean: the rows of progtf/notation/vocabulary.py, which docs/language.md shows as tables.

import { h } from "./dom.js";

const NOTHING = { words: {}, kinds: {}, figures: {} };

const rowsOf = (store) => store.highlight?.means ?? NOTHING;

/** What a word of a figure means; empty where nothing is said of it. */
export function meant(store, word) {
  return rowsOf(store).figures[word] ?? meaning(store, word, ["head"]);
}

/** A word of a figure that says what it means, to a pointer and to who comes by Tab. */
export function term(store, word, shown = word) {
  const means = meant(store, word);
  return means ? h("abbr", { class: "ptf-term", title: `${word}: ${means.replaceAll("`", "")}`, tabindex: "0" }, shown) : shown;
}

/** What a word of the notation does; of several meanings, those in the innermost of the blocks around it. */
export function meaning(store, word, around) {
  const { words } = rowsOf(store);
  const rows = Object.hasOwn(words, word) ? words[word] : [];
  const general = rows.filter(([where]) => !where.includes("`"));
  const named = around.map((block) => rows.filter(([where]) => new RegExp(`\\b${block}\\b`).test(where)));
  const fitting = [...named, general].find((some) => some.length) ?? rows;
  return [...new Set(fitting.map(([, means]) => means))].join("; ");
}

/** What a token of the editor does, by what kind it was coloured as; empty where nothing is said of it. */
export function explained(store, kind, text, around) {
  const { words, kinds } = rowsOf(store);
  if (kind === "token" && !text.startsWith("<")) return ""; // a word of the lexicon, the target of a rule
  return meaning(store, kinds[kind] ?? (kind === "operator" && !Object.hasOwn(words, text) ? text[0] : text), around);
}

/** The first word of a line, and those of the blocks around it, the innermost first. */
export function blocksAround(store, doc, number) {
  const found = [];
  let depth = doc.line(number).length + 1;
  for (let at = number; at > 0 && depth > 0; at--) {
    const { text } = doc.line(at);
    const indent = /^\s*/.exec(text)[0].length;
    if (!/^\s*[^\s#]/.test(text) || indent >= depth) continue;
    found.push(/^\w*/.exec(text.slice(indent))[0]);
    depth = indent;
  }
  const blocks = found.slice(1).filter((word) => Object.hasOwn(store.highlight.blocks ?? {}, word));
  if (!blocks.length) blocks.push("file");
  return [found[0], ...(blocks[0] === "feedforward" ? ["rule"] : []), ...blocks].filter(Boolean);
}
