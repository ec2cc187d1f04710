// Python in a worker of an exported page: what the notebook's process examines, this does in the browser.

import { loadPyodide, version } from "./pyodide.mjs";

const LIBRARY = "/progtf";
const EXAMINE = `
import json, sys
sys.path.insert(0, "${LIBRARY}")
sys.dont_write_bytecode = True
from pathlib import Path
from progtf.views.serve import Figures

figures = Figures()

def answer(request):
    asked = json.loads(request)
    folder = Path("/figures") / str(asked["figure"])
    for name, text in asked["files"].items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return figures.answer({**asked, "folder": str(folder), "inputs": [asked["input"] or ""]})

warm = "semes: a\\nlexicon:\\n  x: +a\\nlayer:\\n  feedforward:\\n    a: a\\n"
Figures().answer({"figure": "", "text": warm, "name": "warm.seme", "folder": None, "inputs": []})
None
`;
const KEPT = "progtf"; // the cache of memories
const DIGEST = "progtf-sha256"; // of each of them, beside it

const waiting = new Map(); // the newest text of each figure
const ready = start();
ready.then(
  ({ resumed }) => postMessage({ ready: true, resumed }),
  (error) => postMessage({ failed: String(error) }),
);

/** Python as the last visit has left it in memory, or from the beginning. */
async function start() {
  const archive = await fetch(new URL("progtf.zip", import.meta.url)).then((answer) => answer.arrayBuffer());
  const place = await placeOf(archive);
  const memory = await kept(place);
  const indexURL = new URL(".", import.meta.url).href;
  if (memory) {
    try {
      const python = await loadPyodide({ indexURL, _loadSnapshot: memory, createPyodideModule: roomFor(memory.length) });
      unpack(python, archive);
      return { answer: python.globals.get("answer"), resumed: true };
    } catch {
      await forget(); // what was kept is of no use
    }
  }
  const python = await loadPyodide({ indexURL, _makeSnapshot: true });
  unpack(python, archive);
  python.runPython(EXAMINE);
  if (place) keep(place, snapshot(python)); // before anything of Python is handed out
  return { answer: python.globals.get("answer"), resumed: false };
}

function unpack(python, archive) {
  python.FS.mkdirTree(LIBRARY);
  python.unpackArchive(archive, "zip", { extractDir: LIBRARY });
}

/** Where a memory is kept: by all that Python has read; null where pages may keep nothing. */
async function placeOf(archive) {
  if (!globalThis.caches || !crypto.subtle) return null;
  return new URL(`memory-${version}-${await digestOf(archive)}`, import.meta.url).href;
}

async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The memory that was kept at a place; null where there is none, or another one than was kept. */
async function kept(place) {
  try {
    const found = place && (await (await caches.open(KEPT)).match(place));
    const memory = found ? new Uint8Array(await found.arrayBuffer()) : null;
    return memory && found.headers.get(DIGEST) === (await digestOf(memory)) ? memory : null;
  } catch {
    return null;
  }
}

function snapshot(python) {
  try {
    return python.makeMemorySnapshot();
  } catch {
    return null;
  }
}

async function keep(place, memory) {
  try {
    await forget();
    if (!memory) return;
    const headers = { [DIGEST]: await digestOf(memory) };
    await (await caches.open(KEPT)).put(place, new Response(memory, { headers }));
  } catch {
    // no room, or not allowed: the next visit starts as this one did
  }
}

async function forget() {
  await caches.delete(KEPT).catch(() => {});
}

/** A module whose memory is as large as one that was kept: it begins with less. */
function roomFor(size) {
  return async (settings) => {
    const { default: create } = await import("./pyodide.asm.mjs");
    const made = await create(settings);
    if (made.HEAP8.length < size) made._malloc(size);
    return made;
  };
}

onmessage = ({ data }) => {
  waiting.set(data.figure, data);
  ready.then(() => setTimeout(work), () => {});
};

async function work() {
  const { answer } = await ready;
  const [request] = waiting.values();
  if (!request) return;
  waiting.delete(request.figure);
  const { figure, id, text, input } = request;
  try {
    postMessage({ figure, found: { ...JSON.parse(answer(JSON.stringify(request))), text, input, asked: id } });
  } catch (error) {
    postMessage({ failed: `it cannot go on: ${error}` }); // the next text is read by another one
  }
}
