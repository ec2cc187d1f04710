// What differs from the original of a program, line by line.

import { fill, h } from "./dom.js";

const MOST = 400; // lines of either text that are compared one with one

/** Lines that went (`-`) and came (`+`), in their order: [sign, number of the line, line]. */
export function changes(before, after) {
  const [old, now] = [before, after].map((text) => text.split("\n"));
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let last = 0;
  while (last < old.length - first && last < now.length - first && old.at(-1 - last) === now.at(-1 - last)) last++;
  return between(old.slice(first, old.length - last), now.slice(first, now.length - last), first);
}

/** The same of two lists of lines behind `first` equal ones: what both have in their order longest stays. */
function between(old, now, first) {
  const gone = (at) => ["-", first + at + 1, old[at]];
  const come = (at) => ["+", first + at + 1, now[at]];
  if (Math.max(old.length, now.length) > MOST) return [...old.map((_, at) => gone(at)), ...now.map((_, at) => come(at))];
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) for (let j = now.length - 1; j >= 0; j--) longest[i][j] = old[i] === now[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const found = [];
  for (let [i, j] = [0, 0]; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) i++, j++;
    else if (j === now.length || (i < old.length && longest[i + 1][j] >= longest[i][j + 1])) found.push(gone(i++));
    else found.push(come(j++));
  }
  return found;
}

/** Says that a program was changed, and shows how. */
export function changesView(store) {
  const rows = h("div", { class: "ptf-mono", "data-testid": "changes" });
  const deed = h("summary", {});
  const name = () => (deed.textContent = `changed from the original: ${list.open ? "hide" : "show"}`);
  const list = h("details", { class: "ptf-changed", hidden: true, ontoggle: name }, deed, rows);
  name();
  const row = ([sign, number, line]) => h("div", { class: sign === "-" ? "ptf-gone" : "ptf-come" }, h("span", { class: "ptf-muted" }, `${sign} ${number} `), line || " ");
  const draw = () => {
    const found = store.text === store.first.text ? [] : changes(store.first.text, store.text);
    list.hidden = !found.length;
    fill(rows, found.map(row));
  };
  for (const news of ["problems", "examples"]) store.on(news, draw);
  draw();
  return list;
}
