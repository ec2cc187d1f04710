// Numbers as texts, and when two of them are the same: as progtf/numbers.py has it, which a test compares.

export const DIGITS = 6;
export const DECIMALS = 4;
const BRIEF = 4; // digits in a picture of a number that is not whole
const NOTHING = 1e-6;
const QUARTER = 0.25;
const EXACT = 0; // a page computes what the interpreter does, and that misses no whole number
const DOUBLE = 2 ** -50;
const SINGLE = 2 ** -21;
export const MOST_DIGITS = 17;
const SINGLE_DIGITS = 7;
const LONGEST = 1e21;
const ALL = 100; // digits that a browser writes at most: enough to see an exact half

/** The shortest decimal that reads back to the same number, with an exponent where Python has one. */
export function exact(value) {
  const [mantissa, power] = value.toExponential().split("e");
  return Object.is(value, -0) ? "-0" : spelled(mantissa, Number(power), 16);
}

/** A number in a sentence: a whole one with every digit, another with as many as tell it from a whole one. */
export function plain(value) {
  if (!Number.isFinite(value)) return notFinite(value);
  if (!Number.isInteger(value)) return broken(value, DIGITS);
  return Math.abs(value) < LONGEST ? String(BigInt(value)) : exact(value);
}

/** A number as answers have it: whole ones, where that is declared, with every digit. */
export function shown(value, whole = false, digits = DIGITS, noise = EXACT) {
  const near = rounded(value, whole, digits, noise);
  if (!Number.isFinite(near) || (Number.isInteger(near) && (near === value || whole))) return plain(near);
  return whole ? broken(near, digits, noise) : general(near, digits);
}

/** The number that `shown` writes; what is no more than the leak of a softmax, and not declared whole, is 0. */
export function rounded(value, whole = false, digits = DIGITS, noise = EXACT) {
  if (!Number.isFinite(value)) return value;
  if (whole) return wholeNear(value, noise) ?? Number(broken(value, digits, noise));
  if (Math.abs(value) < Math.min(NOTHING, Number(`1e-${digits}`))) return 0;
  return Number(precise(value, digits)) + 0;
}

/** The whole number that is meant, if a value lies no further off than arithmetic may miss it. */
export function wholeNear(value, noise = EXACT) {
  if (!Number.isFinite(value)) return null;
  const near = Math.round(value) + 0;
  return missed(value, near, noise) ? null : near;
}

/** A score: so many decimals at most, and every digit before them. */
export function score(value, decimals = DECIMALS) {
  if (!Number.isFinite(value)) return notFinite(value);
  const near = fixed(value, decimals) + 0;
  return Number.isInteger(near) ? plain(near) : exact(near);
}

/** A number in a picture: a whole one with every digit, another with four, and all before its point. */
export function short(value) {
  if (value === null || value === undefined) return "none";
  if (!Number.isFinite(value)) return notFinite(value);
  if (Math.abs(value) < NOTHING) return "0";
  const near = wholeNear(value, DOUBLE) ?? (Math.abs(value - Math.round(value)) <= NOTHING ? Math.round(value) + 0 : null);
  return near === null ? exact(Number(precise(value, Math.max(BRIEF, exponentOf(value) + 1)))) : plain(near);
}

function missed(value, near, noise) {
  const away = Math.abs(value - near);
  return away > 0 && (away > noise * Math.max(1, Math.abs(value)) || away >= QUARTER);
}

/** A number that is not whole: so many digits, three decimals, and what tells it from a whole one. */
function broken(value, digits, noise = EXACT) {
  let least = Math.max(digits, Math.min(exponentOf(value) + 4, noise <= DOUBLE ? MOST_DIGITS : SINGLE_DIGITS));
  while (least < MOST_DIGITS && Number.isInteger(Number(precise(value, least)))) least++;
  return general(value, least);
}

function exponentOf(value) {
  return Number(value.toExponential(17).split("e")[1]);
}

function notFinite(value) {
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** So many significant digits as `1.25e+3`; an exact half goes to the even digit, as in Python. */
function precise(value, digits) {
  const [mantissa, power] = value.toExponential(digits).split("e");
  const all = value.toExponential(ALL).split("e")[0];
  return downFromHalf(mantissa, all) ? `${withoutLast(mantissa)}e${power}` : value.toExponential(digits - 1);
}

/** So many decimals; an exact half goes to the even digit. */
function fixed(value, decimals) {
  if (Math.abs(value) >= 2 ** 52) return value;
  const more = value.toFixed(decimals + 1);
  return Number(downFromHalf(more, value.toFixed(ALL)) ? withoutLast(more) : value.toFixed(decimals));
}

/** Whether digits that end in 5 are the whole number, so that it lies midway, and an even one stands before the 5. */
function downFromHalf(digits, all) {
  if (digits.at(-1) !== "5" || !all.startsWith(digits) || /[^0]/.test(all.slice(digits.length))) return false;
  return Number(digits.replace(".", "").at(-2)) % 2 === 0;
}

function withoutLast(digits) {
  return digits.slice(0, -1).replace(/\.$/, "");
}

/** As Python's `g`: no zeros at the end, an exponent of two digits at least. */
function general(value, digits) {
  const [mantissa, power] = precise(value, digits).split("e");
  return spelled(mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa, Number(power), digits);
}

/** Digits with their point in its place, or with an exponent where there are more than `most` before it. */
function spelled(mantissa, power, most) {
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [before, after = ""] = mantissa.replace("-", "").split(".");
  if (power < -4 || power >= most) return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  const digits = before + after;
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
  const rest = digits.slice(power + 1);
  return sign + whole + (rest ? `.${rest}` : "");
}

// ------------------------------------------------------------------ comparing

const LITERAL = /^([-+−]?)\s*((\d*)(\.\d+)?(?:[eE]([+-]\d+))?)/;

export const ABSENT = Object.freeze({ value: 0, unit: null, digits: 0 });

/** A number as the notation has it: its value, the unit of its last digit, and how many it has; null if it is none of float64. */
export function written(text) {
  const found = LITERAL.exec(text.trim());
  if (!found || found[0].length !== text.trim().length || !(found[3] || found[4])) return null;
  const [, sign, number, before, after, exponent] = found;
  const value = Number(number) * (sign === "" || sign === "+" ? 1 : -1) + 0;
  if (!Number.isFinite(value) || (/^\d+$/.test(number) && BigInt(number) !== BigInt(Math.abs(value)))) return null;
  if (!value && /[1-9]/.test(`${before}${after ?? ""}`)) return null;
  const digits = `${before}${(after ?? "").slice(1)}`.replace(/^0+/, "").length;
  if (after !== undefined) return { value, unit: Number(`1e${Number(exponent ?? 0) - after.length + 1}`), digits };
  return { value, unit: exponent || digits <= DIGITS ? null : 0, digits };
}

/** The sum of two numbers as they were written; it counts as far as the finer one. */
export function sum(one, other) {
  const units = [one.unit, other.unit].filter((unit) => unit !== null);
  return { value: one.value + other.value, unit: units.length ? Math.min(...units) : null, digits: Math.max(one.digits, other.digits) };
}

/** Whether a number is what somebody wrote: a whole one exactly, another at the digits that are written. */
export function agree(value, due, { whole = false, within = null, noise = EXACT, decimals = null } = {}) {
  if (value === due.value) return true;
  if (within === null && whole && (Number.isInteger(due.value) || wholeNear(value, noise) !== null)) {
    return !missed(value, due.value, Math.min(noise, SINGLE)) && Number.isInteger(due.value);
  }
  if (within === null && decimals === null && due.unit === 0 && Number.isInteger(due.value)) { // a long one is stored as formats can
    const stored = Math.abs(value - due.value) <= (noise / (noise <= SINGLE ? 8 : 4)) * Math.abs(due.value);
    return stored || !missed(value, due.value, Math.min(noise, SINGLE));
  }
  const allowed = within ?? unitOf(due, decimals, value) / 2;
  const slack = Math.max(noise * Math.max(1, Math.abs(value)), Math.min(DOUBLE * Math.abs(value), allowed)); // what is written is rounded, too
  return Math.abs(value - due.value) <= allowed + slack;
}

function unitOf(due, decimals, value) {
  if (due.unit) return due.unit;
  if (decimals !== null) return Number(`1e-${decimals}`);
  if (!due.value) return 2 * NOTHING;
  const first = value ? Math.min(exponentOf(due.value), exponentOf(value)) : exponentOf(due.value);
  return Number(`1e${first + 1 - Math.max(DIGITS, due.digits)}`); // 0.999999 is not 1 in six digits
}
