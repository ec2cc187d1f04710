"""The sections of a flat program by keyword, and what ``model:`` says."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic
from progtf.notation.did_you_mean import nearest
from progtf.numbers import refused
from progtf.program.holes import puts
from progtf.program.model import MOST_STEPS


@dataclass(frozen=True)
class Sections:
    """The sections of one program; those of one keyword read as one."""

    flat: f.Flat

    @cached_property
    def _blocks(self) -> list[f.Block]:
        return [each for each in self.flat.statements if isinstance(each, f.Block)]

    def blocks(self, *keywords: str) -> Sequence[f.Block]:
        """The sections with one of these keywords."""
        return [block for block in self._blocks if block.keyword in keywords]

    def children(self, keyword: str) -> Iterator[f.Statement]:
        """What stands in the sections with this keyword."""
        for block in self.blocks(keyword):
            yield from block.children


_CHOICES = {
    "kind": ("encoder", "decoder", "seq2seq", "rnn", "dense"),
    "tokens": ("words", "chars", "words -> chars", "chars -> words"),
    "readings": ("one", "joined"),
    "binding": ("hadamard", "none", "outer"),
    "norm": ("none", "layer", "round", "split"),
    "layers": ("explicit", "auto"),
}
LONGEST = 65_536
LONGEST_OUTPUT = 2**24
_MOST = {"width": LONGEST, "again": MOST_STEPS}


@dataclass(frozen=True, slots=True)
class Settings:
    """What kind of network a program is, with the defaults of a small encoder over words."""

    kind: Any = "encoder"
    tokens: Any = "words"
    readings: Any = "one"
    binding: Any = "hadamard"
    norm: Any = "none"
    layers: Any = "explicit"
    lengths: tuple[int, int] = (64, 64)
    join: str = ""
    sharpness: float | None = None
    width: int = 0
    again: int = 0
    ask: str = ""

    @property
    def longest(self) -> int:
        """The longest sequence in tokens; a decoder alone writes on behind its input."""
        return sum(self.lengths) if self.kind == "decoder" else max(self.lengths)


_SHARED = ("kind", "tokens", "binding", "norm")  # what programs of one network have in common


def build_settings(blocks: Iterable[f.Block], found: list[Diagnostic]) -> Settings:
    """The settings of a program, and in ``found`` what is wrong with them.

    Those of used files set nothing, but the files must have been written for such a network.
    """
    settings = Settings()
    items = [(b.origin, item) for b in blocks for item in b.children if isinstance(item, f.Field)]
    for origin, item in items:
        if not origin:
            settings = _set(settings, item, found)
    for origin, item in items:
        if origin and item.key in _SHARED and item.value != getattr(settings, item.key):
            due = f"{getattr(settings, item.key)}, as in the program that uses this file"
            found.append(problems.order.bad_setting(item.span, item.key, _shown(item.value), due))
    return settings


def _set(settings: Settings, item: f.Field[f.FieldValue], found: list[Diagnostic]) -> Settings:
    key, value = item.key, item.value
    if key in _CHOICES:
        if value in _CHOICES[key]:
            return replace(settings, **{key: value})
        words = _CHOICES[key]
        due, hint = f"{', '.join(words[:-1])} or {words[-1]}", nearest(_shown(value), words)
        found.append(problems.order.bad_setting(item.span, key, _shown(value), due, hint=hint))
    elif key == "join" or (key == "ask" and puts(value)):
        return replace(settings, **{key: value})
    elif isinstance(value, f.Numbers):
        longest, output = value.values[0], value.values[-1]
        writes = len(value.values) > 1
        most = LONGEST_OUTPUT if writes and 0 < longest <= LONGEST else LONGEST
        if 0 < longest <= LONGEST and 0 < output <= most:
            return replace(settings, lengths=(int(longest), int(output)))
        wrong = longest if most == LONGEST else output
        found.append(problems.order.bad_setting(item.span, key, _shown(wrong), f"1 to {most}"))
    elif key in _MOST and isinstance(value, (int, float)) and value in range(1, _MOST[key] + 1):
        return replace(settings, **{key: int(value)})
    elif key == "sharpness" and isinstance(value, (int, float)) and value > 0:
        return replace(settings, sharpness=float(value))
    else:
        most = _MOST.get(key)
        due = "a number above 0" if most is None else f"a whole number from 1 to {most}"
        due = "`{answer}` and `{text}` in it, each once" if key == "ask" else due
        found.append(problems.order.bad_setting(item.span, key, _shown(value), due))
    return settings


def _shown(value: object) -> str:
    return refused(value) if isinstance(value, float) else str(value)
