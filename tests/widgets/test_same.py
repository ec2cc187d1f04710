"""What Python finds in a browser is what it finds here, for every example program."""

import json
import math

import pytest

from progtf.notation.diagnostics import Source
from progtf.notation.files import gather
from progtf.notation.parser import parse_all
from progtf.views.editor import examine
from progtf.views.serve import joined
from progtf.views.site import carried
from tests.programs import PROGRAMS, ROOT
from tests.widgets.test_site import site  # noqa: F401  a fixture

pytestmark = pytest.mark.xdist_group("browser")

ELSEWHERE = [
    ROOT / "examples" / "language" / name for name in ("blimp_published.seme", "sentiment.seme")
]
"""Their words lie elsewhere, and pages carry files beside a program only."""
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


@pytest.fixture(scope="module")
def reader(browser, site):  # noqa: F811
    """A page whose Python reads programs."""
    shown = browser.new_page()
    shown.goto(site[0])
    yield shown
    shown.close()


def read_in(shown, path, text):
    """What the page's Python finds in a program."""
    files = carried(Source(path.name, text), path.parent)
    request = {"figure": str(path), "id": 1, "text": text, "input": ""}
    found = shown.evaluate(ASK, [{**request, "name": path.name, "files": files}, PATIENCE])
    assert "failed" not in found, found
    return joined(found["changed"])


EVERY = (*PROGRAMS, ROOT / "examples" / "math" / "all.seme")
HERE = [path for path in EVERY if path not in ELSEWHERE]
FEW = ("attention_with_positions", "clocks", "any_fruit")


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=[pytest.mark.long] * (p.stem not in FEW)) for p in HERE],
)
def test_a_program_is_read_in_the_browser_as_here(reader, path):
    text = path.read_text(encoding="utf-8")
    here = json.loads(json.dumps(examine(text, path.name, path.parent, [""])))
    assert same(read_in(reader, path, text), here)


@pytest.mark.long
@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: path.stem)
def test_a_program_whose_words_are_put_beside_it_is_read_in_the_browser_as_here(
    reader, path, tmp_path
):
    text = path.read_text(encoding="utf-8")
    files = gather(parse_all(Source(path.name, text))[0], path.parent)[0]
    if not files.tables:
        pytest.skip(f"the words of {path.name} are not here")
    used = {name: file.span.source for (_, name), file in files.used.items()}
    tables = {name: table for (_, name), table in files.tables.items()}
    for name, source in (used | tables).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source.text, encoding="utf-8")
    here = json.loads(json.dumps(examine(text, path.name, tmp_path, [""])))
    assert here["program"] is not None
    assert same(read_in(reader, tmp_path / path.name, text), here)
