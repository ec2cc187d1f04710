// On what a long program opens: what it is for, and a head that is quickly read, not a wall of weights.

const LONG = 60; // lines

/** Whether a program is too long to be read from its beginning. */
export function isLong(lines) {
  return lines.length > LONG;
}

/** What the first comment says, up to an empty line or an example of it; empty without one. */
export function purposeOf(lines) {
  const comment = lines.slice(0, lines.findIndex((line) => !line.startsWith("#")));
  const end = comment.findIndex((line, at) => at && /^#(\s*$|\s\s)/.test(line));
  const said = (end < 0 ? comment : comment.slice(0, end)).map((line) => line.slice(1).trim()).join(" ");
  const about = said.replace(/^[\w.-]+\.seme:\s*/, "");
  return about.charAt(0).toUpperCase() + about.slice(1);
}

/** The number of the line where the shortest head of a text begins; 0 where there is none. */
export function shortestHead(lines) {
  let [found, least] = [0, Infinity];
  lines.forEach((line, at) => {
    const [, indent] = /^(\s*)head\b.*:/.exec(line) ?? [];
    if (indent === undefined) return;
    const length = lines.slice(at + 1).findIndex((other) => /\S/.test(other) && /^\s*/.exec(other)[0].length <= indent.length);
    if (length >= 0 && length < least) [found, least] = [at + 1, length];
  });
  return found;
}
