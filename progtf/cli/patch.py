"""``progtf patch``: an answer with some changes to what is computed."""

import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.cache import Cache
from progtf.cli.digits import Digits, with_digits
from progtf.cli.messages import UserError, say, warn
from progtf.cli.outcome import Asked
from progtf.cli.sources import read_inside
from progtf.notation.did_you_mean import nearest
from progtf.numbers import plain
from progtf.program.answers import EndlessError, so_far
from progtf.program.changes import Change, ablated, added, scaled, set_to, swapped, value_at

if TYPE_CHECKING:
    from progtf.network.model import Model
    from progtf.program.answering import Answering
    from progtf.running.interpret import Interpreter
    from progtf.weights.weights import Weights

_WHERE = re.compile(r"(?P<name>[^=@]+)(@(?P<at>\d+(,\d+)*))?")


def patch(  # noqa: PLR0913  options of a command
    model: Annotated[Path, typer.Argument(metavar="FILE", help="A program or compiled folder.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is answered.")],
    *,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SEME[@PLACE]=NUMBER", help="Put a number in its place."),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="SEME[@PLACE]=NUMBER", help="Add a number to it."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option("--scale", metavar="SEME[@PLACE]=NUMBER", help="Multiply it."),
    ] = None,
    swap: Annotated[
        list[str] | None,
        typer.Option("--swap", metavar="SEME[@PLACE]=TEXT", help="Take it from another text."),
    ] = None,
    ablate: Annotated[
        list[str] | None,
        typer.Option("--ablate", metavar="LAYER.NAME", help="A head, or what rules write."),
    ] = None,
    digits: Digits = None,
    engine: Asked = None,
) -> None:
    """Answer a text with some changes to what is computed, then as it is.

    A seme is changed behind the last layer that writes it, or behind the one that is named, as
    `encoder.hit.hit`; PLACE is that of a token, the first is 0 (several: `3,4`), without one it is
    changed everywhere. A head is `encoder.told.told`.

        progtf patch place_value.seme "What is the tens digit of 1234?" --set hit@29=0

    prints nothing, for no digit is asked for, and below it the answer without the change: 3.
    """
    given = [
        *((spec, set_to) for spec in set_ or ()), *((spec, added) for spec in add or ()),
        *((spec, scaled) for spec in scale or ()), *((spec, swapped) for spec in swap or ()),
    ]  # fmt: skip
    if not given and not ablate:
        raise UserError("nothing is changed: `--set hit@5=0` sets a seme at a token")
    answering = read_inside(model, None, Cache.of_user(), engine)
    with_digits(answering, digits)
    wanted: dict[str, dict[str, list[Change]]] = {}
    try:
        for layer, name, change in _changes(_Named.of(answering), given, ablate or ()):
            wanted.setdefault(layer, {}).setdefault(name, []).append(change)
        patched = answering.patch(wanted)
    except ValueError as error:
        raise UserError(str(error)) from None
    ends = [_says(patched, text), _says(answering, text, "without changes: ")]
    if not all(ends):
        sys.exit(1)


def _says(who: "Answering", text: str, before: str = "") -> bool:
    """Prints an answer; whether it ends, of which stderr says so where it does not."""
    (tried,) = who.try_answers([text])
    say(before + so_far(tried).text)
    if isinstance(tried, EndlessError):
        warn(f"{before}{tried}")
    return not isinstance(tried, EndlessError)


class _Named:
    """What changes can name.

    Attributes:
        semes, layers: their names.
        weights: finds the weights that were compiled, which tell what writes what.
    """

    def __init__(
        self, semes: Collection[str], layers: Sequence[str], weights: "Callable[[], Weights]"
    ) -> None:
        self.semes, self.layers, self.weights = semes, layers, weights

    @classmethod
    def of(cls, answering: "Model | Interpreter") -> "_Named":
        """What there is in a network, or in a program."""
        from progtf.running.interpret import Interpreter  # noqa: PLC0415  numbers are slow

        if isinstance(answering, Interpreter):
            from progtf.program.formats import holding  # noqa: PLC0415  as said
            from progtf.running.override import Names  # noqa: PLC0415  as said
            from progtf.weights.lower import lower  # noqa: PLC0415  as said

            program = answering.program
            known = [*Names.of(program).known]
            return cls(program.space.names, known, lambda: lower(program, holding(program)))
        from progtf.network.names import layers  # noqa: PLC0415  torch is slow

        known = [layer.name for layer in layers(answering.layout)]
        return cls(answering.layout.columns, known, lambda: answering.weights)


def _changes(
    inner: _Named, given: Sequence[tuple[str, object]], silenced: Sequence[str]
) -> Iterator[tuple[str, str, Change]]:
    for spec, make in given:
        where, equals, value = spec.partition("=")
        found = _WHERE.fullmatch(where)
        if not equals or found is None:
            raise UserError(f"`{spec}`: such as `hit@5=0` or `encoder.read.hit=1` is due")
        at = tuple(map(int, found["at"].split(","))) if found["at"] else None
        yield *_place(inner, found["name"]), _made(make, value, at, spec)
    for name in silenced:
        yield *_layer(inner, name), ablated()


def _made(make: object, value: str, at: tuple[int, ...] | None, spec: str) -> Change:
    if make is swapped:
        return swapped(value, at)
    try:
        number = float(value)
    except ValueError:
        raise UserError(f"`{spec}`: `{value}` is no number") from None
    if value.strip().lstrip("+-").isdecimal() and int(value) != number:
        near = f"float64 has no number {value}; the nearest is {plain(number)}"
        raise UserError(f"`{spec}`: {near}")
    if make is set_to:
        return set_to(number) if at is None else value_at(at, number)
    return (added if make is added else scaled)(number, at)


def _place(inner: _Named, name: str) -> tuple[str, str]:
    """Layer and seme; a seme by itself is meant behind the last layer that writes it."""
    if name in inner.semes:
        from progtf.weights.circuit import written_last  # noqa: PLC0415  numbers are slow

        return written_last(inner.weights(), name), name
    return _layer(inner, name)


def _layer(inner: _Named, name: str) -> tuple[str, str]:
    """Layer and seme, or head, of a whole name, whether or not there are such."""
    known = [layer for layer in inner.layers if name.startswith(f"{layer}.")]
    if known:
        layer = max(known, key=len)
        return layer, name.removeprefix(f"{layer}.")
    if name.startswith(("encoder.", "decoder.")):
        stack, _, rest = name.partition(".")
        layer, _, seme = rest.partition(".")
        if not seme:
            raise UserError(f"`{name}`: a layer is named, and what of it is due, as `{name}.hit`")
        return f"{stack}.{layer}", seme
    hint = nearest(name, inner.semes)
    raise UserError(f"no seme is called `{name}`" + (hint and f"; {hint}"))
