"""``docs/python.md`` typed in line by line: every statement gives what the page says it gives."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def typed():
    """All statements of the page, each at its own line: later ones use names of earlier ones."""
    lines = {PAGE.count("\n", 0, match.start(2)): match for match in FENCE.finditer(PAGE)}
    for first, match in lines.items():
        if match.group(1) == "pycon":
            for example in doctest.DocTestParser().get_examples(match.group(2)):
                example.lineno += first
                yield example


def test_statements_give_what_the_page_says(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)  # the page writes a folder
    page = doctest.DocTest(list(typed()), {}, "python.md", str(ROOT / "docs"), 0, PAGE)
    said: list[str] = []
    found = doctest.DocTestRunner(verbose=False).run(page, out=said.append)
    assert found.attempted > 80
    assert found.failed == 0, "".join(said)


def test_every_fence_is_known():
    kinds = [match.group(1) for match in FENCE.finditer(PAGE)]
    assert set(kinds) == {"", "pycon"}
    assert kinds.count("") == 1  # the drawing
