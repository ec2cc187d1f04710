// What all views of one figure share: the program, the input, the run, and what is pointed at.

import { InputError, run } from "./run.js";

export class Store {
  constructor({ program = null, text = "", input = null, problems = [], names = [], name = "", highlight = null, only = "", head = "" }) {
    Object.assign(this, { program, text, problems, names, name, highlight });
    this.source = text; // what the pictures belong to
    this.first = { text, input: input ?? program?.examples[0]?.input ?? "" };
    this.input = this.first.input;
    this.hands = new Map();
    this.off = new Set();
    this.together = true;
    this.head = null; // id of the head that the large picture shows
    this.token = null; // position that is locked
    this.run = null;
    this.inputError = "";
    this.waiting = ""; // what is said while an answer is late
    this.only = only; // parts of names; other semes are not shown
    this.listeners = new Map();
    this.compute();
    this.head = this.heads?.find((one) => one.name === head)?.id ?? this.head;
  }

  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, []);
    this.listeners.get(event).push(listener);
  }

  emit(event, detail) {
    for (const listener of this.listeners.get(event) ?? []) listener(detail);
  }

  /** Whether what is seen belongs to an older text or input. */
  get stale() {
    return this.inputError !== "" || this.waiting !== "" || this.problems.some((problem) => problem.severity === "error");
  }

  /** Why there is nothing to show; empty where there is a run. */
  get missing() {
    if (this.run) return "";
    return this.program ? "There is no picture: the program cannot read this input." : "There is no picture: the program has an error.";
  }

  compute() {
    if (!this.program) return;
    try {
      this.run = run(this.program, this.input, { hands: this.hands, off: this.off });
      this.inputError = "";
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.inputError = error.message;
    }
    this.heads = headsOf(this.run);
    if (!this.heads.some((head) => head.id === this.head)) this.head = this.heads[0]?.id ?? null;
  }

  update() {
    this.compute();
    this.emit("run");
  }

  setInput(input) {
    this.input = input;
    this.hands.clear();
    this.token = null;
    this.update();
  }

  /** What an editor's text came to. */
  setAnalysis({ program, problems, names }) {
    this.problems = problems;
    this.names = names;
    if (program) Object.assign(this, { program, source: this.text });
    this.update();
    this.emit("problems");
  }

  setWaiting(said) {
    this.waiting = said;
    this.emit("waiting");
  }

  setOnly(parts) {
    this.only = parts;
    this.emit("token");
  }

  turn(position, period, angle) {
    const before = this.hands.get(`${position}:${period}`) ?? (2 * Math.PI * position) / period;
    const words = ((angle - before) * period) / (2 * Math.PI);
    for (const other of this.together ? this.program.clocks : [period]) {
      const key = `${position}:${other}`;
      const at = this.hands.get(key) ?? (2 * Math.PI * position) / other;
      this.hands.set(key, at + (words * 2 * Math.PI) / other);
    }
    this.update();
  }

  resetHands() {
    this.hands.clear();
    this.update();
  }

  toggle(head) {
    if (!this.off.delete(head)) this.off.add(head);
    this.update();
  }

  choose(head) {
    this.head = head;
    this.emit("run");
  }

  lock(token) {
    this.token = this.token === token ? null : token;
    this.emit("token");
  }

  point(position, line = null) {
    this.emit("point", { position, line });
  }
}

/** All heads of a run, with where they stand. */
function headsOf(seen) {
  if (!seen) return [];
  const rounds = new Map();
  return seen.steps.flatMap((step, place) => {
    const round = (rounds.get(`${step.stack}/${step.label}`) ?? 0) + 1;
    rounds.set(`${step.stack}/${step.label}`, round);
    return step.heads.map((head) => ({
      ...head,
      base: `${step.stack}/${step.label}/${head.name}`,
      id: `${step.stack}/${step.label}/${head.name}/${round}`,
      title: `${step.label || "layer"}${round > 1 ? `, round ${round}` : ""}`,
      stack: step.stack,
      layer: step.label,
      step: place,
      dst: step.tokens,
      src: head.src ?? step.tokens,
    }));
  });
}

/** The described head of a program that a run's head belongs to. */
export function describedHead(program, { stack, layer, name }) {
  const stage = program[stack].find((one) => one.type === "layer" && one.name === layer);
  return stage && [...stage.heads, ...stage.cross].find((head) => head.name === name);
}
