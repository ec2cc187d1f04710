// Clocks: a face for each token, a hand for each clock. A hand can be dragged; attention follows.

import { fill, h } from "./dom.js";
import { short } from "./numbers.js";
import { shownToken } from "./chips.js";
import { describedHead } from "./store.js";

const SIZE = 92;
const MIDDLE = SIZE / 2;
const FEW = 4; // hands of different lengths that are told apart
const MOST = 40;

/** The positional encoding of the store's input. */
export function clocksView(store) {
  const faces = h("div", { class: "ptf-faces", "data-testid": "clocks" });
  const bar = h("div", { class: "ptf-controls" });
  const note = h("p", { class: "ptf-muted ptf-small" });
  const numbers = h("div", { "data-testid": "dimensions" });
  const element = h("div", { class: "ptf-clocks" }, bar, faces, numbers, note);
  const draw = () => {
    if (store.missing || !store.program.clocks.length) {
      [bar, note, numbers].forEach((one) => fill(one));
      fill(faces, h("p", { class: "ptf-muted" }, store.missing || "This program does not use positions: it has no clocks."));
      return;
    }
    const [{ tokens }] = store.run.steps;
    fill(bar, legend(store), together(store), back(store));
    fill(note, explanation(store));
    faces.classList.toggle("ptf-many-hands", store.program.clocks.length > FEW);
    fill(numbers, dimensions(store, tokens));
    fill(faces, tokens.slice(0, MOST).map((token, position) => face(store, token, position)));
  };
  for (const news of ["run", "head", "token"]) store.on(news, draw);
  draw();
  return element;
}

function legend(store) {
  return h(
    "span",
    { class: "ptf-legend" },
    store.program.clocks.map((period, place) => h("span", {}, h("i", { class: `ptf-hand-${place % 7}` }), `/${short(period)}`)),
  );
}

/** What the marks on the rims mean, where the chosen head has any. */
function explanation(store) {
  const head = addressed(store);
  if (!head) return "Number below a face: the position. Drag a hand, or turn it with the arrow keys.";
  return `On the rims, for head ${head.name}: ◆ where its query looks, ○ where a word's key lies. A word finds the one whose ○ lie where its own ◆ do.`;
}

/** The chosen head with its description, if it addresses words by clocks. */
function addressed(store) {
  const head = store.heads?.find((one) => one.id === store.head);
  const described = head && describedHead(store.program, head);
  const uses = described?.features.some(({ name }) => name.startsWith("at."));
  return uses && head.stack === "encoder" && head.source !== "encoder" ? { ...head, described } : null;
}

function together(store) {
  const change = (event) => (store.together = event.target.checked);
  return h("label", { class: "ptf-switch" }, h("input", { type: "checkbox", checked: store.together, onchange: change }), "hands move together");
}

function back(store) {
  return h("button", { class: "ptf-button", disabled: !store.hands.size, "data-testid": "hands-back", onclick: () => store.resetHands() }, "put the hands back");
}

function angleOf(store, position, period) {
  return store.hands.get(`${position}:${period}`) ?? (2 * Math.PI * position) / period;
}

/** Clock faces read like clocks: position 0 stands at twelve, hands go clockwise. */
function tip(angle, length) {
  return [MIDDLE + length * Math.sin(angle), MIDDLE - length * Math.cos(angle)];
}

function face(store, token, position) {
  const { clocks } = store.program;
  const svg = h(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "ptf-face" },
    h("circle", { cx: MIDDLE, cy: MIDDLE, r: MIDDLE - 7, class: "ptf-rim" }),
    ticks(),
    rings(store),
    marks(store, position),
    clocks.map((period, place) => hand(store, position, period, place)),
    h("circle", { cx: MIDDLE, cy: MIDDLE, r: 2.6, class: "ptf-hub" }),
  );
  svg.addEventListener("pointerdown", (event) => drag(store, position, svg, event));
  const moved = clocks.some((period) => store.hands.has(`${position}:${period}`));
  return h(
    "figure",
    {
      class: "ptf-clock",
      "data-pos": position,
      onpointerenter: () => store.point(position),
      onpointerleave: () => store.point(null),
    },
    svg,
    h("figcaption", {}, h("button", { class: "ptf-token", "aria-pressed": String(store.token === position), title: "show its positional encoding", onclick: () => store.lock(position) }, shownToken(token)), h("span", { class: "ptf-muted" }, moved ? ` ${short(words(store, position))}*` : ` ${position}`)),
  );
}

/** The positional encoding of the locked word, as a bar for each dimension: where the tips of its hands are. */
function dimensions(store, tokens) {
  const { clocks } = store.program;
  if (store.token === null || store.token >= tokens.length) return h("p", { class: "ptf-muted ptf-small" }, `Click on a word to see its positional encoding, a vector of ${2 * clocks.length} dimensions.`);
  const bar = (name, value) =>
    h(
      "div",
      { class: "ptf-dimension" },
      h("span", {}, name),
      h("svg", { viewBox: "-1 0 2 0.3", role: "img", "aria-label": `${name} ${short(value)}` }, h("line", { x1: 0, x2: 0, y1: 0, y2: 0.3, class: "ptf-grid" }), h("rect", { x: Math.min(0, value), y: 0.05, width: Math.abs(value), height: 0.2, class: value < 0 ? "ptf-below-zero" : "ptf-above-zero" })),
      h("span", {}, short(value)),
    );
  const bars = clocks.flatMap((period) => {
    const angle = angleOf(store, store.token, period);
    return [bar(`cos /${short(period)}`, Math.cos(angle)), bar(`sin /${short(period)}`, Math.sin(angle))];
  });
  return h("figure", { class: "ptf-dimensions", "aria-label": `positional encoding of ${tokens[store.token]}` }, h("figcaption", { class: "ptf-muted" }, `${shownToken(tokens[store.token])}, position ${store.token}: ${bars.length} dimensions`), bars);
}

function words(store, position) {
  const period = store.program.clocks.find((one) => store.hands.has(`${position}:${one}`));
  return (angleOf(store, position, period) * period) / (2 * Math.PI);
}

function ticks() {
  return Array.from({ length: 12 }, (_, hour) => {
    const [x1, y1] = tip((hour * Math.PI) / 6, MIDDLE - 10);
    const [x2, y2] = tip((hour * Math.PI) / 6, MIDDLE - 7);
    return h("line", { x1, y1, x2, y2, class: "ptf-tick" });
  });
}

function lengthOf(store, place) {
  const count = store.program.clocks.length;
  const shortest = count > FEW ? 8 : 19; // many hands lie over each other: each has a ring of its own
  return shortest + ((35 - shortest) * (count - 1 - place)) / Math.max(1, count - 1);
}

/** The way of each hand's tip, where there are many of them. */
function rings(store) {
  const { clocks } = store.program;
  return clocks.length > FEW ? clocks.map((_, place) => h("circle", { cx: MIDDLE, cy: MIDDLE, r: lengthOf(store, place), class: "ptf-ring" })) : null;
}

function hand(store, position, period, place) {
  const angle = angleOf(store, position, period);
  const [x2, y2] = tip(angle, lengthOf(store, place));
  const turn = (change) => store.turn(position, period, angle + change);
  const word = (2 * Math.PI) / period;
  const keys = { ArrowRight: word / 4, ArrowUp: word / 4, ArrowLeft: -word / 4, ArrowDown: -word / 4, PageUp: word, PageDown: -word };
  return h(
    "g",
    {
      class: `ptf-hand ptf-hand-${place % 7}`,
      tabindex: "0",
      role: "slider",
      "data-key": `${position}:${period}`,
      "aria-label": `clock of period ${short(period)} at word ${position + 1}; arrow keys turn it`,
      "aria-valuenow": Math.round(((angle * 180) / Math.PI) % 360),
      "aria-valuemin": 0,
      "aria-valuemax": 360,
      onkeydown: (event) => {
        if (!(event.key in keys)) return;
        event.preventDefault();
        event.stopPropagation();
        turn(keys[event.key]);
      },
    },
    h("line", { x1: MIDDLE, y1: MIDDLE, x2, y2 }),
    h("circle", { cx: x2, cy: y2, r: store.program.clocks.length > FEW ? 2.2 : 3.4 }),
  );
}

/** Where the chosen head's query (diamond) and key (ring) put the hands of this token. */
function marks(store, position) {
  const head = addressed(store);
  if (!head) return null;
  const { described } = head;
  return store.program.clocks.flatMap((period, place) => {
    const [c, s] = ["cos", "sin"].map((hand) => described.features.findIndex((f) => f.name === `at.${hand}[${period}]`));
    if (c < 0 || s < 0) return [];
    const [kx, ky] = tip(Math.atan2(head.key[position][s], head.key[position][c]), MIDDLE - 7);
    const [qx, qy] = tip(Math.atan2(head.query[position][s], head.query[position][c]), MIDDLE - 7);
    const diamond = `M${qx} ${qy - 4}L${qx + 4} ${qy}L${qx} ${qy + 4}L${qx - 4} ${qy}Z`;
    return [
      h("circle", { cx: kx, cy: ky, r: 3.6, class: `ptf-key ptf-hand-${place % 7}` }, h("title", {}, `key, /${short(period)}`)),
      h("path", { d: diamond, class: `ptf-query ptf-hand-${place % 7}` }, h("title", {}, `query, /${short(period)}`)),
    ];
  });
}

function drag(store, position, svg, event) {
  const box = svg.getBoundingClientRect();
  const angleAt = (e) => Math.atan2(e.clientX - box.left - box.width / 2, box.top + box.height / 2 - e.clientY);
  const away = (a, b) => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));
  const start = angleAt(event);
  const period = [...store.program.clocks].sort((a, b) => away(angleOf(store, position, a), start) - away(angleOf(store, position, b), start))[0];
  event.preventDefault();
  let waiting = false;
  const move = (e) => {
    const now = angleOf(store, position, period);
    const turn = angleAt(e) - now;
    const target = now + Math.atan2(Math.sin(turn), Math.cos(turn));
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      store.turn(position, period, target);
    });
  };
  const stop = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}
