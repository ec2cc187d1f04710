"""Words from outside are shown in tables, bars and logs as they are."""

import io

import pytest
from rich.table import Table

from progtf.tables import Shown
from progtf.terminal import plain
from progtf.training.log import Log

OUTSIDE = [
    "[/b]", "[bold]x", "[/]", "[link=file:///etc/passwd]x[/link]", "[red]", "[[b]]", "\\[b]", "[b",
    ":smile:", ":x:", "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x07y", "\x9b2J", "\r",
    "a\x08b", "\u202eabc", "\u2066x", "x\u200f", "<script>", "a|b", "{task}", "%s", "family[a]",
]  # fmt: skip


def shown(what):
    out = io.StringIO()
    Shown(file=out, width=200).print(what)
    return out.getvalue()


@pytest.mark.parametrize("text", OUTSIDE)
def test_titles_headings_cells_and_lines_are_shown(text):
    table = Table(f"head {text}", title=f"title {text}")
    table.add_row(f"cell {text}")
    table.add_section()
    found = shown(table)
    for place in ("head", "title", "cell"):
        assert f"{place} {plain(text)}" in found
    assert shown(text) == f"{plain(text)}\n"
    assert plain(found) == found


@pytest.mark.parametrize("text", OUTSIDE)
def test_categories_of_a_file_are_shown(text, progtf, tmp_path):
    if {"\r", "\n"} & set(text):
        return
    (tmp_path / "m.tsv").write_text(f"7 5\t7\t{text}\n")
    status, out, err = progtf("eval", "examples/larger_of_two.seme", "--data", tmp_path / "m.tsv")
    assert (status, err) == (0, "")
    assert plain(text) in out
    assert plain(out) == out


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_a_run_says_of_itself_is_shown(text, tmp_path, capsys):
    log = Log(tmp_path)
    log.unreached({text: 1e-9})
    assert plain(text) in capsys.readouterr().err
