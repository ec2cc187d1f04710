// What the theme leaves out for screen readers and keys.
function completed() {
  for (const nav of document.querySelectorAll(".md-code__nav:not([role])")) nav.setAttribute("role", "none"); // one button is no landmark
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((table, place) => {
    if (table.scrollWidth <= table.clientWidth) return;
    const named = { tabindex: "0", role: "group", "aria-label": `table ${place + 1}, which scrolls` };
    for (const [name, value] of Object.entries(named)) table.setAttribute(name, value);
  });
}
new MutationObserver(completed).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", completed);
completed();
