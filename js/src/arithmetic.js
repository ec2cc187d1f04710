// The numbers of one head at one token, as pictures of attention and readings in steps tell them.

import { rounded, short } from "./numbers.js";

/** The addends of a score; the hands of all clocks are one of them. */
export function products(described, query, key) {
  const clocks = described.features.map((feature) => feature.name.startsWith("at."));
  const plain = described.features.flatMap((feature, f) =>
    clocks[f] || (!rounded(query[f]) && !rounded(key[f])) ? [] : [`${short(query[f])}·${short(key[f])} (${feature.name})`],
  );
  if (!clocks.some(Boolean)) return plain;
  const agreed = described.features.reduce((sum, _, f) => sum + (clocks[f] ? query[f] * key[f] : 0), 0);
  const count = clocks.filter(Boolean).length / 2;
  return [...plain, `${short(agreed)} (${count} ${count === 1 ? "clock" : "clocks"})`];
}

/** What fillers come to, bound to the reader's roles: seme -> value. */
function bound(described, roles, fillers) {
  const total = new Map();
  described.channels.forEach((channel, c) => {
    for (const [seme, value] of Object.entries(channel.writes)) total.set(seme, (total.get(seme) ?? 0) + value * fillers[c] * roles[c]);
  });
  return total;
}

/** What a share of one token's fillers writes. */
export function writes(described, head, dst, src, share) {
  return bound(described, head.roles[dst], head.fillers[src].map((filler) => share * filler));
}

/** What the null key's share writes. */
export function writesOfNull(described, head, dst) {
  return bound(described, head.roles[dst], described.null.filler.map((filler) => head.rest[dst] * filler));
}
