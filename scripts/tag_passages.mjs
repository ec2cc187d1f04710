// Tags the words of passages: `node scripts/tag_passages.mjs OUT FILE...`, in a folder where
// `npm install wink-nlp wink-eng-lite-web-model` (MIT) has run. FILEs are as of `data.pairs`; OUT has a line of
// JSON for each passage: {"context", "tags": [[begin, end, universal part of speech], ...]}, by characters.
// It holds the passages, and is not committed.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

const require = createRequire(`${process.cwd()}/`);
const nlp = require("wink-nlp")(require("wink-eng-lite-web-model"));
const { its } = nlp;
const [out, ...files] = process.argv.slice(2);

function tagged(context) {
  const tokens = nlp.readDoc(context).tokens();
  const [values, kinds] = [tokens.out(its.value), tokens.out(its.pos)];
  let at = 0;
  return values.map((value, number) => {
    const begin = context.indexOf(value, at);
    if (begin < 0) return null; // spelt otherwise than it stands there
    at = begin + value.length;
    return [begin, at, kinds[number]];
  }).filter(Boolean);
}

const lines = files.flatMap((file) => {
  const raw = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(raw) : raw).toString();
  return text.trim().split("\n").map((line) => JSON.parse(line).context);
});
// Places are counted as Python does, in characters and not in halves of them.
const text = lines.map((context) => {
  const whole = [...context].length === context.length;
  return JSON.stringify({ context, tags: whole ? tagged(context) : [] });
});
writeFileSync(out, `${text.join("\n")}\n`);
console.log(`${lines.length} passages, ${text.filter((line) => line.includes('"tags":[]')).length} without tags`);
