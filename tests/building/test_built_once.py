"""Each head and each rule of a program is built once while it is loaded.

A rule that is too much for one layer is built once more, when its comparisons have become flags.
"""

from collections import Counter
from dataclasses import replace

import pytest

from progtf.building import build
from progtf.building.heads import head
from progtf.building.rules import feedforward, flags
from progtf.notation import flat as f
from tests.programs import ALL, PROGRAMS, ROOT, analysed, loaded

BUILDERS = {"heads": (head, "_built"), "rules": (feedforward, "build_rule")}
"""Which function builds one, of which it is given first."""
STACKS = (build, "build_stack")
"""Which function builds the layers that it is given first, split where they were too much."""
PATHS = [*PROGRAMS, ALL]


def part_of(kind, part):
    """A head or a rule as it was written, wherever it was moved; None: it is another statement."""
    written = getattr(part, "source", part)  # of one that has been resolved
    match kind, written:
        case "heads", f.Block(keyword="head"):
            return replace(written, origin="")
        case "rules", f.Rule():
            return written
        case _:
            return None


@pytest.fixture
def counted(monkeypatch):
    """How often each part has been built, and how often it stands in layers, by kind."""
    built, standing = ({kind: Counter() for kind in BUILDERS} for _ in range(2))

    def before(module, name, note):
        function = getattr(module, name)

        def noting(first, *more, **named):
            note(first)
            return function(first, *more, **named)

        monkeypatch.setattr(module, name, noting)

    def stand(blocks):
        for statement in f.walk(blocks):
            for kind, parts in standing.items():
                if (part := part_of(kind, statement)) is not None:
                    parts[part] += 1

    for kind, (module, name) in BUILDERS.items():
        before(module, name, lambda part, kind=kind: built[kind].update([part_of(kind, part)]))
    before(*STACKS, stand)
    before(flags, "rebuilt", lambda part: standing["rules"].update([part.source]))
    return built, standing


@pytest.mark.parametrize("path", PATHS, ids=[str(p.relative_to(ROOT / "examples")) for p in PATHS])
def test_each_head_and_each_rule_is_built_once_while_a_program_is_loaded(path, counted):
    analysed.cache_clear()  # other tests may have loaded it
    loaded(path)
    wrong = []
    for kind, built, standing in zip(BUILDERS, *(each.values() for each in counted), strict=True):
        assert built or not standing, kind  # phrases make some, and so do rules that are split
        again = [times for part, times in built.items() if times > max(1, standing[part])]
        wrong += [f"{len(again)} of {len(built)} {kind}, {max(again)} times"] if again else []
    assert not wrong
