// What all views of one figure share: the program, the input, the run, and what is pointed at.

import { verdict } from "./examples.js";
import { InputError, NOTHING, run } from "./run.js";

const SLICE = 20; // ms in which examples are tried before the page may do something else

export class Store {
  constructor({ program = null, text = "", input = null, problems = [], names = [], name = "", highlight = null, only = "", focus = "", head = "", token = null, first = text, edited = null }) {
    Object.assign(this, { program, problems, names, name, highlight, focus });
    this.source = text; // what the pictures belong to
    this.text = edited?.text ?? text;
    this.first = { text: first };
    this.input = edited?.input ?? input ?? program?.examples[0]?.input ?? "";
    this.verdicts = []; // of examples
    this.verdictsOf = null; // the text whose examples they are
    this.failed = !program; // the text as it was last read is no program
    this.rounds = new Map(); // of a loop: the round that is looked at
    this.hands = new Map();
    this.off = new Set();
    this.together = true;
    this.head = null; // id of the head that the large picture shows
    this.token = token; // position that is locked
    this.run = null;
    this.inputError = "";
    this.waiting = ""; // what is said while an answer is late
    this.beside = false; // whether all panels are to be seen on one screen
    this.only = only; // parts of names; other semes are not shown
    this.listeners = new Map();
    this.compute();
    const begin = this.heads?.find((one) => one.name === head) ?? this.heads?.find((one) => focus && [one.stack, one.layer, one.loop].includes(focus));
    this.head = begin?.id ?? this.head;
    this.check();
  }

  /** Tries the examples, some at a time, so that nobody waits for them. */
  check() {
    const { program, source } = this;
    const left = [...(program?.examples ?? [])];
    const found = [];
    const next = () => {
      if (program !== this.program) return;
      for (const end = performance.now() + SLICE; left.length && performance.now() < end; ) found.push(verdict(program, left.shift()));
      if (left.length) return void setTimeout(next);
      Object.assign(this, { verdicts: found, verdictsOf: source });
      this.emit("examples");
    };
    setTimeout(next);
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
    return this.inputError !== "" || this.waiting !== "" || this.failed;
  }

  /** Whether the verdicts on examples belong to the text as it stands. */
  get judged() {
    return this.verdictsOf === this.text && !this.failed;
  }

  /** What is said of pictures that are old, or not there yet. */
  get said() {
    if (this.waiting) return this.waiting;
    if (!this.run) return "";
    if (this.failed) return "shown: the program before this mistake";
    return this.inputError ? "shown: the input before this one" : "";
  }

  /** A line of the text that the pictures belong to. */
  lineOf(number) {
    if (this.split?.source !== this.source) this.split = { source: this.source, lines: this.source.split("\n") };
    return this.split.lines[number - 1] ?? "";
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
    this.heads = headsOf(this.run).filter(({ round }) => !round || round.number === this.lookedAt(round.loop));
    if (!this.heads.some((head) => head.id === this.head)) this.head = firstShown(this.heads)?.id ?? null;
  }

  /** The round of a loop that a reader has chosen, were there as many. */
  roundOf(loop) {
    return this.rounds.get(loop) ?? 1;
  }

  /** The round of a loop that is shown. */
  lookedAt(loop) {
    const count = Math.max(0, ...(this.run?.steps ?? []).map(({ round }) => (round?.loop === loop ? round.number : 0)));
    return Math.min(this.roundOf(loop), count);
  }

  chooseRound(loop, number) {
    this.rounds.set(loop, number);
    this.update();
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
    Object.assign(this, { problems, names, failed: !program });
    if (program) Object.assign(this, { program, source: this.text });
    this.update();
    this.emit("problems");
    if (program) this.check();
  }

  setText(text) {
    this.text = text;
    this.emit("text");
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
    if (this.head === head) return;
    this.head = head;
    this.emit("head");
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
export function headsOf(seen) {
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
      round: step.round,
      loop: step.round?.loop,
      stack: step.stack,
      layer: step.label,
      step: place,
      dst: step.tokens,
      src: head.src ?? step.tokens,
    }));
  });
}

/** The head to begin with: one that reads something, of the encoder where a decoder has one that does. */
function firstShown(heads) {
  const reading = heads.filter(({ pattern }) => pattern.some((row) => row.some((share) => share > NOTHING)));
  return reading.find(({ source }) => source === "encoder") ?? reading.find(looksAround) ?? reading[0] ?? heads[0];
}

/** Whether a head reads anything but its own token: a diagonal is no picture to begin with. */
function looksAround({ pattern }) {
  return pattern.some((row, dst) => row.some((share, src) => share && src !== dst));
}

/** The described head of a program that a run's head belongs to. */
export function describedHead(program, { stack, layer, name }) {
  const stage = program[stack].find((one) => one.type === "layer" && one.name === layer);
  return stage && [...stage.heads, ...stage.cross].find((head) => head.name === name);
}
