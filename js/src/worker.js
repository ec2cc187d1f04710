// Python in a worker of an exported page: what the notebook's process examines, this does in the browser.

import { loadPyodide } from "./pyodide.mjs";

const LIBRARY = "/progtf";
const EXAMINE = `
import json, os, sys
sys.path.insert(0, "${LIBRARY}")
sys.dont_write_bytecode = True
from pathlib import Path
from progtf.views.editor import examine

def answer(request):
    asked = json.loads(request)
    folder = Path("/figures") / str(asked["figure"])
    for name, text in asked["files"].items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    found = examine(asked["text"], asked["name"], folder, [asked["input"] or ""])
    return json.dumps(found)

answer
`;

const waiting = new Map(); // the newest text of each figure
const ready = start();
ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) }),
);

async function start() {
  const archive = fetch(new URL("progtf.zip", import.meta.url)).then((answer) => answer.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL(".", import.meta.url).href });
  python.FS.mkdirTree(LIBRARY);
  python.unpackArchive(await archive, "zip", { extractDir: LIBRARY });
  return python.runPython(EXAMINE);
}

onmessage = ({ data }) => {
  waiting.set(data.figure, data);
  ready.then(() => setTimeout(work), () => {});
};

async function work() {
  const answer = await ready;
  const [request] = waiting.values();
  if (!request) return;
  waiting.delete(request.figure);
  const { figure, id, text, input } = request;
  postMessage({ figure, found: { ...JSON.parse(answer(JSON.stringify(request))), text, input, asked: id } });
}
