// Texts to tokens by the spelling of a program: the same as progtf/program/cutting.py and characters.py, which tests compare.

const TYPOGRAPHY = {
  "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07",
  '"': "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02",
  "-": "\u2010\u2011\uff0d",
  ".": "\u2026\uff0e\u3002",
  "!": "\uff01",
  "?": "\uff1f",
  ",": "\uff0c",
  ":": "\uff1a",
  ";": "\uff1b",
};
const PLAIN = new Map(Object.entries(TYPOGRAPHY).flatMap(([plain, signs]) => [...signs].map((sign) => [sign, plain])));
const UNSEEN = /[\u00ad\u200b\u200c\u200d\u2060\ufeff]/gu;
const UNSEEN_BUT_JOINERS = /[\u00ad\u200b\u2060\ufeff]/gu;
const JOINS = /[\u0590-\u1fff]/u;
const DOUBLE = new RegExp(`["${TYPOGRAPHY['"']}]`, "gu");
const SINGLE = /(?<!\S)['\u2018](?=\S)(.*?)(?<=\S)['\u2019](?=[.,;:!?\u2026]*(?!\S))/gsu;
const DASH = "--+|[\\u2012-\\u2015]";
const DASHES = new RegExp(DASH, "gu");
const PARTS = new RegExp(`${DASH}|(?:(?!${DASH})\\S)+`, "gu");
const WORDS = /\S+/gu;
const INNER = /(?<=\p{L})[,;:!?](?=\p{L})/gu;
const STOPS = new Set([".", "!", "?"]);
const PUNCTUATION = /^[!-/:-@[-`{-~]+|[!-/:-@[-`{-~]+$/g;
const MOST_COUNTED = 15;

/** The tokens of a text of words, each with marks, a place and what it is guessed by. */
export function cutWords(spelling, lexicon, text) {
  const cutter = cutterOf(spelling, lexicon);
  const pieces = ended(spelling, allPieces(cutter, folded(cutter, text)), text);
  return spelling.join ? joined(cutter, pieces) : pieces.map((_, place) => single(cutter, pieces, place));
}

const cutters = new WeakMap();

function cutterOf(spelling, lexicon) {
  if (!cutters.has(spelling)) {
    const tokens = Object.keys(lexicon).sort();
    const own = new Set(tokens.join(""));
    const longest = new Map();
    for (const token of tokens) {
      const [first, ...more] = token.toLowerCase().split(" ");
      longest.set(first, Math.max(longest.get(first) ?? 1, 1 + more.length));
    }
    cutters.set(spelling, {
      spelling,
      lexicon,
      longest,
      byLower: new Map(tokens.map((token) => [token.toLowerCase(), token])),
      plain: new Map([...PLAIN].filter(([sign]) => !own.has(sign))),
      endings: [...new Set([...spelling.separate, ...spelling.drop, ...spelling.stops])],
      read: [...spelling.read].sort((one, other) => other.text.length - one.text.length),
    });
  }
  return cutters.get(spelling);
}

function folded({ spelling, plain }, given) {
  let text = given.replace(/[\u200b\ufeff]/gu, " ");
  if (spelling.fold.includes("typography")) text = text.replace(/[^\0-\x7f]/gu, (sign) => plain.get(sign) ?? sign);
  if (spelling.quotes === "drop") text = text.replace(DOUBLE, " ").replace(SINGLE, " $1 ");
  return spelling.dashes === "drop" ? text.replace(DASHES, (found) => " ".repeat(found.length)) : text;
}

function allPieces(cutter, text) {
  const words = text.matchAll(cutter.spelling.dashes === "separate" ? PARTS : WORDS);
  return [...words].flatMap((found, number) => cut(cutter, found[0], found.index, number === 0));
}

function ended(spelling, given, text) {
  const pieces = given.filter((piece) => !spelling.drop.includes(piece.text));
  while (pieces.length && spelling.stops.includes(pieces.at(-1).text)) pieces.pop();
  const mark = pieces.length ? closing(spelling, text.trimStart()) : "";
  if (mark && pieces.at(-1).text !== mark) pieces.push({ text: mark, written: "", start: text.length, end: text.length });
  return pieces;
}

/** What closes a text: the first mark that fits its first words. */
function closing(spelling, text) {
  const lower = text.toLowerCase();
  const begins = (each) => lower.startsWith(each.toLowerCase()) && !/^[\p{L}\p{N}]/u.test(lower.slice(each.length));
  return spelling.close.find(({ after }) => !after.length || after.some(begins))?.mark ?? "";
}

function cut(cutter, word, at, first) {
  const bare = word.replace(JOINS.test(word) ? UNSEEN_BUT_JOINERS : UNSEEN, "");
  const pieces = piecesOf(cutter, bare, at, first);
  if (bare.length === word.length) return pieces;
  return pieces.map((piece) => ({ ...piece, start: at, end: at + word.length }));
}

function piecesOf(cutter, word, at, first) {
  const whole = () => [{ text: trimmed(cutter, word), written: word, start: at, end: at + word.length }];
  if (has(cutter, word) || cutter.spelling.keep.includes(word)) return whole();
  const parted = endingOf(cutter, word) ?? innerOf(cutter, word);
  if (parted) {
    const [stem, rest] = parted;
    return [...piecesOf(cutter, stem, at, first), ...piecesOf(cutter, rest, at + stem.length, first)];
  }
  return readAs(cutter, word, at, first) ?? whole();
}

function endingOf({ endings }, word) {
  const ending = endings.find((each) => word.endsWith(each) && word.length > each.length);
  return ending === undefined ? null : [word.slice(0, -ending.length), ending];
}

function innerOf({ endings }, word) {
  const found = [...word.matchAll(INNER)].find((each) => endings.includes(each[0]));
  return found ? [word.slice(0, found.index + 1), word.slice(found.index + 1)] : null;
}

function readAs(cutter, word, at, first) {
  const lower = word.toLowerCase();
  for (const { text, meant, where } of cutter.read) {
    if (!lower.endsWith(text.toLowerCase()) || (first && where === "inside")) continue;
    const stem = word.slice(0, word.length - text.length);
    const words = meant.split(/\s+/u).filter(Boolean);
    if ((stem === "" || has(cutter, stem)) && words.every((each) => has(cutter, each))) {
      const [start, end, written] = [at + stem.length, at + word.length, word.slice(stem.length)];
      const rest = words.map((each) => ({ text: each, written, start, end }));
      return [...(stem ? piecesOf(cutter, stem, at, first) : []), ...rest];
    }
  }
  return null;
}

function trimmed({ spelling }, word) {
  if (!spelling.leaving || spelling.separate.includes(word) || spelling.keep.includes(word)) return word;
  const bare = word.replace(PUNCTUATION, "");
  return [...bare].length >= spelling.leaving ? bare : word;
}

function has(cutter, word) {
  return Object.hasOwn(cutter.lexicon, lookedUp(cutter, word)) || Object.hasOwn(cutter.lexicon, word);
}

function lookedUp({ spelling, lexicon, byLower }, word) {
  if (spelling.case === "lower") return word.toLowerCase();
  if (spelling.case === "fold" && !Object.hasOwn(lexicon, word)) return byLower.get(word.toLowerCase()) ?? word;
  return word;
}

function single(cutter, pieces, place) {
  const { text, written, start, end } = pieces[place];
  const { marks } = cutter.spelling;
  const token = lookedUp(cutter, text);
  const found = { token, marks: marks.map((mark) => (mark.guesses ? 0 : marked(mark, written))), place: [start, end], guess: "" };
  if (Object.hasOwn(cutter.lexicon, token)) return found;
  const number = marks.findIndex((mark) => mark.guesses && fits(mark, pieces, place));
  if (number < 0) return found;
  found.marks[number] = 1;
  found.guess = marks[number].line;
  return found;
}

function marked({ test, text }, word) {
  const [lower, sought] = [word.toLowerCase(), text.toLowerCase()];
  const longer = lower.length > sought.length;
  switch (test) {
    case "count":
      return Math.min(sought ? lower.split(sought).length - 1 : [...lower].length + 1, MOST_COUNTED);
    case "contains":
      return Number(lower.includes(sought));
    case "ending":
      return Number(longer && lower.endsWith(sought));
    case "beginning":
      return Number(longer && lower.startsWith(sought));
    case "digits":
      return Number(/\p{Nd}/u.test(word));
    case "capitals":
      return Number(/\p{Lu}/u.test(word) && word === word.toUpperCase());
    default:
      return Number(/^\p{Lu}/u.test(word));
  }
}

function fits(mark, pieces, place) {
  if (!marked(mark, pieces[place].text)) return false;
  if (mark.test !== "capital") return true;
  const begins = place === 0 || STOPS.has(pieces[place - 1].text);
  return !begins && pieces.some(({ written }) => /\p{Ll}/u.test(written) && written === written.toLowerCase());
}

function joined(cutter, pieces) {
  const tokens = [];
  for (let place = 0; place < pieces.length; ) {
    const longest = Math.min(cutter.longest.get(pieces[place].text.toLowerCase()) ?? 1, pieces.length - place);
    let token = null;
    let size = longest + 1;
    while (!token && --size > 1) token = phrase(cutter, pieces.slice(place, place + size));
    tokens.push(token ?? single(cutter, pieces, place));
    place += token ? size : 1;
  }
  return tokens;
}

function phrase(cutter, pieces) {
  const token = lookedUp(cutter, pieces.map((piece) => piece.text).join(" "));
  if (!Object.hasOwn(cutter.lexicon, token)) return null;
  const all = pieces.map(({ written }) => cutter.spelling.marks.map((mark) => (mark.guesses ? 0 : marked(mark, written))));
  const marks = cutter.spelling.marks.map((_, number) => Math.max(...all.map((each) => each[number])));
  return { token, marks, place: [pieces[0].start, pieces.at(-1).end], guess: "" };
}

// ------------------------------------------------------------------ characters

/** The characters of a text; `refused` says why it has two readings. */
export function readCharacters(spelling, given) {
  const { thousands: sign, lists } = spelling;
  const groups = sign && new RegExp(`(?<![0-9.${escaped(sign)}])[0-9]+(?:${escaped(sign)}[0-9]+)+`, "gu");
  if (sign && lists && !given.includes(`${sign} `)) {
    const found = [...given.matchAll(groups)].find((each) => grouped(each[0], sign));
    if (found) {
      const [one, two] = [found[0].replaceAll(sign, ""), found[0].replaceAll(sign, `${sign} `)];
      return { refused: `\`${found[0]}\` is one number or several: write \`${one}\`, or \`${two}\`` };
    }
  }
  let text = given;
  if (spelling.fold.includes("typography")) text = text.replace(/[^\0-\x7f]/gu, (each) => PLAIN.get(each) ?? each);
  if (spelling.fold.includes("blanks")) text = withBlanks(spelling, text.replace(/[\u00ad\u2060\u200c\u200d]/gu, ""));
  if (spelling.fold.includes("opening")) text = text.replace(/(?:^|(?<=[.?!;] ))[a-z](?=[a-z])/gu, (letter) => letter.toUpperCase());
  for (const { text: sought, meant, where } of [...spelling.read].sort((a, b) => b.text.length - a.text.length)) {
    text = text.replace(pattern(sought, where), () => meant);
  }
  if (sign && (!lists || text.includes(`${sign} `))) {
    text = text.replace(groups, (found) => (grouped(found, sign) ? found.replaceAll(sign, "") : found));
  }
  text = unstopped(spelling, text);
  const mark = closing(spelling, text);
  if (mark && text && !/[.?!]$/u.test(text) && !text.includes("?")) text += mark;
  return { characters: [...text] };
}

/** A text without what stops it, and the blanks before that, unless nothing is left then. */
function unstopped(spelling, text) {
  const stops = [...spelling.stops].sort((a, b) => b.length - a.length);
  let end = text.length;
  for (let stop; (stop = stops.find((each) => text.endsWith(each, end))) && end > stop.length; ) {
    end -= stop.length;
    while (text[end - 1] === " ") end -= 1;
  }
  return text.slice(0, end);
}

function withBlanks(spelling, given) {
  return given.replace(/[\s\u200b\ufeff]+/gu, (found, at) => {
    if (at === 0 || at + found.length === given.length) return "";
    return spelling.keep.some((kept) => given.startsWith(kept, at)) ? found : " ";
  });
}

function grouped(number, sign) {
  const [first, ...more] = number.split(sign);
  return first.length <= 3 && first[0] !== "0" && more.every((each) => each.length === 3);
}

function pattern(sought, where) {
  const sign = escaped(sought);
  if (where === "between terms") {
    const behind = "(?:(?<=[0-9)])|(?<![A-Za-z][A-Za-z])(?<=[A-Za-z]))";
    return new RegExp(`${behind}${sign}(?=-?(?:\\.?[0-9]|\\(|[A-Za-z](?![A-Za-z])))`, "gu");
  }
  if (where !== "between numbers") return new RegExp(sign, "gu");
  const behind = " *(?=-?\\.?[0-9])";
  const alone = /^\p{L}+$/u.test(sought) ? "(?<!(?<![0-9])0)" : "";
  return new RegExp(`(?<=[0-9])${alone}${sign}${behind}|(?<=[0-9]) +${sign}${behind}`, "gu");
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
}
