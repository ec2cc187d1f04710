"""``scripts/journeys.py`` counts what one counts by hand."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "journeys.py"
journeys = SimpleNamespace(**runpy.run_path(str(SCRIPT)))


def journey(folder, files, start):
    """The files of the stays, and how they are counted."""
    (folder / "house").mkdir()
    for name, text in files.items():
        (folder / "house" / name).write_text(text, encoding="utf-8")
    made = journeys.Journey(journeys.Code(folder, "house"), start)
    return [Path(file).stem for file, _ in made.stays], str(made)


def test_an_object_and_its_method_come_back_to_a_file(tmp_path):
    hall = """
from house.kitchen import clean
from house.shelf import Shelf

def begin(text):
    word = clean(text)
    shelf = Shelf(word)
    return shelf.show()
"""
    shelf = """
from house import kitchen

class Board:
    def show(self):
        return kitchen.clean(self.word)

class Shelf(Board):
    def __init__(self, word):
        self.word = word
"""
    kitchen = "def clean(text):\n    return text.strip()\n"
    files = {"hall.py": hall, "shelf.py": shelf, "kitchen.py": kitchen}
    stays, counted = journey(tmp_path, files, "house/hall.py:begin:text")
    assert stays == ["hall", "kitchen", "shelf", "kitchen"]
    assert counted == "4 stays, 3 files, 1 returns"


def test_arguments_come_before_their_call_and_a_function_is_followed_once(tmp_path):
    hall = """
def begin(text):
    from house.attic import outer
    from house.cellar import inner as deep
    outer(deep(text))
    for part in text.parts:
        outer(word=part)
"""
    attic = "from house.cellar import last\ndef outer(word):\n    last(word)\n"
    cellar = "def inner(text):\n    return text\ndef last(text):\n    inner(text)\n"
    files = {"hall.py": hall, "attic.py": attic, "cellar.py": cellar}
    stays, counted = journey(tmp_path, files, "house/hall.py:begin:text")
    assert stays == ["hall", "cellar", "attic", "cellar", "attic"]
    assert counted == "5 stays, 3 files, 2 returns"


def test_what_is_not_the_traveller_is_not_followed(tmp_path):
    hall = """
from house.attic import Trunk, count, keep

def begin(text, other, trunk: Trunk):
    keep(other)
    keep(text == other)
    count(text.size)
    first, last = text.ends
    keep(first)
    same = len(text.size)
    keep(same)
    other.keep(text)
    return trunk.lock(text)
"""
    attic = """
def keep(thing): ...
def count(size: int | None): ...

class Trunk:
    def lock(self, thing): ...
"""
    files = {"hall.py": hall, "attic.py": attic}
    made = journey(tmp_path, files, "house/hall.py:begin:text")
    assert made == (["hall", "attic"], "2 stays, 2 files, 0 returns")
    code = journeys.Code(tmp_path, "house")
    entered = journeys.Journey(code, "house/hall.py:begin:text").followed
    assert {name for _, name in entered} == {"begin", "Trunk.lock"}


def test_the_journeys_of_the_package_begin_where_the_table_says(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), "--list"])
    journeys.main()
    said = capsys.readouterr().out
    for name, start in journeys.STARTS.items():
        file, function, _ = start.split(":")
        assert f"{name}: " in said
        assert f"    1 {file}: {function}\n" in said


@pytest.mark.parametrize("start", ["progtf/nowhere.py:run:x", "progtf/api.py:compile:x", "progtf"])
def test_a_start_that_is_not_there_is_refused(start):
    with pytest.raises(SystemExit, match="there is no FILE"):
        journeys.Journey(journeys.Code(journeys.ROOT, "progtf"), start)
