// What screen readers list of a figure: headings one below the one before it, regions by names that no other figure has.

let figures = 0;

/** Gives the headings of a figure the level that they have on its page. */
export function levelled(root) {
  const earlier = [...document.querySelectorAll("h1, h2, h3, h4, h5")].filter((one) => !one.closest(".progtf") && one.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING);
  const level = Number(earlier.at(-1)?.tagName[1] ?? 2) + 1;
  for (const heading of root.querySelectorAll("h3")) heading.setAttribute("aria-level", level);
}

/** Headings with their level and, in all figures of a page but the first, regions with the figure's number. */
export function outlined(root) {
  figures += 1;
  levelled(root);
  if (figures === 1) return;
  for (const region of root.querySelectorAll("section[aria-labelledby]")) {
    const { textContent: name } = region.querySelector("h3");
    region.removeAttribute("aria-labelledby");
    region.setAttribute("aria-label", `${name}, figure ${figures}`);
  }
}
