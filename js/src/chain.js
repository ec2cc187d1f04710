// Chains: a text, what each step made of it, and the answer; whoever reads asks another one.

import { fill, h } from "./dom.js";
import { awaiting } from "./late.js";

/** `data` has `asked`, one chain ({text, steps, answer, error}), and `others`, chains to choose from. */
export function chainView(data, host) {
  const body = h("div", { class: "ptf-card" });
  const area = h("div", { "aria-live": "polite", "data-testid": "chain" });
  const state = h("div");
  const choices = h("div", { class: "ptf-controls" });
  const { late, settled } = awaiting(body, state, host);
  const text = h("input", {
    class: "ptf-input ptf-mono",
    "aria-label": "question",
    "data-testid": "chain-text",
    spellcheck: "false",
    readonly: !host,
    onchange: () => ask(text.value),
    onkeydown: (event) => event.stopPropagation(),
  });
  const ask = (asked) => {
    text.value = asked;
    if (!host) return show({ ...data, asked: data.others.find((each) => each.text === asked) });
    host.send({ type: "ask", text: asked });
    return late();
  };
  const show = (next) => {
    settled();
    if (document.activeElement !== text) text.value = next.asked.text;
    fill(choices, next.others.map((each) => h("button", { class: "ptf-example", "data-key": each.text, onclick: () => ask(each.text) }, each.text)));
    fill(area, told(next.asked));
  };
  show(data);
  host?.receive(show);
  body.append(h("label", { class: "ptf-label" }, "question", text), choices, state, area);
  return body;
}

/** The texts of a chain below each other, what the next step replaces marked; a question stands further in. */
function told({ steps, answer, error }) {
  const line = ({ pieces, depth }) =>
    h("li", { style: `margin-left:${2 * depth}em` }, pieces.map(([piece, marked]) => (marked ? h("mark", {}, piece) : piece)));
  return [
    h("ol", { class: "ptf-chain ptf-mono" }, steps.map(line)),
    error ? h("p", { class: "ptf-problem ptf-error" }, error) : h("p", { class: "ptf-chain-answer ptf-mono", "data-testid": "chain-answer" }, answer),
  ];
}
