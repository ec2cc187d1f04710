"""Who writes what that whom reads: the edges of a program, read off its weights.

They are the truth that methods of circuit discovery look for (Conmy et al. 2023): a head or a block
of rules that writes a seme, and one that reads it and runs later.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np

from progtf.program.changes import EMBEDDING, called, layer_names
from progtf.program.loops import by_loop
from progtf.weights.layout import STACKS, LayerLayout, Layout, Stack
from progtf.weights.maps import BIAS, Key, Map, Places
from progtf.weights.weights import Weights

RULES, SCORES = "rules", "scores"
_OF_SOURCE = ("key", "value")
_READS = ("query", "key", "value", "role", "mat1", "weights", "score")
_WRITES = ("out", "mat2", "bias2", "weights", "bias")


@dataclass(frozen=True)
class Node:
    """What reads and writes semes.

    Attributes:
        name: ``encoder.read.head end``, ``encoder.read.rules``, ``encoder.embedding``, ``scores``.
        layer: ``encoder.read``.
        kind: embedding, head, cross (a head that reads the encoder), rules or scores.
        writes: the semes that it adds to; reads: those that it reads, by what reads them.
        path: where its weights stand: ``weights.at(node.path)``.
    """

    name: str
    layer: str
    kind: str
    writes: tuple[str, ...]
    reads: Mapping[str, tuple[str, ...]]
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edge:
    """A seme on its way.

    Attributes:
        writer, reader: the names of nodes.
        seme: what is written and read.
        by: the fields of the reader that read it, as ``key`` or ``mat1``.
    """

    writer: str
    reader: str
    seme: str
    by: tuple[str, ...]


@dataclass(frozen=True)
class Circuit:
    """All nodes in the order in which they run, and all edges between them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def as_data(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {"nodes": [asdict(n) for n in self.nodes], "edges": [asdict(e) for e in self.edges]}

    def pairs(self) -> set[tuple[str, str]]:
        """Writer and reader of all edges."""
        return {(edge.writer, edge.reader) for edge in self.edges}

    def dot(self) -> str:
        """The same in the language of Graphviz; an arrow is named by its semes."""
        lines = [f"  {_quoted(n.name)} [shape={_SHAPES.get(n.kind, 'box')}];" for n in self.nodes]
        for (writer, reader), semes in self.by_pair().items():
            ends = f"{_quoted(writer)} -> {_quoted(reader)}"
            lines.append(f"  {ends} [label={_quoted(_few(semes))}];")
        return "\n".join(["digraph circuit {", "  rankdir=BT;", *lines, "}"]) + "\n"

    def by_pair(self) -> dict[tuple[str, str], list[str]]:
        """The semes of every arrow."""
        found: dict[tuple[str, str], list[str]] = {}
        for edge in self.edges:
            found.setdefault((edge.writer, edge.reader), []).append(edge.seme)
        return found

    def graph(self) -> Any:
        """A ``networkx.MultiDiGraph`` whose arrows have ``seme`` and ``by``.

        Raises:
            ModuleNotFoundError: without networkx.
        """
        graph: Any = import_module("networkx").MultiDiGraph()  # PyTorch brings it
        graph.add_nodes_from((n.name, {"layer": n.layer, "kind": n.kind}) for n in self.nodes)
        for each in self.edges:
            graph.add_edge(each.writer, each.reader, seme=each.seme, by=each.by)
        return graph


_SHAPES = {"head": "ellipse", "cross": "ellipse"}
_SHOWN = 3


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _few(semes: list[str]) -> str:
    more = f" and {len(semes) - _SHOWN} more" if len(semes) > _SHOWN else ""
    return ", ".join(semes[:_SHOWN]) + more


@dataclass(frozen=True)
class _Step:
    """A node and when it runs: heads of a layer at once, then those that read the encoder, rules.

    ``loop``: the name of its loop, in which the last steps come before the first again.
    """

    node: Node
    stack: Stack
    when: tuple[int, int]
    loop: str
    again: bool

    def before(self, other: "_Step", field: str) -> bool:
        """Whether what this one writes is there when another reads with a field."""
        if self.stack != other.stack:
            reads_encoder = other.node.kind == "cross" and field in _OF_SOURCE
            return self.stack == "encoder" and reads_encoder
        if other.node.kind == "cross" and field in _OF_SOURCE:
            return False
        if self.when < other.when:
            return True
        same_layer = self.when[0] == other.when[0]
        return bool(self.loop and self.loop == other.loop) or (same_layer and self.again)


def circuit(weights: Weights) -> Circuit:
    """The nodes and edges of a program's weights; what is learned as a whole is left out."""
    steps = [*_steps(weights)]
    edges: list[Edge] = []
    for reader in steps:
        for writer in steps:
            edges += _between(writer, reader)
    return Circuit(tuple(step.node for step in steps), tuple(edges))


def _between(writer: _Step, reader: _Step) -> Iterator[Edge]:
    found: dict[str, list[str]] = {}
    for field, semes in reader.node.reads.items():
        if writer.before(reader, field):
            for seme in {*semes} & {*writer.node.writes}:
                found.setdefault(seme, []).append(field)
    for seme in sorted(found):
        yield Edge(writer.node.name, reader.node.name, seme, tuple(found[seme]))


def _steps(weights: Weights) -> Iterator[_Step]:
    layout, last = weights.layout, len(weights.layout.encoder) + len(weights.layout.decoder)
    for stack in STACKS:
        stages = getattr(layout, stack)
        if not stages and (stack == "decoder" or layout.decoder):
            continue
        node = Node(f"{stack}.{EMBEDDING}", f"{stack}.{EMBEDDING}", EMBEDDING, _given(weights), {})
        yield _Step(node, stack, (-1, 0), "", again=False)
        for number, (name, path, stage, loop) in enumerate(_placed(layout, stack)):
            repeated = stage.repeat > 1
            for when, node in _nodes(weights, f"{stack}.{name}", path, stage):
                yield _Step(node, stack, (number, when), loop, again=repeated)
    for key in ((("output",), "score"), (("classify",), "score")):
        if key in weights.maps:
            reads = {"score": _sources(weights.maps[key])}
            node = Node(SCORES, SCORES, SCORES, (), reads)
            stack: Stack = "decoder" if layout.decoder else "encoder"
            yield _Step(node, stack, (last, 0), "", again=False)


def _placed(layout: Layout, stack: Stack) -> Iterator[tuple[str, tuple[str, str], Any, str]]:
    """Name, path, layout and loop of every layer of a stack."""
    placed = [each for each in layout.stages() if each.stack == stack]
    names = iter(layer_names([each.stage.name for each in placed]))
    for run in by_loop(placed):
        for each in run:
            yield next(names), each.path, each.stage, each.loop.name if each.loop else ""


def _nodes(
    weights: Weights, layer: str, path: tuple[str, ...], stage: Any
) -> Iterator[tuple[int, Node]]:
    """The nodes of a layer, and which of them run together."""
    if not isinstance(stage, LayerLayout):
        yield 2, _node(weights, f"{layer}.{RULES}", layer, RULES, path)
        return
    for when, kind, heads in ((0, "head", stage.own), (1, "cross", stage.cross)):
        for head in heads:
            name = f"{layer}.head {called(head.label)}"
            yield when, _node(weights, name, layer, kind, (*path, head.label))
    if ((*path, "feedforward"), "mat1") in weights.maps:
        yield 2, _node(weights, f"{layer}.{RULES}", layer, RULES, (*path, "feedforward"))


def _node(weights: Weights, name: str, layer: str, kind: str, path: tuple[str, ...]) -> Node:
    maps = weights.at(path)
    reads = {field: _sources(maps[field]) for field in _READS if field in maps}
    writes = [seme for field in _WRITES if field in maps for seme in _targets(maps[field])]
    return Node(name, layer, kind, tuple(dict.fromkeys(writes)), reads, path)


def _given(weights: Weights) -> tuple[str, ...]:
    """What tokens and clocks give."""
    layout = weights.layout
    keys: list[Key] = [(("lexicon",), "vector"), (("spelling",), "vector")]
    maps = [weights.maps[key] for key in keys if key in weights.maps]
    clocks = layout.columns[layout.semes : layout.semes + 2 * len(layout.clocks)]
    return tuple(dict.fromkeys([*(s for each in maps for s in _targets(each)), *clocks]))


def _sources(each: Map) -> tuple[str, ...]:
    return _chosen(each.sources, each.rows[(each.rows != BIAS) & (each.numbers != 0)])


def _targets(each: Map) -> tuple[str, ...]:
    return _chosen(each.targets, each.columns[each.numbers != 0])


def _chosen(names: tuple[str, ...], places: Places) -> tuple[str, ...]:
    found: list[int] = np.unique(places).tolist()
    return tuple(names[place] for place in found)


def written_last(weights: Weights, seme: str) -> str:
    """The last layer that writes a seme, in the encoder if one there does, or the loop.

    Raises:
        ValueError: for a seme that nothing writes.
    """
    writers = [node.layer for node in circuit(weights).nodes if seme in node.writes]
    loops = ((each.stack, each.loop) for each in weights.layout.stages())
    writers += [f"{stack}.{loop.name}" for stack, loop in loops if loop and loop.unfinished == seme]
    if not writers:
        raise ValueError(f"nothing writes `{seme}`")
    real = [layer for layer in writers if layer.startswith("encoder")]
    return (real or writers)[-1]
