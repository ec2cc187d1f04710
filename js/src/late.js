// What is seen is old while an answer is awaited, and says so if that takes longer than a moment.

import { fill, h } from "./dom.js";

const LATE = 150; // ms

/**
 * Greys what is seen until `settled` is called.
 * @param body what is greyed
 * @param place where it is said
 * @param host who answers
 */
export function awaiting(body, place, host) {
  let timer = null;
  const late = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      body.classList.add("ptf-old");
      fill(place, h("span", { class: "ptf-status", role: "status" }, host.waiting?.() ?? "computing …"));
    }, LATE);
  };
  const settled = (old = false) => {
    clearTimeout(timer);
    body.classList.toggle("ptf-old", old);
    fill(place);
  };
  host?.lost?.(() => body.classList.contains("ptf-old") && late());
  return { late, settled };
}
