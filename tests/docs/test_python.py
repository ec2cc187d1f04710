"""Pages of Python typed in line by line: every statement gives what the page says it gives."""

import doctest
import re
from pathlib import Path

import pytest

from progtf.data import PAPER
from progtf.training.config import Model
from progtf.training.networks import build_network, save_network

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("python.md", "inside.md")
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def typed(text):
    """All statements of a page, each at its own line: later ones use names of earlier ones."""
    lines = {text.count("\n", 0, match.start(2)): match for match in FENCE.finditer(text)}
    for first, match in lines.items():
        if match.group(1) == "pycon":
            for example in doctest.DocTestParser().get_examples(match.group(2)):
                example.lineno += first
                yield example


@pytest.mark.parametrize(("page", "least"), [("python.md", 80), ("inside.md", 15)])
def test_statements_give_what_the_page_says(page, least, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    wanted = Model(kind="tp", width=64, filter=192, heads=4, layers=2)  # runs/cpu/report_tp.toml
    learned = tmp_path / "runs/out/report_tp/checkpoints/step-0002000"
    learned.mkdir(parents=True)
    save_network(learned, wanted, build_network(wanted, 1).state_dict(), PAPER)
    monkeypatch.chdir(tmp_path)  # a page writes a folder
    text, said = PAGES[page], []
    test = doctest.DocTest(list(typed(text)), {}, page, str(ROOT / "docs"), 0, text)
    found = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert found.attempted > least
    assert found.failed == 0, "".join(said)


def test_every_fence_is_known():
    kinds = [match.group(1) for text in PAGES.values() for match in FENCE.finditer(text)]
    assert set(kinds) <= {"", "pycon", "sh", "text"}
    assert [kinds.count(kind) for kind in ("", "text")] == [1, 1]  # a drawing, a head
