// The front-end of progtf: `render` is what anywidget calls; exported pages carry their data along.

import "./progtf.css";
import { h } from "./dom.js";
import { chainView } from "./chain.js";
import { changes } from "./changes.js";
import { aligned } from "./compare.js";
import { glossary } from "./glossary.js";
import { latest, remember } from "./kept.js";
import { matrixView } from "./matrix.js";
import { outlined } from "./outline.js";
import { changed, joined, partsOf } from "./parts.js";
import { playground } from "./playground.js";
import { verdict } from "./examples.js";
import { fromAddress, pageHost } from "./page.js";
import { run } from "./run.js";
import { trainingView } from "./training.js";

const GONE = "Run this cell again: the kernel behind this figure is gone.";
const FILE = "Read only: this page was opened as a file, where browsers start no Python. To change the program, say `python -m http.server` in its folder, and open `localhost:8000`.";
const AGAIN = 500; // ms until it is looked whether the kernel is there still
const LEFT = " Inputs are still answered here; a changed program is not.";
const VIEWS = { playground, matrix: matrixView, training: trainingView, chain: chainView };

const FROM_FILE = location.protocol === "file:";
const paper = matchMedia("print");
let printing = false; // what is printed is light, whatever the screen is

function isDark() {
  if (printing || paper.matches) return false;
  const { body, documentElement: page } = document;
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
  const named = page.dataset.theme ?? body.dataset.theme ?? { default: "light", slate: "dark" }[body.dataset.mdColorScheme];
  if (named === "dark" || named === "light") return named === "dark";
  if (body.classList.contains("vscode-dark") || body.classList.contains("theme-dark")) return true;
  if (body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** In JupyterLab letters are commands, and `d d` deletes a cell: not while somebody is in a figure. */
function unheard({ target, ctrlKey, metaKey }) {
  target.closest?.(".progtf")?.setAttribute("data-lm-suppress-shortcuts", String(!(ctrlKey || metaKey)));
}

addEventListener("keydown", unheard, true); // before the document's listeners

/** Shows one view in an element; returns what takes it away again. */
export function mount(element, kind, data, host = null) {
  const root = h("div", { class: "progtf", "data-testid": `progtf-${kind}` });
  element.append(root);
  let store = null;
  const themed = () => {
    root.dataset.theme = isDark() ? "dark" : "light";
    store?.emit("theme");
  };
  themed();
  const made = VIEWS[kind](data, host, root);
  if (made instanceof Element) root.append(made);
  else store = made;
  outlined(root);
  store?.emit("theme");
  const placed = new ResizeObserver(() => {
    store?.emit("theme"); // colours are not known before there is a page around
    placed.disconnect();
  });
  placed.observe(root);
  const watcher = new MutationObserver(themed);
  for (const one of [document.body, document.documentElement]) watcher.observe(one, { attributes: true });
  const queries = [matchMedia("(prefers-color-scheme: dark)"), paper];
  for (const one of queries) one.addEventListener("change", themed);
  const printed = ({ type }) => {
    printing = type === "beforeprint";
    themed();
  };
  for (const event of ["beforeprint", "afterprint"]) addEventListener(event, printed);
  return () => {
    watcher.disconnect();
    placed.disconnect();
    for (const one of queries) one.removeEventListener("change", themed);
    for (const event of ["beforeprint", "afterprint"]) removeEventListener(event, printed);
  };
}

/** Whether the kernel behind a figure was started anew, shut down, or died; anywidget shows of a figure's own model its state alone. */
function isLost(model) {
  const layout = model.get("layout");
  return layout?.comm_live === false || layout?.comm?.jsServicesComm?.isDisposed === true || ["terminating", "dead"].includes(model.widget_manager?.kernel?.status);
}

/** A figure of a widget: its data are the model's, and so is what is edited, so that both are saved and come back. */
export function render({ model, el }) {
  const listeners = [];
  let parts = partsOf(model.get("data"));
  const told = () => {
    const data = model.get("data");
    const known = data.asked !== undefined && parts.asked === data.asked; // it was told by its parts
    parts = partsOf(data);
    if (!known) for (const listener of listeners) listener(data);
  };
  const heard = (message) => {
    if (message?.type !== "found") return;
    if (parts.asked !== message.base) return model.send({ type: "all" });
    parts = changed(parts, message);
    for (const listener of listeners) listener(joined(parts, message));
  };
  const tell = (edited) => {
    model.set("edited", edited);
    model.save_changes();
  };
  const keep = (edited) => {
    const dated = { ...edited, at: Date.now() };
    remember(model.get("mark"), dated);
    tell(dated);
  };
  const known = model.get("edited");
  const edited = known && latest(model.get("mark"), known);
  if (edited !== known) tell(edited);
  const gone = h("p", { class: "ptf-gone", role: "status", "data-testid": "gone" });
  const waiting = () => gone.textContent || undefined;
  const losses = [];
  const host = { keep, waiting, send: (message) => waiting() || model.send(message), receive: (listener) => listeners.push(listener), lost: (listener) => losses.push(listener) };
  const connected = () => {
    const said = isLost(model) ? `${GONE}${model.get("kind") === "playground" ? LEFT : ""}` : "";
    if (said === gone.textContent) return;
    gone.textContent = said;
    if (said) for (const listener of losses) listener();
  };
  const news = { "change:data": told, "msg:custom": heard, comm_live_update: () => setTimeout(connected) };
  for (const [name, listener] of Object.entries(news)) model.on(name, listener);
  connected();
  const watch = setInterval(connected, AGAIN); // of a kernel that was shut down no model is told
  const unmount = mount(el, model.get("kind"), { ...model.get("data"), edited }, host);
  el.querySelector(":scope > .progtf").prepend(gone); // in its colours
  return () => {
    clearInterval(watch);
    for (const [name, listener] of Object.entries(news)) model.off(name, listener);
    unmount();
  };
}

/** Puts a figure where a page has its still picture, which is there again when the figure is gone. */
export function attach(model) {
  const id = `progtf-${model.get("place")}`;
  let shown = null;
  const look = () => {
    const place = document.getElementById(id);
    if (!place || place === shown?.place) return; // a notebook may take a cell out of sight, and bring it back
    shown?.leave();
    shown = { place, leave: occupy(model, place) };
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { childList: true, subtree: true });
  look();
  return () => {
    watcher.disconnect();
    shown?.leave();
  };
}

function occupy(model, place) {
  const still = [...place.childNodes];
  const styled = place.closest(".jp-RenderedHTMLCommon"); // JupyterLab's ways with tables and headings are not ours
  styled?.classList.remove("jp-RenderedHTMLCommon");
  const el = h("div");
  place.replaceChildren(el);
  const leave = render({ model, el });
  return () => {
    leave();
    place.replaceChildren(...still);
    styled?.classList.add("jp-RenderedHTMLCommon");
  };
}

/** A figure of a page; those of a folder with Python beside them can be edited, unless the page is a mere file. */
async function show(script, number) {
  const { kind, data } = JSON.parse(script.textContent);
  const place = h("div");
  script.after(place);
  const { python } = script.dataset;
  const edits = python !== undefined;
  const live = edits && !FROM_FILE;
  const figure = String(number);
  const edited = live ? await fromAddress(figure, data) : null;
  script.previousElementSibling?.classList.contains("progtf-still") && script.previousElementSibling.remove();
  mount(place, kind, { ...data, edited, unchanged: edits && !live ? FILE : "" }, live ? pageHost(python, figure, data) : null);
}

document.querySelectorAll('script[type="application/vnd.progtf+json"]').forEach(show);
if (FROM_FILE) {
  for (const one of document.querySelectorAll(".progtf-file, .progtf-served")) one.hidden = one.matches(".progtf-served");
}

globalThis.progtf = { aligned, changes, glossary, mount, run, verdict };
