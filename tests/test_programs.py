"""Tests that look at how programs are made see all that a program can have."""

from dataclasses import fields, is_dataclass

from progtf.notation.diagnostics import Span
from progtf.program.forms import Form, Values
from tests.programs import EACH, PROGRAMS, analysed


def constructs(value):
    """Of a program, the fields that are filled in it; of some also with what."""
    found, left, seen = set(), [value], {}
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list | tuple | set | frozenset):
            left.extend(value)
        elif is_dataclass(value) and not isinstance(value, Span | Form | Values):
            if seen.setdefault(id(value), value) is not value:
                continue
            for name in (field.name for field in fields(value)):
                one = getattr(value, name)
                if one in (None, False, "", (), {}):
                    continue
                told = one if isinstance(one, bool) or name in ("kind", "norm") else ""
                found.add((type(value).__name__, name, told))
                left.append(one)
    return found


def test_what_any_example_has_one_of_each_kind_has_too():
    def all_of(paths):
        programs = (analysed(path)[0] for path in paths)
        return set().union(*(constructs(each) for each in programs if each is not None))

    some = {path for (path,) in (case.values for case in EACH)}
    assert len(some) < len(PROGRAMS)
    assert all_of(PROGRAMS) - all_of(some) == set()
