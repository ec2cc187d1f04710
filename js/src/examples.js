// Whether the examples of a program hold: the verdict of progtf/program/expected.py, which tests compare.

import { answerOf, InputError, isWritten, readVector } from "./run.js";

const TOLERANCE = 1e-6;
const SHOWN = 1e-4; // of a score: the last decimal that is shown

/** Whether an example holds, and what was found; `holds` is null where only Python could tell. */
export function verdict(program, { input, output, line }) {
  if (program.cut && !Object.hasOwn(program.cut, input)) return { input, output, line, holds: null, found: "" };
  try {
    const answer = answerOf(program, input);
    if (answer.error) return { input, output, line, holds: false, found: `${answer.text}: ${answer.error}` };
    return { input, output, line, holds: agrees(program, answer, output), found: answer.text };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { input, output, line, holds: false, found: error.message };
  }
}

function agrees(program, { text, score, rows }, expected) {
  if (score !== undefined) return Math.abs(score - Number(expected)) <= SHOWN + TOLERANCE * Math.max(1, Math.abs(score));
  if (!rows) return text === expected;
  const semes = program.names.slice(0, program.semes);
  const left = rows.values(); // the tokens that an example names come in their order
  const next = ([word, vector]) => {
    for (const [token, row] of left) {
      if (word === "" || word === token) return semes.every((name) => !counts(name, vector) || near(row[name] ?? 0, vector[name] ?? 0));
    }
    return false;
  };
  try {
    return expected.split("|").map((piece) => wanted(piece, semes)).every(next);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return false;
  }
}

function wanted(piece, semes) {
  const colon = piece.lastIndexOf(":");
  const word = piece.slice(0, Math.max(colon, 0)).trim();
  const quoted = word.length > 2 && word[0] === word.at(-1) && `'"`.includes(word[0]);
  return [quoted ? word.slice(1, -1) : word, readVector(piece.slice(colon + 1), semes)];
}

function counts(name, vector) {
  return isWritten(name) || Object.hasOwn(vector, name);
}

function near(value, expected) {
  return Math.abs(value - expected) <= TOLERANCE * Math.max(1, Math.abs(value));
}
