"""Where the parts of a program stand, so that what is found out of each can be noted."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from progtf.program.forms import Form
from progtf.program.loops import by_loop
from progtf.program.model import Head, Layer, Loop, Program

Stack = Literal["encoder", "decoder"]
STACKS: tuple[Stack, Stack] = ("encoder", "decoder")
Group = Literal["heads", "cross"]
GROUPS: tuple[Group, Group] = ("heads", "cross")
Place = tuple[str, int]
"""The stack of a layer, and its number in it."""
Key = tuple[str | int, ...]
"""What stands in a layer: ``("rules", 3)``, ``("heads", 0, 2)`` for a channel of a head."""
Names = frozenset[str]
NONE: Names = frozenset()
BIAS = "bias"


class Placed(NamedTuple):
    """A layer with its place."""

    place: Place
    layer: Layer

    @property
    def loop(self) -> Loop | None:
        """The loop that it stands in."""
        return self.layer.loop

    def heads(self, group: Group) -> Iterator[tuple[Key, Head]]:
        """Its heads on the own sequence, or on the encoder, and what their channels begin with."""
        heads = self.layer.heads if group == "heads" else self.layer.cross
        for number, head in enumerate(heads):
            yield (group, number), head


def placed(program: Program, stack: Stack) -> Iterator[Placed]:
    """The layers of a stack."""
    for number, layer in enumerate(getattr(program, stack)):
        assert isinstance(layer, Layer)
        yield Placed((stack, number), layer)


def runs(program: Program, stack: Stack) -> list[Sequence[Placed]]:
    """The layers of a stack as they run: those of a loop together, any other by itself."""
    return [*by_loop(placed(program, stack))]


def read(form: Form) -> Names:
    """What a form reads."""
    return frozenset([name for name, factor in form.coefficients.items() if factor])
