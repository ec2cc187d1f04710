// All that can be pressed and is smaller than 24 pixels either way (WCAG 2.2's 2.5.8).
// A hand of a clock is pressed anywhere on its face; a link within a sentence may be as high as its line.
() => {
  const small = [];
  const sized = (element) => element.closest("label") ?? (element.matches("[role=slider]") ? element.closest("svg") ?? element : element);
  const inSentence = (element) => element.matches("a") && getComputedStyle(element).display === "inline" && [...element.parentElement.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
  let targets = 0;
  for (const element of document.querySelectorAll("a[href], button, input, select, summary, textarea, [role=slider], [role=button], [role=option]")) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest("[inert]") || inSentence(element)) continue;
    targets += 1;
    const { width, height } = sized(element).getBoundingClientRect();
    if (Math.min(width, height) < 23.9) small.push(`${width.toFixed(0)} x ${height.toFixed(0)} ${element.textContent.trim().slice(0, 20) || element.getAttribute("aria-label")} <${element.tagName} ${element.className.baseVal ?? element.className}>`);
  }
  return { targets, small: [...new Set(small)] };
}
