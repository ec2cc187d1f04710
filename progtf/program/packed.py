"""Parts of programs as bytes and back, so that what was read once is there at once.

The bytes are those of pickle, but nothing is made of them except parts of programs: a name of
anything else is refused, so that no bytes run anything. Of the texts that a program was read from
only the names are written, where a reader has the files: they lie elsewhere, perhaps, by then.
"""

import io
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from operator import attrgetter
from typing import Any

from progtf.collector import collector_paused
from progtf.frozen import ReadOnly
from progtf.notation.diagnostics import Diagnostic, Note, Source, Span
from progtf.notation.examples import Example
from progtf.program import model
from progtf.program.asked import Answered
from progtf.program.asleep import Asleep
from progtf.program.forms import Form, Space, Values
from progtf.program.interface import Dimension, Interface
from progtf.program.model import Program
from progtf.program.spelling import Close, MarkTest, ReadAs, Spelling
from progtf.rational import rational

_SLOTTED = (
    Answered, Form, Values, Span, Example, Close, MarkTest, ReadAs, Spelling, model.Cell,
    model.Channel,
    model.Classify, model.Compared, model.Curve, model.Dense, model.Feature, model.FeedForward,
    model.Gate, model.Head, model.Layer, model.Learn,
    model.LearnedLayer, model.Line, model.Loop, model.Null, model.Part, model.Rule, model.Unit,
    Diagnostic, Note,
)  # fmt: skip
_WHOLE = (Dimension, Interface, Program, Space)
_OTHERS = (ReadOnly, Fraction, rational)


class PackedError(ValueError):
    """Bytes that are no program's."""


@collector_paused()
def packed(part: Any, sources: Mapping[Source, str] | None = None) -> bytes:
    """A part of a program, or several in a tuple, as bytes.

    Args:
        part: what is written; of a program not where its files were looked for.
        sources: the texts that whoever reads it has, by what both call them.
    """
    file = io.BytesIO()
    pickler, known = pickle.Pickler(file, protocol=5), sources or {}

    def of_source(source: Source) -> tuple[Any, ...]:
        return _source, (known.get(source), source.name, None if source in known else source.text)

    pickler.dispatch_table = {
        **_REDUCED, **dict.fromkeys((*_WHOLE, Asleep), _by_name),
        Source: of_source,
    }  # fmt: skip
    pickler.dump(part)
    return file.getvalue()


@collector_paused()
def unpacked(data: bytes, text: Callable[[str], Source] | None = None) -> Any:
    """What was packed.

    Args:
        data: the bytes.
        text: finds a text that was known by what it is called.

    Raises:
        PackedError: if the bytes are no part of a program, or of others.
    """
    try:
        found = _Unpickler(io.BytesIO(data), text).load()
    except PackedError:
        raise
    except Exception as error:  # noqa: BLE001  pickle raises whatever foreign bytes lead to
        raise PackedError(str(error)) from None
    if type(found) not in (Program, tuple):
        raise PackedError(f"a {type(found).__name__}")
    return found


def _reducer(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What tells the fields of a value of some kind."""
    names = [each.name for each in fields(kind)]
    told: Callable[[Any], Any] = attrgetter(*names)
    if len(names) == 1:
        return lambda value: (_made, (kind, (told(value),)))
    return lambda value: (_made, (kind, told(value)))


_REDUCED: dict[type[Any], Callable[[Any], tuple[Any, ...]]] = {
    kind: _reducer(kind) for kind in _SLOTTED
}


def _made(kind: type[Any], values: Iterable[Any]) -> Any:
    """A frozen value of its fields: they were checked when it was first made."""
    value: Any = object.__new__(kind)
    for put, each in zip(_PUTS[kind], values, strict=True):
        put(value, each)
    return value


_PUTS: dict[type, tuple[Any, ...]] = {
    kind: tuple(vars(kind)[each.name].__set__ for each in fields(kind)) for kind in _SLOTTED
}


def _by_name(value: Any) -> tuple[Any, ...]:
    """Of a program that uses others: where their files were looked for is nobody else's."""
    told = {each.name: getattr(value, each.name) for each in fields(value)}
    told.pop("sought", None)
    return _whole, (type(value), told)


def _whole(kind: type[Any], told: dict[str, Any]) -> Any:
    return kind(**told)


def _source(known: str | None, name: str, text: str | None) -> Source:
    """Stands in the bytes for what each reader makes of its own texts."""
    raise PackedError(f"{known or name}: nobody reads a text of {len(text or '')} characters here")


_MAKE = {each.__name__: each for each in (_made, _whole)}
_KNOWN = {(each.__module__, each.__qualname__): each for each in (*_SLOTTED, *_WHOLE, *_OTHERS)}


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, text: Callable[[str], Source] | None) -> None:
        super().__init__(file)
        self._text = text

    def find_class(self, module: str, name: str) -> Any:
        """Parts of programs, and nothing else."""
        if (module, name) in _KNOWN:
            return _KNOWN[module, name]
        if module == __name__ and name in _MAKE:
            return _MAKE[name]
        if module == __name__ and name == _source.__name__:
            return self._source
        raise PackedError(f"{module}.{name} is no part of a program")

    def _source(self, known: str | None, name: str, text: str | None) -> Source:
        if text is not None:
            return Source(name, text)
        if known is None or self._text is None:
            raise PackedError(f"the text of {name} is not there")
        return self._text(known)
