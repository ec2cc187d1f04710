"""Tables of the grammar: what is kept reads as what is made, and nothing foreign is read."""

import pickle
from io import BytesIO

import pytest
from lark import Lark

from progtf.cache import FOLDER, Cache
from progtf.notation import tables
from progtf.notation.blocks import KINDS
from progtf.notation.diagnostics import Source
from progtf.notation.outline import outline

STARTS = sorted(KINDS)


@pytest.fixture
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return Cache.of_user()


@pytest.fixture
def makes(monkeypatch):
    """How often tables are made."""
    made = []
    original = tables._made
    monkeypatch.setattr(tables, "_made", lambda starts: made.append(0) or original(starts))
    return made


def read(lark):
    """The nodes of a program's outermost lines."""
    builder, nodes = lark.options.transformer, []
    for line in outline(Source("here", "semes: noun verb\nv: +2pig -0.5wombat\nlet n = 3\n"))[0]:
        builder.read(line)
        nodes.append(lark.parse(line.content, start="file_line"))
    return nodes


def test_tables_are_made_once_and_read_alike_from_then_on(kept, makes):
    first, second = tables.tabled(STARTS), tables.tabled(STARTS)
    assert len(makes) == 1
    assert read(first) == read(second) != []
    assert list(map(repr, first.terminals)) == list(map(repr, second.terminals))
    with pytest.raises(pickle.UnpicklingError):
        tables._Tables(BytesIO(pickle.dumps(Lark))).load()


@pytest.mark.parametrize("foreign", [b"", pickle.dumps(Lark), b"no pickle"])
def test_what_is_no_table_is_made_anew(kept, makes, foreign):
    kept.write(tables._key(STARTS), foreign)
    assert read(tables.tabled(STARTS)) == read(tables.tabled(STARTS))
    assert len(makes) == 1


def test_where_nothing_can_be_kept_tables_are_made_each_time(monkeypatch, makes):
    monkeypatch.setenv(FOLDER, "")
    assert read(tables.tabled(STARTS)) == read(tables.tabled(STARTS))
    assert len(makes) == 2
