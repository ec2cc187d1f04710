"""Folders of pages that read changed programs: Pyodide and the notation's Python beside the pages.

A page needs no server but one that hands out files, and asks for nothing from elsewhere.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import files as files_of
from io import BytesIO
from pathlib import Path

from progtf.atomic import replacing, write
from progtf.cache import Cache
from progtf.content import key_of
from progtf.notation.diagnostics import Source
from progtf.notation.files import LIBRARY, gather, read_text
from progtf.notation.grammar import grammar_text
from progtf.notation.parser import parse_all
from progtf.views.page import asset

PYODIDE = "PROGTF_PYODIDE"
"""The environment variable that names the folder of the npm package."""
VERSION = "314.0.7"
_NEEDED = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
_ARCHIVE, _LIBRARY = "progtf.zip", "python_stdlib.zip"
_PACKAGE = Path(__file__).parents[1]
_CHECKOUT = _PACKAGE.parent / "js" / "node_modules" / "pyodide"
_ROOMS = ("notation", "program", "building", "std")
_MODULES = (
    "__init__",
    "atomic",
    "bounded",
    "cache",
    "collector",
    "content",
    "extras",
    "frozen",
    "mistakes",
    "numbers",
    "rational",
    "once",
    "published",
    "texts",
)
_VIEWS = ("__init__", "editor", "program", "serve")
_PURE = ("lark", "platformdirs", "wcwidth")
_OF_TERMINALS = "_known_"
"""So begin tables of wcwidth for single terminals, which do without them; a page is none."""
_DATE = (1980, 1, 1, 0, 0, 0)


def brings_pyodide() -> str:
    """What brings the files of Pyodide: in a clone one command, elsewhere a setting as well."""
    js = _CHECKOUT.parents[1]
    if (js / "package.json").is_file() and not os.environ.get(PYODIDE):
        return f"`npm ci --prefix {js}` brings it"
    get = f"`npm install --prefix FOLDER pyodide@{VERSION}` brings it"
    return f"{get}; then say where: {PYODIDE}=FOLDER/node_modules/pyodide"


def pyodide_folder() -> Path:
    """Where the files of Pyodide lie.

    Raises:
        FileNotFoundError: if they are not where the environment says, nor in a checkout's ``js``.
    """
    named = os.environ.get(PYODIDE)
    folder = Path(named) if named else _CHECKOUT
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{folder / missing[0]} is not there")
    return folder


def write_python(folder: Path) -> None:
    """Writes all that editing in the browser needs into a folder: front-end, worker, Python.

    Raises:
        FileNotFoundError: if Pyodide cannot be found.
        OSError: if something cannot be written.
    """
    source = pyodide_folder()
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "progtf.js", _classic(asset("progtf.js")))
    for name in ("progtf.css", "theme.js", "worker.js", "qr.js", "NOTICE.txt"):
        write(folder / name, asset(name))
    made = _compiled(source, archive())
    for name in _NEEDED:
        with replacing(folder / name) as out:
            out.write(made.get(name) or (source / name).read_bytes())
    with replacing(folder / _ARCHIVE) as out:
        out.write(made[_ARCHIVE])


def _compiled(pyodide: Path, sources: bytes) -> dict[str, bytes]:
    """The archive, and Python's library, as bytecode of the Python that runs it; kept once made.

    Where there is no Node.js, which would run it here, the archive is as it was.
    """
    node, kept = shutil.which("node"), Cache.of_user()
    script = asset("compile.mjs")
    lock = (pyodide / "pyodide-lock.json").read_bytes()
    made_of = [hashlib.sha256(each).hexdigest() for each in (script.encode(), lock, sources)]
    names = (_ARCHIVE, _LIBRARY)
    keys = [key_of("pages", made_of, name) for name in names]
    held = [kept.read(key) for key in keys]
    if None not in held or node is None:
        return {_ARCHIVE: sources} | {n: h for n, h in zip(names, held, strict=True) if h}
    with tempfile.TemporaryDirectory() as home:
        given = Path(home) / "sources.zip"
        given.write_bytes(sources)
        code = Path(home) / "compile.mjs"
        code.write_text(script, encoding="utf-8")
        command = [node, str(code), str(pyodide.resolve()), str(given), home]
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603  our own
        if done.returncode:
            return {_ARCHIVE: sources}
        made = {name: (Path(home) / name).read_bytes() for name in names}
    for key, name in zip(keys, names, strict=True):
        kept.write(key, made[name])
    return made


def _classic(module: str) -> str:
    """A module as a plain script, for browsers load no module of a page that is a mere file."""
    code, exported, _ = module.rpartition("export{")
    if not exported:
        raise ValueError("progtf.js ends without what it exports: build it anew")
    return f'(()=>{{"use strict";{code}}})();\n'


def archive() -> bytes:
    """A zip of the modules that read a program, without a line that needs numpy or torch."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in sorted(_contents()):
            made.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _contents() -> Iterator[tuple[str, bytes]]:
    """Files of the archive: the same bytes for the same sources."""
    rooms = (path for room in _ROOMS for path in (_PACKAGE / room).rglob("*"))
    views = (_PACKAGE / "views" / f"{name}.py" for name in _VIEWS)
    for path in (*rooms, *views, *(_PACKAGE / f"{name}.py" for name in _MODULES)):
        if path.suffix in (".py", ".seme"):
            yield f"progtf/{path.relative_to(_PACKAGE).as_posix()}", path.read_bytes()
    yield "progtf/notation/seme.lark", grammar_text().encode()
    for package in _PURE:
        for file in files_of(package) or ():
            if file.name.startswith(_OF_TERMINALS):
                continue
            if file.parts[0] == package and file.suffix in (".py", ".lark"):
                yield file.as_posix(), file.read_binary()


def carried(source: Source, folder: Path) -> dict[str, str]:
    """The texts of the files that a program reads beside itself, by their paths from there.

    Raises:
        ValueError: for a file that a page cannot carry, since it lies elsewhere.
    """
    file, _ = parse_all(source)
    files, _ = gather(file, folder)
    here, found = folder.resolve(), dict[str, str]()
    for path in sorted(files.sought.places):
        if not path.is_file() or path.is_relative_to(LIBRARY):
            continue
        if not path.resolve().is_relative_to(here):
            raise ValueError(f"{path} lies elsewhere: a page carries files beside the program only")
        found[path.resolve().relative_to(here).as_posix()] = read_text(path)
    return found
