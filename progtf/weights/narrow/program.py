"""The program of some of its texts: without heads and rules that add nothing to their answers."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from progtf.program.model import FeedForward, Layer, Program
from progtf.weights.layout import LayerLayout, Placed
from progtf.weights.lower import lower
from progtf.weights.maps import Map, Path
from progtf.weights.narrow.ahead import TABLES, adding
from progtf.weights.narrow.back import SCORES, Back
from progtf.weights.narrow.cut import Cut
from progtf.weights.weights import Weights


@dataclass(frozen=True)
class Part:
    """The program for the texts of which some semes are 0 at every token.

    Attributes:
        program: without what adds nothing to the answers to these texts.
        zero: the semes.
        left: the weights of the whole program, narrowed.
    """

    program: Program
    zero: Collection[str]
    left: Weights

    @classmethod
    def of(cls, program: Program, weights: Weights, zero: Collection[str]) -> "Part":
        """The part of a program.

        Args:
            program: the whole one.
            weights: its own, of a network that `can_be_narrowed`.
            zero: as for `narrowed`.
        """
        back = Back.through(weights, adding(weights, zero))
        stages: dict[str, list[Layer]] = {"encoder": [], "decoder": []}
        for placed in weights.layout.stages():
            layer = getattr(program, placed.stack)[placed.number - 1]
            stages[placed.stack].append(_layer(layer, placed, back))
        left = Cut(back).weights()
        gone = {*weights.layout.names} - {*left.layout.names}
        places = {name: place for name, place in program.places.items() if name not in gone}
        layers = {stack: tuple(some) for stack, some in stages.items()}
        return cls(replace(program, **layers, places=places), zero, left)

    def answers_alike(self) -> bool:
        """Whether what is proven of it holds for those texts: its network, narrowed, is that of the
        whole program, narrowed, number by number.
        """
        again = lower(self.program, self.left.dtype)
        other = Cut(Back.through(again, adding(again, self.zero))).weights()
        return list(told(self.left)) == list(told(other))


def _layer(layer: Layer, placed: Placed, back: Back) -> Layer:
    """A layer with the heads and rules of which something matters."""
    stage, entries = placed.stage, back.entries
    assert isinstance(stage, LayerLayout)
    heads, cross = (
        tuple(
            head
            for head, there in zip(written, layouts, strict=True)
            if entries[(*placed.path, there.label), "out"].any()
        )
        for written, layouts in ((layer.heads, stage.own), (layer.cross, stage.cross))
    )
    block = layer.feedforward and _rules(layer.feedforward, (*placed.path, "feedforward"), back)
    loop = layer.loop if layer.loop is None or layer.loop.name in back.loops else None
    return replace(layer, heads=heads, cross=cross, feedforward=block, loop=loop)


def _rules(block: FeedForward, path: Path, back: Back) -> FeedForward | None:
    """A block without the rules that are held back, and those that write what nobody reads."""
    places, zero = back.weights.layout.places, back.adding.zero.get(path)
    rules = tuple(
        rule
        for rule in (() if zero is None else block.rules)
        if not (rule.line.held and zero is not None and zero[places[rule.line.held]])
        and any(back.needed[path][places[seme]] for seme in rule.writes)
    )
    return replace(block, rules=rules) if rules or block.units or block.bias else None


def told(weights: Weights) -> Iterator[object]:
    """All that decides what a network computes, in an order of its own: names of heads and of
    hidden units do not, nor which unit stands before which.
    """
    yield replace(weights.layout, encoder=(), decoder=(), held=())
    for key in (*TABLES, *SCORES):
        yield _entries(weights.maps[key]) if key in weights.maps else None
    for placed in weights.layout.stages():
        stage = placed.stage
        assert isinstance(stage, LayerLayout)
        for head in (*stage.own, *stage.cross):
            maps = weights.at((*placed.path, head.label))
            yield replace(head, name="", label="")
            yield {name: _entries(each) for name, each in maps.items()}
        yield placed.stack, len(stage.own), len(stage.cross), stage.repeat, stage.loop
        yield _units(weights, (*placed.path, "feedforward"))


def _entries(each: Map) -> object:
    places = each.rows.tolist(), each.columns.tolist(), each.numbers.tolist()
    return len(each.sources), len(each.targets), sorted(zip(*places, strict=True))


def _units(weights: Weights, path: Path) -> object:
    """What hidden units read and write, and what is added everywhere."""
    maps = weights.at(path)
    if "mat1" not in maps:
        return None
    count = len(maps["mat1"].targets)
    reads, constants, writes = (
        {number: list[tuple[int, float]]() for number in range(count)} for _ in range(3)
    )
    for field, found, by_row in (
        ("mat1", reads, False), ("bias1", constants, False), ("mat2", writes, True),
    ):  # fmt: skip
        each = maps[field]
        for row, column, number in zip(
            each.rows.tolist(), each.columns.tolist(), each.numbers.tolist(), strict=True
        ):
            unit, place = (row, column) if by_row else (column, row)
            found[unit].append((place, number))
    alike: dict[str, list[tuple[int, float]]] = {}
    for unit, written in writes.items():
        alike.setdefault(repr((sorted(reads[unit]), constants[unit])), []).extend(written)
    return {read: sorted(written) for read, written in alike.items()}, _entries(maps["bias2"])
