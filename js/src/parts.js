// What Python has found of a text comes in parts, and only those that have changed: see progtf/views/serve.py.

const STACKS = ["encoder", "decoder"];

/** The parts of what is known of a text, and for which request it was found; of other views there are none. */
export function partsOf({ names, problems, program, asked }) {
  const parts = { names, problems, program: Boolean(program) };
  for (const [key, value] of Object.entries(program ?? {})) {
    const stack = STACKS.includes(key);
    parts[`program/${key}`] = stack ? value.length : value;
    if (stack) value.forEach((stage, place) => (parts[`program/${key}/${place}`] = stage));
  }
  return { parts, asked };
}

/** The parts with those that have changed. */
export function changed({ parts }, { changed: news, asked }) {
  return { parts: { ...parts, ...news }, asked };
}

/** What is known of a text, put together, with what else was said of it. */
export function joined({ parts }, { text, input, asked }) {
  const program = {};
  for (const [key, value] of Object.entries(parts)) {
    const [, name, place] = key.split("/");
    if (name === undefined || place !== undefined) continue;
    program[name] = STACKS.includes(name) ? Array.from({ length: value }, (_, number) => parts[`${key}/${number}`]) : value;
  }
  return { names: parts.names, problems: parts.problems, program: parts.program ? program : null, text, input, asked };
}
