"""A program as bytes and back, so that what was read once is there at once.

The bytes are those of pickle, but nothing is made of them except parts of programs: a name of
anything else is refused, so that no bytes run anything.
"""

import io
import pickle
from collections.abc import Iterable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from progtf.collector import collector_paused
from progtf.frozen import ReadOnly
from progtf.notation.diagnostics import Source, Span
from progtf.notation.examples import Example
from progtf.notation.sought import Sought
from progtf.program import model
from progtf.program.asked import Answered
from progtf.program.forms import Form, Space, Values
from progtf.program.model import Program
from progtf.program.spelling import Close, MarkTest, ReadAs, Spelling
from progtf.rational import rational

_SLOTTED = (
    Answered, Form, Values, Span, Example, Close, MarkTest, ReadAs, Spelling, model.Cell,
    model.Channel,
    model.Classify, model.Compared, model.Curve, model.Dense, model.Feature, model.FeedForward,
    model.Gate, model.Head, model.Layer, model.Learn,
    model.LearnedLayer, model.Line, model.Loop, model.Null, model.Part, model.Rule, model.Unit,
)  # fmt: skip
_OTHERS = (Program, Space, Source, Sought, ReadOnly, Fraction, rational)


class PackedError(ValueError):
    """Bytes that are no program's."""


@collector_paused()
def packed(program: Program) -> bytes:
    """A program as bytes, but for where its files were looked for."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, protocol=5)
    pickler.dispatch_table = dict.fromkeys(_SLOTTED, _reduced)
    pickler.dump(replace(program, sought=Sought()))
    return file.getvalue()


@collector_paused()
def unpacked(data: bytes) -> Program:
    """The program that bytes are.

    Raises:
        PackedError: if they are none.
    """
    try:
        found = _Unpickler(io.BytesIO(data)).load()
    except PackedError:
        raise
    except Exception as error:  # noqa: BLE001  pickle raises whatever foreign bytes lead to
        raise PackedError(str(error)) from None
    if not isinstance(found, Program):
        raise PackedError(f"a {type(found).__name__}")
    return found


def _reduced(value: Any) -> tuple[Any, ...]:
    return _made, (type(value), tuple(getattr(value, each.name) for each in fields(value)))


def _made(kind: type[Any], values: Iterable[Any]) -> Any:
    """A frozen value of its fields: they were checked when it was first made."""
    value: Any = object.__new__(kind)
    for put, each in zip(_PUTS[kind], values, strict=True):
        put(value, each)
    return value


_PUTS: dict[type, tuple[Any, ...]] = {
    kind: tuple(vars(kind)[each.name].__set__ for each in fields(kind)) for kind in _SLOTTED
}
_KNOWN = {(each.__module__, each.__qualname__): each for each in (*_SLOTTED, *_OTHERS, _made)}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Parts of programs, and nothing else."""
        if (module, name) not in _KNOWN:
            raise PackedError(f"{module}.{name} is no part of a program")
        return _KNOWN[module, name]
