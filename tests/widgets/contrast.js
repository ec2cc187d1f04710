// All visible text whose contrast with what is behind it is below WCAG 2.2's 1.4.3 (AA).
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (known.has(colour)) return known.get(colour);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "#000";
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    known.set(colour, [r, g, b, a / 255]);
    return known.get(colour);
  };
  const over = (front, back, alpha) => front.slice(0, 3).map((value, place) => value * alpha + back[place] * (1 - alpha));
  const ancestors = (element) => {
    const all = [];
    for (let one = element; one; one = one.parentElement) all.unshift(one);
    return all;
  };
  const behind = (element) =>
    ancestors(element).reduce((colour, one) => {
      const [r, g, b, a] = rgba(getComputedStyle(one).backgroundColor);
      return a ? over([r, g, b], colour, a) : colour;
    }, rgba(matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "#121212" : "#fff").slice(0, 3));
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ratio = (one, two) => {
    const [dark, bright] = [light(one), light(two)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const low = [];
  let texts = 0;
  const judge = (element, style, text) => {
    texts += 1;
    const ground = behind(element);
    const [r, g, b, a] = rgba(element instanceof SVGElement ? style.fill : style.color);
    const opacity = ancestors(element).reduce((all, one) => all * Number(getComputedStyle(one).opacity), a);
    const found = ratio(over([r, g, b], ground, opacity), ground);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (found < (large ? 3 : 4.5)) low.push(`${found.toFixed(2)} ${text.trim().slice(0, 30)} <${element.tagName} ${element.getAttribute("class") ?? ""}>`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: element, data } = walker.currentNode;
    if (!data.trim() || ["SCRIPT", "STYLE", "TITLE", "OPTION", "OPTGROUP"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest("[disabled]")) continue;
    judge(element, getComputedStyle(element), data);
  }
  for (const field of document.querySelectorAll("input, select, textarea")) {
    if (!field.checkVisibility() || ["radio", "checkbox", "range"].includes(field.type)) continue;
    judge(field, getComputedStyle(field), field.value || "value");
    if (field.placeholder) judge(field, getComputedStyle(field, "::placeholder"), field.placeholder);
  }
  return { texts, low: [...new Set(low)] };
}
