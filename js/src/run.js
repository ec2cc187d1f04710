// Runs a program in the page: the same meaning as progtf/running/interpret.py, which tests compare.
// A program is what progtf/views/program.py describes; a run is what progtf/views/run.py returns.

import { cutWords, readCharacters } from "./spelling.js";
import { ABSENT, DIGITS, rounded, score as shownScore, shown as shownNumber, sum, written as writtenNumber } from "./numbers.js";

const brokens = new WeakMap(); // of a program: the names of what is not declared whole
const TIE = 1e-9;
export const NOTHING = 1e-9; // a share
const EPSILON = 1e-5;
const UP = 0.5;
const LONGEST = 400;
const EMPTY = Object.freeze(Object.create(null)); // most rules write nothing at most tokens

/** A text that a program cannot take. */
export class InputError extends Error {}

/**
 * What happens when a program reads a text.
 * @param program a described program
 * @param text the input
 * @param change `hands`: "position:period" -> radians; `off`: a set of "stack/layer/head"
 */
export function run(program, text, change = {}) {
  return computed(stateOf(program, change, true), text);
}

/** The answer of a run alone: nothing is kept of what happens on the way. */
export function answerOf(program, text) {
  return computed(stateOf(program, {}, false), text).answer;
}

function stateOf(program, change, told) {
  return { program, change, told, steps: [], round: null, names: program.names, at: indexOf(program.names), placed: new Map(), rows: new Map() };
}

function computed(state, text) {
  const { program } = state;
  if (program.vectors) return ofVectors(state, text);
  const { tokens, vectors, places } = readTokens(program, text);
  state.places = places ?? program.cut?.[text]?.places ?? null;
  state.vectors = vectors ?? program.cut?.[text]?.vectors;
  if (program.kind === "seq2seq" || program.kind === "decoder") {
    const written = generate(state, tokens);
    const error = ends(program) && written.at(-1) !== "<eos>" ? { error: endless(program) } : {};
    return finish(state, text, join(written, program), error);
  }
  const residual = encoderResidual(state, tokens);
  if (!program.outputs.length && !program.classify) checkFinite(state, residual);
  if (program.classify) return classified(state, text, residual);
  if (program.outputs.length) return labelled(state, text, tokens, residual);
  const last = program.kind === "rnn" ? tokens.length - 1 : 0;
  const [shown, rows] = [tokens.slice(last), residual.slice(last)];
  return finish(state, text, showResidual(program, shown, rows), { rows: shown.map((token, place) => [token, entire(state, rows[place])]) });
}

function finish(state, text, answer, more = {}) {
  return { input: text, answer: { text: answer, scores: null, ...more }, steps: state.steps, places: state.places ?? null };
}

function indexOf(names) {
  return new Map(names.map((name, place) => [name, place]));
}

// ------------------------------------------------------------------ input

/** Tokens that nobody types, and why. */
const OWN = {
  "<bos>": "it stands before every text that a program with `<bos>` reads",
  "<eos>": "it stands behind every text that a program with `<eos>` reads",
  "<again>": "a program writes it, to be asked again what it wrote",
  "<ask>": "a program writes it, to be asked first what it wrote",
};

/** The tokens of an input, with <bos> and <eos> where the lexicon has them. */
export function read(program, text) {
  return readTokens(program, text).tokens;
}

/** The tokens of an input, and their vectors where these are more than what the lexicon has. */
function readTokens(program, text) {
  if (program.cut) return { tokens: cutTokens(program, text) };
  const parts = partsOf(program, text);
  if (!parts.length) throw new InputError("the input is empty");
  parts.forEach(({ token, guess }, place) => {
    refuseSpecial(program, token, place);
    if (!Object.hasOwn(program.lexicon, token) && !program.unknown && !guess) {
      throw new InputError(`token ${place + 1}, \`${token}\`, is not in the lexicon`);
    }
  });
  const vectors = parts.some(({ marks }) => marks?.some(Boolean)) ? parts.map((part) => vectorOf(program, part)) : null;
  const tokens = parts.map(({ token }) => token);
  const places = parts[0].place ? parts.map(({ place }) => place.map((each) => [...text.slice(0, each)].length)) : null;
  if (Object.hasOwn(program.lexicon, "<bos>")) {
    tokens.unshift("<bos>");
    vectors?.unshift(undefined);
    places?.unshift([0, 0]);
  }
  if (program.kind !== "decoder" && Object.hasOwn(program.lexicon, "<eos>")) {
    tokens.push("<eos>");
    places?.push([places.at(-1)[1], places.at(-1)[1]]);
  }
  const most = Math.min(program.lengths[0], LONGEST);
  if (tokens.length > most) {
    throw new InputError(`the input has ${tokens.length} tokens, and ${most} can be shown`);
  }
  return { tokens, vectors, places };
}

function refuseSpecial(program, word, place) {
  if (Object.hasOwn(OWN, word) && !(word === "<eos>" && program.kind === "decoder")) {
    throw new InputError(`token ${place + 1}, \`${word}\`, is no word of a text: ${OWN[word]}; leave it out`);
  }
}

/** The tokens of a text by themselves, as its spelling has them. */
function partsOf(program, text) {
  const { spelling } = program;
  const characters = program.tokens.startsWith("chars");
  if (!spelling && characters) return [...text].map((token) => ({ token }));
  if (!spelling) return [...text.matchAll(/\S+/gu)].map(({ 0: token, index }) => ({ token, place: [index, index + token.length] }));
  if (!characters) {
    text.split(/\s+/u).filter(Boolean).forEach((word, place) => refuseSpecial(program, word, place));
    return cutWords(spelling, program.lexicon, text);
  }
  const found = readCharacters(spelling, text);
  if (found.refused) throw new InputError(found.refused);
  return found.characters.map((token) => ({ token }));
}

/** The vector of a token, with what its spelling gives. */
function vectorOf(program, { token, marks }) {
  const vector = { ...((Object.hasOwn(program.lexicon, token) ? program.lexicon[token] : program.unknown) ?? {}) };
  marks.forEach((value, number) => {
    for (const [name, amount] of Object.entries(program.spelling.marks[number].gives)) {
      vector[name] = (vector[name] ?? 0) + value * amount;
    }
  });
  return vector;
}

/** The tokens that Python found in a text, where a page cannot find them by itself. */
function cutTokens(program, text) {
  const found = Object.hasOwn(program.cut, text) ? program.cut[text] : null;
  if (!found) throw new InputError("Python cuts the texts of this program into words; a page by itself takes the examples only");
  if (found.error) throw new InputError(found.error);
  return found.tokens;
}

const TERM = /\s*([-+−]?)\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]\d+)?|\.\d+(?:[eE][+-]\d+)?)\s*)?([\p{L}_][\p{L}\p{N}_.]*(?:\[[^\]]*\])?)/uy;

/** `+pig -2.1wombat` as {seme: value}; vectors that are `named` stand in it as semes do. */
export function readVector(text, names, named = {}) {
  const vector = {};
  for (const [name, number] of terms(text)) {
    for (const [seme, amount] of Object.entries(meant(name, names, named))) vector[seme] = (vector[seme] ?? 0) + number.value * amount;
  }
  return vector;
}

/** The same with the digits of its numbers. */
export function readWritten(text, names) {
  const vector = {};
  for (const [name, number] of terms(text)) {
    meant(name, names, {});
    vector[name] = Object.hasOwn(vector, name) ? sum(vector[name], number) : number;
  }
  return vector;
}

/** What a name in a vector stands for. */
function meant(name, names, named) {
  if (Object.hasOwn(named, name)) return named[name];
  if (!names.includes(name)) throw new InputError(`no seme is called \`${name}\``);
  return { [name]: 1 };
}

/** The terms of a vector, each a name and a number. */
function terms(text) {
  const all = [];
  if (text.trim() === "0") return all;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < text.trimEnd().length) {
    const start = TERM.lastIndex;
    const found = TERM.exec(text);
    if (!found || (start > 0 && !found[1])) {
      throw new InputError(`\`${text.trim()}\` is not a vector such as \`+pig -2wombat\``);
    }
    const sign = found[1] === "" || found[1] === "+" ? 1 : -1;
    const number = found[2] === undefined ? { ...ABSENT, value: 1 } : writtenNumber(found[2]);
    if (number === null) throw new InputError(`float64 has no number ${found[2]}`);
    all.push([found[3], { ...number, value: sign * number.value }]);
  }
  if (!all.length) throw new InputError("the input is empty; `0` is the zero vector");
  return all;
}

// ------------------------------------------------------------------ the residual stream

function embed(state, tokens, vectors = []) {
  const { program, at, change } = state;
  return tokens.map((token, position) => {
    const known = Object.hasOwn(program.lexicon, token) ? program.lexicon[token] : program.unknown;
    const row = rowOf(state, vectors[position] ?? known ?? {});
    for (const period of program.clocks) {
      const moved = change.hands?.get(`${position}:${period}`);
      const angle = moved ?? (2 * Math.PI * position) / period;
      row[at.get(`cos[${period}]`)] += Math.cos(angle);
      row[at.get(`sin[${period}]`)] += Math.sin(angle);
    }
    return row;
  });
}

function rowOf(state, vector) {
  const row = new Float64Array(state.program.width);
  for (const [name, value] of Object.entries(vector)) row[state.at.get(name)] += value;
  return row;
}

function note(state, stack, label, tokens, residual, parts = [], heads = []) {
  if (!state.told) return;
  const rows = residual.map((row) => told(state, row));
  state.steps.push({ stack, label, tokens: [...tokens], rows, parts, heads, round: state.round });
}

/** A row by names; one object for a row that stays as it is. */
function told(state, row) {
  if (!state.rows.has(row)) state.rows.set(row, sparse(state, row));
  return state.rows.get(row);
}

/** Refuses what has grown beyond the numbers that there are: it is no answer. */
function checkFinite({ program, names }, residual) {
  for (const row of residual) {
    const place = row.findIndex((value, one) => one < program.semes && !Number.isFinite(value));
    if (place >= 0) throw new InputError(`no answer: \`${names[place]}\` is no finite number; float64 holds none that is larger than 1.8e+308`);
  }
}

/** All of a row by name: what examples are compared with. */
function entire(state, row) {
  return Object.fromEntries([...row].map((value, place) => [state.names[place], value]));
}

/** What is not 0 in a row, or in a row of only some places, by name. */
function sparse(state, row, places = null) {
  if (!counts(row)) return EMPTY;
  const found = Object.create(null);
  for (let one = 0; one < row.length; one++) {
    if (Math.abs(row[one]) > NOTHING) found[state.names[places ? places[one] : one]] = row[one];
  }
  return found;
}

function encoderResidual(state, tokens) {
  const { program } = state;
  let residual = embed(state, tokens, state.vectors);
  note(state, "encoder", "embedding", tokens, residual);
  if (program.cell) {
    residual = recur(state, program.cell, residual);
    note(state, "encoder", "cell", tokens, residual);
  }
  state.memory = null;
  return stack(state, "encoder", tokens, residual);
}

function stack(state, name, tokens, start) {
  const stages = state.program[name];
  let residual = start;
  for (let first = 0, next; first < stages.length; first = next) {
    const { loop } = stages[first];
    next = first + 1;
    while (loop && stages[next]?.loop?.name === loop.name) next++;
    const part = stages.slice(first, next);
    residual = loop ? looped(state, loop, part, name, tokens, residual) : once(state, part, name, tokens, residual);
  }
  if (name === "encoder") state.memory = { tokens, residual };
  return residual;
}

/** Rounds until the text is done, or each place of a decoder, or a mark where not. */
function looped(state, loop, stages, name, tokens, start) {
  const { at, program } = state;
  const put = (residual, names, value, where) =>
    residual.map((row, place) => {
      if (!where[place] || names.every((one) => row[at.get(one)] === value)) return row;
      const changed = row.slice();
      for (const one of names) changed[at.get(one)] = value;
      return changed;
    });
  const heard = (residual, flag) => {
    const up = residual.map((row) => row[at.get(flag)] > UP);
    return name === "decoder" ? up : up.fill(up.includes(true));
  };
  let residual = start;
  let going = loop.asked.reduce((on, flag) => heard(start, flag).map((up, place) => up && on[place]), start.map(() => true));
  for (let round = 0; round < loop.most && going.includes(true); round++) {
    state.round = { loop: loop.name, number: round + 1 };
    residual = once(state, stages, name, tokens, put(residual, loop.resets, 0, going), going);
    const up = heard(residual, loop.until);
    going = going.map((on, place) => on && up[place] === loop.none);
  }
  state.round = null;
  residual = put(residual, [loop.unfinished], 1, going);
  note(state, name, loop.name, tokens, residual);
  if (going.includes(true) && program.unheard.includes(loop.name)) {
    throw new InputError(`loop ${loop.name}: not done after ${loop.most} round${loop.most === 1 ? "" : "s"}`);
  }
  return residual;
}

/** The layers in turn; what stands at a place that does not go on stays as it is. */
function once(state, stages, name, tokens, start, going = null) {
  let residual = start;
  for (const stage of stages) {
    if (stage.type === "dense") {
      residual = dense(state, stage, residual);
      note(state, name, stage.name, tokens, residual);
      continue;
    }
    for (let time = 0; time < stage.repeat; time++) {
      const parts = [];
      const heads = [];
      const before = residual;
      residual = layer(state, stage, name, tokens, residual, parts, heads);
      if (going) {
        residual = residual.map((row, place) => (going[place] ? row : before[place]));
        for (const part of parts) part.rows = part.rows.map((row, place) => (going[place] ? row : EMPTY));
      }
      note(state, name, stage.name, tokens, residual, parts, heads);
    }
  }
  return residual;
}

function layer(state, stage, name, tokens, start, parts, heads) {
  let residual = start;
  for (const group of [stage.heads, stage.cross]) {
    const seen = normalised(state, residual);
    const updates = group.map((head) => attend(state, head, stage, name, seen, parts, heads));
    residual = residual.map((row, i) => {
      const written = updates.map(({ places, rows }) => ({ places, numbers: rows[i] })).filter(({ numbers }) => counts(numbers));
      return written.length ? written.reduce((sum, vector) => added(sum, vector), row.slice()) : row;
    });
  }
  if (stage.feedforward) {
    const update = feedforward(state, stage.feedforward, normalised(state, residual), parts);
    residual = residual.map((row, i) => (counts(update[i]) ? add(row, update[i]) : row));
  }
  return residual;
}

/** A row that is nobody else's, to which a vector is added so many times. */
function added(row, { places, numbers }, times = 1) {
  for (let one = 0; one < places.length; one++) row[places[one]] += numbers[one] * times;
  return row;
}

/** Whether there is a number that is not 0. */
function counts(numbers) {
  for (let one = 0; one < numbers.length; one++) if (numbers[one]) return true;
  return false;
}

function add(left, right) {
  const sum = left.slice();
  for (let place = 0; place < sum.length; place++) sum[place] += right[place];
  return sum;
}

function normalised(state, residual) {
  switch (state.program.norm) {
    case "layer":
      return residual.map((row) => {
        const mean = row.reduce((a, b) => a + b, 0) / row.length;
        const centred = row.map((value) => value - mean);
        const size = Math.sqrt(centred.reduce((a, b) => a + b * b, 0) / row.length + EPSILON);
        return centred.map((value) => value / size);
      });
    case "round":
      // clocks stay as they are
      return residual.map((row) => row.map((value, place) => (place < state.program.semes ? roundHalfEven(value) : value)));
    default:
      return residual;
  }
}

function roundHalfEven(value) {
  const near = Math.round(value);
  return Math.abs(value % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

/** The value of a form at one row. */
function reads(state, form, row) {
  const { places, numbers } = placed(state, form[0]);
  let total = form[1];
  for (let one = 0; one < places.length; one++) total += numbers[one] * row[places[one]];
  return total;
}

/** A vector by names as places of a row and numbers: looked up once in a run. */
function placed({ at, placed: known }, vector) {
  let found = known.get(vector);
  if (!found) {
    found = { places: Object.keys(vector).map((name) => at.get(name)), numbers: Object.values(vector) };
    known.set(vector, found);
  }
  return found;
}

// ------------------------------------------------------------------ attention

function attend(state, head, stage, name, residual, parts, heads) {
  const source = head.source === "encoder" ? state.memory.residual : residual;
  const query = residual.map((row) => head.features.map((f) => reads(state, f.query, row)));
  const key = source.map((row) => head.features.map((f) => reads(state, f.key, row)));
  const scores = query.map((q, dst) =>
    key.map((k, src) => (allowed(head, name, dst, src) ? dot(q, k) : -Infinity)),
  );
  const [pattern, rest] = shares(head, scores);
  const fillers = source.map((row) => head.channels.map((c) => reads(state, c.filler, row)));
  const roles = residual.map((row) => head.channels.map((c) => reads(state, c.role, row)));
  heads.push({
    name: head.name,
    source: head.source,
    src: head.source === "encoder" ? state.memory.tokens : null,
    pattern,
    rest,
    scores: head.normalize === "queries" ? null : scores.map((row) => row.map(finiteOrNull)),
    query,
    key,
    fillers,
    roles,
  });
  const update = written(state, head, state.change.off?.has(`${name}/${stage.name}/${head.name}`), { pattern, rest, fillers, roles });
  if (state.told) parts.push({ kind: "head", name: head.name, line: head.line, rows: update.rows.map((row) => sparse(state, row, update.places)) });
  return update;
}

/** What a head writes at each token: numbers at the places that it writes at all. */
function written(state, head, silent, { pattern, rest, fillers, roles }) {
  const vectors = [...head.channels.map(({ writes }) => writes), head.bias].map((vector) => placed(state, vector));
  const places = [...new Set(vectors.flatMap((vector) => vector.places))].sort((one, other) => one - other);
  const here = vectors.map((vector) => ({ ...vector, places: vector.places.map((place) => places.indexOf(place)) }));
  const rows = roles.map((role, dst) => {
    const row = new Float64Array(places.length);
    if (silent) return row;
    const seen = shared(pattern[dst]);
    const mean = head.normalize !== "queries"; // equal shares: the sum is divided, so that ten ones come to 1
    const count = mean ? Math.max(1, seen.length + (rest[dst] > 0)) : 1;
    head.channels.forEach((_, c) => {
      let filler = head.null ? (mean ? Number(rest[dst] > 0) : rest[dst]) * head.null.filler[c] : 0;
      for (const src of seen) filler += mean ? fillers[src][c] : pattern[dst][src] * fillers[src][c];
      added(row, here[c], (filler / count) * role[c]);
    });
    return added(row, here.at(-1));
  });
  return { places, rows };
}

function finiteOrNull(value) {
  return Number.isFinite(value) ? value : null;
}

function dot(left, right) {
  let sum = 0;
  for (let place = 0; place < left.length; place++) sum += left[place] * right[place];
  return sum;
}

function allowed(head, name, dst, src) {
  if (head.source === "encoder") return true;
  const distance = src - dst;
  if (name === "decoder" && distance > 0) return false;
  switch (head.look) {
    case "before":
      return distance < 0;
    case "upto":
      return distance <= 0;
    case "after":
      return distance > 0;
    case "self":
      return distance === 0;
    case "notself":
      return distance !== 0;
    default:
      return true;
  }
}

function shares(head, scores) {
  if (head.normalize === "queries") {
    const turned = (scores[0] ?? []).map((_, src) => share(scores.map((row) => row[src])));
    return [scores.map((_, dst) => turned.map((column) => column[dst])), scores.map(() => 0)];
  }
  const rest = head.null ? head.null.score : -Infinity;
  const all = scores.map((row) => share([...row, rest]));
  return [all.map((row) => row.slice(0, -1)), all.map((row) => row.at(-1))];
}

/** Equal shares for the highest scores; none where nothing is allowed. */
function share(scores) {
  let top = -Infinity;
  for (const score of scores) top = Math.max(top, score);
  if (!Number.isFinite(top)) return scores.map(() => 0);
  let count = 0;
  for (const score of scores) if (score >= top - TIE) count++;
  return scores.map((score) => (score >= top - TIE ? 1 / count : 0));
}

/** The places with a share. */
function shared(pattern) {
  const found = [];
  for (let src = 0; src < pattern.length; src++) if (pattern[src]) found.push(src);
  return found;
}

// ------------------------------------------------------------------ pointwise parts

function feedforward(state, block, residual, parts) {
  const update = residual.map(() => new Float64Array(state.program.width));
  const write = ({ name, writes, line = null }, amounts) => {
    amounts.forEach((amount, i) => added(update[i], placed(state, writes), amount));
    if (state.told) parts.push({ kind: "rule", name, line, rows: amounts.map((amount) => scaled(writes, amount)) });
  };
  for (const rule of block.rules) {
    write(rule, residual.map((row) => ruleValue(state, rule, row)));
  }
  for (const unit of block.units) {
    write(unit, residual.map((row) => Math.max(reads(state, unit.reads, row), 0)));
  }
  for (const row of update) {
    for (const [seme, value] of Object.entries(block.bias)) row[state.at.get(seme)] += value;
  }
  return update;
}

/** A vector by names so many times; nothing of what hardly counts. */
function scaled(vector, times) {
  if (Math.abs(times) <= NOTHING) return EMPTY;
  const found = Object.create(null);
  for (const name in vector) found[name] = vector[name] * times;
  return found;
}

function ruleValue(state, rule, row) {
  const violations = reads(state, rule.violations, row);
  const open = Math.min(1, Math.max(0, 1.5 - 2 * violations));
  if (!rule.curve) return open;
  const { form, low, start, slope, knots, reach } = rule.curve;
  const x = reads(state, form, row) - reach * violations;
  const bends = knots.reduce((sum, [knot, change]) => sum + change * Math.max(0, x - knot), 0);
  return start * open + slope * Math.max(0, x - low) + bends;
}

function mapped(state, weights, row) {
  const result = new Float64Array(row.length);
  for (const [name, form] of Object.entries(weights)) result[state.at.get(name)] = reads(state, form, row);
  return result;
}

function dense(state, stage, residual) {
  return residual.map((row) => {
    let result = mapped(state, stage.weights, row);
    if (stage.relu) result = result.map((value) => Math.max(value, 0));
    for (let place = state.program.semes; place < row.length; place++) result[place] = row[place];
    return result;
  });
}

const ACTIVATIONS = {
  relu: (x) => Math.max(x, 0),
  tanh: Math.tanh,
  clip: (x) => Math.min(1, Math.max(-1, x)),
  none: (x) => x,
};

function recur(state, cell, inputs) {
  let hidden = new Float64Array(state.program.width);
  return inputs.map((row) => {
    hidden = add(mapped(state, cell.input, row), mapped(state, cell.recurrent, hidden)).map(ACTIVATIONS[cell.activation]);
    return hidden;
  });
}

// ------------------------------------------------------------------ answers

function best(scores) {
  return scores.reduce((top, score, place) => (score > scores[top] ? place : top), 0);
}

function classified(state, text, residual) {
  const { pool, classes, otherwise, number } = state.program.classify;
  const table = new Map(classes);
  if (otherwise !== null) table.set(otherwise, [{}, 0.5]);
  const pooled = poolRows(pool, residual);
  const labels = [...table.keys()];
  const scores = labels.map((label) => reads(state, table.get(label), pooled));
  if (!scores.every(Number.isFinite)) throw new InputError("no answer: a score is no finite number; float64 holds none that is larger than 1.8e+308");
  if (number) return finish(state, text, shownScore(scores[0]), { score: scores[0] });
  const named = Object.fromEntries(labels.map((label, place) => [label, scores[place]]));
  return finish(state, text, labels[best(scores)], { scores: named });
}

function poolRows(pool, residual) {
  switch (pool) {
    case "max":
      return residual.reduce((one, other) => one.map((value, place) => Math.max(value, other[place])));
    case "mean":
      return residual.reduce(add).map((value) => value / residual.length);
    case "sum":
      return residual.reduce(add);
    case "first":
      return residual[0];
    default:
      return residual.at(-1);
  }
}

function labelled(state, text, tokens, residual) {
  const { outputs } = state.program;
  const said = residual
    .filter((_, place) => tokens[place] !== "<bos>" && tokens[place] !== "<eos>")
    .map((row) => outputs[best(outputs.map(([, form]) => reads(state, form, row)))][0]);
  return finish(state, text, join(said, state.program));
}

function generate(state, tokens) {
  const { program } = state;
  if (program.kind === "seq2seq") encoderResidual(state, tokens);
  const written = program.kind === "seq2seq" ? ["<bos>"] : [...tokens];
  const first = written.length;
  const before = { ...state, told: false }; // the last step alone is told
  do written.push(next(before, written));
  while (written.at(-1) !== "<eos>" && written.length - first <= program.lengths[1]);
  if (state.told) next(state, written.slice(0, -1));
  const produced = written.slice(first);
  return produced.at(-1) === "<eos>" ? produced : produced.slice(0, program.lengths[1]);
}

/** The token that is written behind others. */
function next(state, written) {
  const { program } = state;
  const { outputs } = program;
  const change = program.kind === "decoder" ? state.change : {}; // hands are dragged in the input
  const start = embed({ ...state, change }, written, program.kind === "decoder" ? state.vectors : []);
  note(state, "decoder", "embedding", written, start);
  const residual = stack(state, "decoder", written, start);
  return outputs[best(outputs.map(([, form]) => reads(state, form, residual.at(-1))))][0];
}

/** Whether what is written must come to <eos>; a program without it fills its length. */
function ends(program) {
  return program.outputs.some(([token]) => token === "<eos>") || Object.hasOwn(program.lexicon, "<eos>");
}

function endless({ lengths: [, most] }) {
  return `the answer does not end: the output's length is ${most} token${most === 1 ? "" : "s"}, and no <eos> follows them`;
}

function ofVectors(state, text) {
  const { program } = state;
  const semes = program.names.slice(0, program.semes).filter(isWritten);
  const residual = text.split("|").map((piece) => rowOf(state, readVector(piece, semes, program.named)));
  const tokens = residual.map((_, place) => `vector ${place + 1}`);
  note(state, "encoder", "input", tokens, residual);
  const final = stack(state, "encoder", tokens, residual);
  checkFinite(state, final);
  return finish(state, text, final.map((row) => showVector(named(program, row), brokenOf(program))).join(" | "), { rows: final.map((row) => ["", entire(state, row)]) });
}

/** The semes of a program's author; counters of phrases and flags of comparisons are not shown. */
function named(program, row) {
  const all = program.names.slice(0, program.semes).map((name, place) => [name, row[place]]);
  return all.filter(([name]) => isWritten(name));
}

/** The names of what is not declared whole. */
export function brokenOf(program) {
  if (!brokens.has(program)) brokens.set(program, new Set(program.broken));
  return brokens.get(program);
}

/** Whether a seme is its author's; programs make some for themselves. */
export function isWritten(name) {
  return !/^(phrase|comparison)\["/.test(name);
}

function join(tokens, { tokens: kind, join: end }) {
  const plain = tokens.filter((token) => token !== "<bos>" && token !== "<eos>");
  if (kind.endsWith("chars")) return plain.join("");
  return end ? plain.join(" ").replaceAll(`${end} `, end) : plain.join(" ");
}

function showResidual(program, tokens, residual, digits) {
  return tokens
    .map((token, place) => [token, residual[place]])
    .filter(([token]) => token !== "<bos>" && token !== "<eos>")
    .map(([token, row]) => `${showToken(token)}: ${showVector(named(program, row), brokenOf(program), digits)}`)
    .join(" | ");
}

/** An answer whose numbers have so many digits, and its text with them. */
export function withDigits(program, answer, digits) {
  if (answer.score !== undefined) {
    const text = shownScore(answer.score, digits);
    return { ...answer, text, score: Number(text) };
  }
  const broken = brokenOf(program);
  const near = ([token, row]) => [token, Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value, !broken.has(name), digits)]))];
  const vectors = answer.rows.map(([, row]) => program.names.map((name) => row[name]));
  const tokens = answer.rows.map(([token]) => token);
  const text = program.vectors ? vectors.map((row) => showVector(named(program, row), broken, digits)).join(" | ") : showResidual(program, tokens, vectors, digits);
  return { ...answer, text, rows: answer.rows.map(near) };
}

function showToken(token) {
  const bare = /^[\p{L}](?:[\p{L}\p{N}_'-]*[\p{L}\p{N}_'])?$/u.test(token);
  const taken = ["for", "unknown", "classify"].includes(token);
  return /^<[\p{L}\p{N}_]+>$/u.test(token) || (bare && !taken) ? token : JSON.stringify(token);
}

/** `+dog -2.1wombat`; whole are semes that are not `broken`. */
export function showVector(entries, broken, digits = DIGITS) {
  const shown = entries.map(([name, value]) => [name, shownNumber(value, !broken.has(name), digits)]);
  return shown.filter(([, amount]) => amount !== "0").map(([name, amount]) => showTerm(name, amount)).join(" ") || "0";
}

/** `+dog`, `-2.1wombat` */
export function showTerm(name, amount) {
  const size = amount.replace("-", "");
  return `${amount.startsWith("-") ? "-" : "+"}${size === "1" ? "" : size}${size.includes("e") ? " " : ""}${name}`;
}
