// Whether the examples of a program hold: the verdict of progtf/program/expected.py, which tests compare.

import { ABSENT, agree, DECIMALS, DIGITS, MOST_DIGITS, written } from "./numbers.js";
import { answerOf, brokenOf, InputError, isWritten, readWritten, withDigits } from "./run.js";

const WITHIN = /^(.*\S)\s+within\s+(\S+)$/s;

/** Whether an example holds, and what was found; `holds` is null where only Python could tell. */
export function verdict(program, { input, output, line }) {
  if (program.cut && !Object.hasOwn(program.cut, input)) return { input, output, line, holds: null, found: "" };
  try {
    const answer = answerOf(program, input);
    if (answer.error) return { input, output, line, holds: false, found: `${answer.text}: ${answer.error}` };
    const holds = agrees(program, answer, output);
    return { input, output, line, holds, found: holds ? answer.text : found(program, answer, output) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { input, output, line, holds: false, found: error.message };
  }
}

function agrees(program, { text, score, rows }, expected) {
  if (score === undefined && !rows) return text === expected;
  const [due, within] = parted(expected);
  if (score !== undefined) {
    const number = written(due);
    return number !== null && agree(score, number, { within, decimals: DECIMALS });
  }
  const semes = program.names.slice(0, program.semes);
  const broken = brokenOf(program);
  const left = rows.values(); // the tokens that an example names come in their order
  const near = (row, vector) => (name) => !counts(name, vector) || agree(row[name] ?? 0, vector[name] ?? ABSENT, { whole: !broken.has(name), within });
  const next = ([word, vector]) => {
    for (const [token, row] of left) {
      if (word === "" || word === token) return semes.every(near(row, vector));
    }
    return false;
  };
  try {
    return due.split("|").map((piece) => wanted(piece, semes)).every(next);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return false;
  }
}

/** What was found, with so many digits that it shows why it is not what is expected. */
function found(program, answer, expected) {
  if (answer.score === undefined && !answer.rows) return answer.text;
  for (let digits = answer.rows ? DIGITS : DECIMALS; digits <= MOST_DIGITS; digits++) {
    const near = withDigits(program, answer, digits);
    if (!agrees(program, near, expected)) return near.text;
  }
  return answer.text;
}

/** What is expected, and how far off numbers may lie where that is said. */
function parted(expected) {
  const [, due, share] = WITHIN.exec(expected.trim()) ?? [];
  const number = share === undefined ? null : written(share);
  return number === null || number.value < 0 ? [expected, null] : [due, number.value];
}

function wanted(piece, semes) {
  const colon = piece.lastIndexOf(":");
  const word = piece.slice(0, Math.max(colon, 0)).trim();
  const quoted = word.length > 2 && word[0] === word.at(-1) && `'"`.includes(word[0]);
  return [quoted ? word.slice(1, -1) : word, readWritten(piece.slice(colon + 1), semes)];
}

function counts(name, vector) {
  return isWritten(name) || Object.hasOwn(vector, name);
}
