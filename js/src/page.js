// A figure of an exported page: Python in a worker reads what is changed, and the address holds it, so that a link is a program.

import { forget, latest, remember } from "./kept.js";
import { changed, joined, partsOf } from "./parts.js";

const PATIENCE = 60_000; // ms for a text, once Python is there
const LARGEST = 2_000_000; // characters of an edit in an address

/** Python for all figures of a page; it starts when somebody is about to edit. */
class Python {
  constructor(url) {
    this.url = url;
    this.listeners = new Map();
    this.worker = null;
    this.ready = false;
    this.alarms = new Map();
  }

  start() {
    if (this.worker) return;
    this.worker = new Worker(this.url, { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.hear({ failed: event.message || "the worker could not be loaded" });
  }

  ask(request) {
    this.start();
    this.last = request;
    this.worker.postMessage(request);
    if (this.ready) this.watch(request);
  }

  watch(request) {
    clearTimeout(this.alarms.get(request.figure));
    this.alarms.set(request.figure, setTimeout(() => this.giveUp(request, `the program was given up: reading it took more than ${PATIENCE / 1000} seconds`), PATIENCE));
  }

  hear({ ready, resumed, failed, figure, found }) {
    if (failed) return this.giveUp(this.last, `Python could not be started: ${failed}`);
    if (ready) {
      this.ready = true;
      document.documentElement.dataset.python = resumed ? "resumed" : "started";
    }
    if (ready && this.last) this.watch(this.last);
    if (!found) return undefined;
    clearTimeout(this.alarms.get(figure));
    return this.listeners.get(figure)?.(found);
  }

  giveUp(request, headline) {
    this.worker?.terminate();
    Object.assign(this, { worker: null, ready: false });
    if (!request) return;
    const problem = { severity: "error", code: "no-answer", headline, label: "", help: "", line: 1, start: 0, end: 0, mend: null, text: headline };
    this.listeners.get(request.figure)?.({ program: null, problems: [problem], names: [], asked: request.id });
  }
}

const pythons = new Map();

function pythonAt(url) {
  if (!pythons.has(url)) pythons.set(url, new Python(url));
  return pythons.get(url);
}

/** What `mount` needs of a host: see playground.js. */
export function pageHost(base, figure, data) {
  const { name, files = {} } = data;
  const beside = (file) => new URL(file, new URL(base, document.baseURI)).href;
  const python = pythonAt(beside("worker.js"));
  let [asked, parts] = [0, partsOf(data)];
  const whole = (found) => (found.changed ? joined((parts = changed(parts, found)), found) : found);
  return {
    waiting: () => (python.ready ? "computing …" : "starting Python …"),
    send: () => python.start(),
    receive: (listener) => python.listeners.set(figure, (found) => listener(whole(found))),
    links: { to: (edited) => linkTo(figure, edited, data), squares: async (text) => (await import(beside("qr.js"))).squares(text) },
    keep(edited) {
      address(figure, edited, data);
      if (edited.id === asked) return;
      asked = edited.id;
      python.ask({ ...edited, figure, name, files });
    },
  };
}

const newest = new Map(); // of each figure, what is to stand in the address

const called = (figure) => `${location.pathname} ${figure}`;

/** Writes an edit into the address; until it stands there the window remembers it, for a page that is loaded again. */
async function address(figure, edited, data) {
  newest.set(figure, edited);
  remember(called(figure), { ...edited, at: Date.now() });
  const entry = await entryOf(figure, edited, data);
  if (newest.get(figure) !== edited) return;
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const name of [figure, inputOf(figure)]) kept.delete(name);
  for (const [name, value] of entry) kept.set(name, value);
  history.replaceState(null, "", String(kept) ? `#${kept}` : location.pathname + location.search);
  forget(called(figure));
}

/** The address of this page with one edit in it. */
async function linkTo(figure, edited, data) {
  const here = new URL(location.href);
  here.hash = String(new URLSearchParams(await entryOf(figure, edited, data)));
  return here.href;
}

const inputOf = (figure) => `${figure}.input`;

/** What stands in an address for an edit: nothing where all is as it was, the input alone where the program is. */
async function entryOf(figure, { text, input }, data) {
  if (text !== data.text) return [[figure, await packed(JSON.stringify({ text, input }))]];
  const first = data.input ?? data.program?.examples[0]?.input ?? "";
  return (input ?? first) === first ? [] : [[inputOf(figure), input]];
}

/** What was on its way to the address when the page was loaded again; null without it. */
function onItsWay(figure) {
  const { text, input } = latest(called(figure), {});
  forget(called(figure));
  return text !== undefined && performance.getEntriesByType("navigation")[0]?.type === "reload" ? { id: 0, text, input } : null;
}

/** What the address holds of a figure; null where it holds nothing that can be read. */
export async function fromAddress(figure, data) {
  const late = onItsWay(figure);
  if (late) {
    address(figure, late, data);
    return late;
  }
  const held = new URLSearchParams(location.hash.slice(1));
  const [kept, given] = [held.get(figure), held.get(inputOf(figure))];
  if (!kept) return given === null ? null : { id: 0, text: data.text, input: given };
  try {
    const { text, input } = JSON.parse(await unpacked(kept));
    return typeof text === "string" && (input === null || typeof input === "string") ? { id: 0, text, input } : null;
  } catch {
    return null;
  }
}

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const codes = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(codes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > LARGEST) throw new RangeError("too long");
  }
  return text;
}
