// What a reader wrote outlives the figure: kept by the browser, saved as a file.

import { h } from "./dom.js";

const MOST = 200_000; // characters

/** Where the browser keeps the edits of a program: by its name and its first text. */
function key({ name, first }) {
  let hash = 0x811c9dc5; // FNV-1a
  for (const unit of first.text) hash = Math.imul(hash ^ unit.codePointAt(0), 0x01000193) >>> 0;
  return `progtf ${name} ${hash.toString(16)}`;
}

/** Keeps the text of an editor; what is as it was in the beginning need not be kept. */
export function keep(store) {
  try {
    if (store.text !== store.first.text && store.text.length <= MOST) localStorage.setItem(key(store), store.text);
  } catch {
    // a browser may refuse to keep anything: the text is in the figure still
  }
}

/** The text that was kept, if it is another one than there is now; null without one. */
export function kept(store) {
  try {
    const text = localStorage.getItem(key(store));
    return text === store.text ? null : text;
  } catch {
    return null;
  }
}

/** What this window has last told of a widget: a busy kernel hears of it too late for a page that is loaded again. */
export function remember(model, edited) {
  try {
    sessionStorage.setItem(`progtf ${model}`, JSON.stringify(edited));
  } catch {
    // as above: the kernel hears of it, soon or late
  }
}

/** The later of what a widget says was edited, and of what this window has told it. */
export function latest(model, edited) {
  try {
    const told = JSON.parse(sessionStorage.getItem(`progtf ${model}`));
    return told && told.at > (edited.at ?? 0) ? told : edited;
  } catch {
    return edited;
  }
}

/** What stands elsewhere need not be remembered. */
export function forget(model) {
  try {
    sessionStorage.removeItem(`progtf ${model}`);
  } catch {
    // as above
  }
}

/** Gives a text to the reader as a `.seme` file. */
export function save(store, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const last = store.name.split(/[\\/]/).at(-1);
  h("a", { href: url, download: last.endsWith(".seme") ? last : "program.seme" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
