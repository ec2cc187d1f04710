// Compiles the Python of pages by the Python that will run it: node compile.mjs PYODIDE SOURCES.zip FOLDER
// Of its library only what reading a program imports, for bytecode is larger than text; tools of developers are left out.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, sources, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: pyodide });
const given = { progtf: sources, python_stdlib: `${pyodide}/python_stdlib.zip` };
for (const [name, path] of Object.entries(given)) python.FS.writeFile(`/${name}.zip`, readFileSync(path));
python.runPython(`
import py_compile, sys, zipfile
from pathlib import Path

zipfile.ZipFile("/progtf.zip").extractall("/progtf")
sys.path.insert(0, "/progtf")
from progtf.views.serve import Figures

Figures().answer({"figure": "", "text": "semes: a", "name": "", "folder": None, "inputs": []})
places = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
used = {place.partition(".zip/")[2] for place in places}
UNREAD = ("_pyrepl/", "doctest.py", "http/", "multiprocessing/", "pdb.py", "pickletools.py",
          "pydoc.py", "unittest/", "xml/", "xmlrpc/")
unread = tuple(each for each in UNREAD if not any(one.startswith(each) for one in used))
UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH

def compiled(name, wanted, optimize):
    with zipfile.ZipFile(f"/{name}.zip") as given, zipfile.ZipFile("/out.zip", "w") as made:
        for each in given.namelist():
            if name == "python_stdlib" and each.startswith(unread):
                continue
            content = given.read(each)
            if each.endswith(".py") and wanted(each):
                Path("/module.py").write_bytes(content)
                py_compile.compile("/module.py", "/module.pyc", each, True, optimize, UNCHECKED)
                each, content = f"{each}c", Path("/module.pyc").read_bytes()
            made.writestr(zipfile.ZipInfo(each, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)
    Path("/out.zip").replace(f"/{name}.zip")

compiled("progtf", lambda each: True, 0)
compiled("python_stdlib", used.__contains__, 2)  # without docstrings
`);
for (const name of Object.keys(given)) writeFileSync(`${folder}/${name}.zip`, python.FS.readFile(`/${name}.zip`));
