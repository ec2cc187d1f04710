"""What Python finds in a browser is what it finds here, for every example program."""

import json
import math

import pytest

from progtf.notation.diagnostics import Source
from progtf.views.editor import examine
from progtf.views.serve import joined
from progtf.views.site import carried
from tests.programs import PROGRAMS
from tests.widgets.test_site import page, site  # noqa: F401  fixtures

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.usefixtures("site")]

ELSEWHERE = ("blimp", "all_words")
CLOSE = 1e-11
"""Sines and powers may differ in their last digits."""
ASK = """([request, patience]) => new Promise((done) => {
  globalThis.python ??= new Worker("python/worker.js", { type: "module" });
  const late = setTimeout(() => done({ failed: "no answer" }), patience);
  python.onerror = (event) => done({ failed: event.message });
  python.onmessage = ({ data }) => {
    if (data.ready) return;
    clearTimeout(late);
    done(data.failed ? data : data.found);
  };
  python.postMessage(request);
})"""
PATIENCE = 300_000  # ms for one program


def same(one, other):
    """Whether two values of JSON are the same, numbers to eleven digits."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        case list(), list():
            return len(one) == len(other) and all(map(same, one, other))
        case float() | int(), float() | int() if type(one) is not bool:
            return type(other) is not bool and math.isclose(
                one, other, rel_tol=CLOSE, abs_tol=CLOSE
            )
        case _:
            return one == other


def read_in(shown, path):
    """What the page's Python finds in a program."""
    text = path.read_text(encoding="utf-8")
    files = carried(Source(path.name, text), path.parent)
    request = {"figure": path.stem, "id": 1, "text": text, "input": "", "name": path.name}
    found = shown.evaluate(ASK, [{**request, "files": files}, PATIENCE])
    assert "failed" not in found, (path, found)
    return joined(found["changed"])


def read_here(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(json.dumps(examine(text, path.name, path.parent, [""])))


def compared(shown, paths):
    for path in paths:
        assert same(read_in(shown, path), read_here(path)), path


def test_programs_are_read_in_the_browser_as_here(page, site):  # noqa: F811
    page.goto(site[0])
    compared(page, [path for path in PROGRAMS if path.parent.name == "article"][:6])


@pytest.mark.long
def test_every_program_is_read_in_the_browser_as_here(page, site):  # noqa: F811
    page.goto(site[0])
    compared(page, [path for path in PROGRAMS if path.stem not in ELSEWHERE])
