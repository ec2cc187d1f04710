// What is offered to whoever writes a program, as progtf/lsp/complete.py offers it, and the keys that take it.

import { acceptCompletion, autocompletion, completionStatus, moveCompletionSelection } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { blocksAround, meaning } from "./terms.js";

const WRITTEN = /[\p{L}_][\p{L}\p{N}_.]*/u;
const GOES_ON = /^[\p{L}\p{N}_.[\]"]*$/u;
const ARROW = /->|→/;

/** The popup: Enter begins a line unless an arrow key chose something, and Tab takes what stands first. */
export function completion(store) {
  return autocompletion({ override: [(context) => complete(store, context)], icons: false, selectOnOpen: false, interactionDelay: 0 });
}

export const takeByTab = {
  key: "Tab",
  run(view) {
    if (completionStatus(view.state) !== "active") return false;
    return acceptCompletion(view) || (moveCompletionSelection(true)(view) && acceptCompletion(view));
  },
};

function complete(store, context) {
  const word = context.matchBefore(WRITTEN);
  if (!word && !context.explicit) return null;
  if (/comment|string/.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
  const from = word ? word.from : context.pos;
  const options = offered(store, context.state.doc, from);
  const whole = (text) => options.some(({ label }) => label === text);
  if (!options.length || (!context.explicit && whole(word.text))) return null;
  return { from, options, validFor: (text) => GOES_ON.test(text) && !whole(text) };
}

/** What can stand at a place: behind a sign names alone, at the beginning of a line what may begin one in its block. */
function offered(store, doc, from) {
  const line = doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  const around = blocksAround(store, doc, line.number);
  const { within, blocks, unclosed, beforeNames } = store.highlight;
  const keyword = (label, apply = label) => ({ label, apply, detail: meaning(store, label, around).replaceAll("`", "") || "keyword" });
  const names = store.names.map(({ name, about, meaning: means }) => ({ label: name, detail: means ? `${about}, ${means}` : about, boost: 2 }));
  if (around.includes("examples")) return ARROW.test(before) ? names : []; // its texts are anybody's
  if (new RegExp(beforeNames).test(before)) return names;
  if (before.trim()) return [...names, ...within.map((label) => keyword(label))];
  const block = around.find((one, place) => place > 0 && Object.hasOwn(blocks, one)) ?? "";
  return [...names, ...blocks[block].map((label) => keyword(label, `${label}${unclosed.includes(label) ? " " : ": "}`))];
}
