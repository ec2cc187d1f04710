"""Programs to weights: where heads become features, rules units and tokens rows."""

from collections.abc import Iterator, Mapping, Sequence

from progtf.collector import collector_paused
from progtf.notation import spell
from progtf.once import once
from progtf.program import model as m
from progtf.program.forms import Form
from progtf.weights.formats import check_format
from progtf.weights.heads import Filled, head_maps, unique
from progtf.weights.layout import DenseLayout, LayerLayout, Layout, layout_of
from progtf.weights.maps import Key, Map, Path
from progtf.weights.units import hidden_units
from progtf.weights.weights import Weights


def lower(program: m.Program, dtype: str = "float32") -> Weights:
    """The weights that a program means, stored in a number format.

    Raises:
        ValueError: for a ``dtype`` that is none of float64, float32, bfloat16, float16.
        FormatError: if a weight is too large for it.
    """
    check_format(dtype)
    return _meant(program).stored_as(dtype)


@once
@collector_paused()
def _meant(program: m.Program) -> Weights:
    """In float64; checking and compiling ask for the same ones."""
    layout = layout_of(program)
    return Weights.of(layout, "float64", _Lowering(program, layout).maps())


class _Lowering:
    """The maps of one program; the residual's columns are their usual rows."""

    def __init__(self, program: m.Program, layout: Layout) -> None:
        self.program, self.layout = program, layout
        self.fill = Filled(program.space.index, layout.columns)

    def maps(self) -> Iterator[Map]:
        """All maps in the order of the text."""
        program, layout, fill = self.program, self.layout, self.fill
        yield from self._lexicon()
        if program.cell is not None:
            yield self._square((("cell",), "input"), program.cell.input, program.cell.marks)
            key = ("cell",), "recurrent"
            yield self._square(key, program.cell.recurrent, program.cell.marks)
        for place in layout.stages():
            written: Sequence[m.Stage] = getattr(program, place.stack)
            if place.number <= len(written):
                yield from self._stage(place.path, place.stage, written[place.number - 1])
        if program.outputs:
            yield fill.columns((("output",), "score"), program.outputs)
        if program.classify is not None:
            yield fill.columns((("classify",), "score"), program.classify.forms)

    def _lexicon(self) -> Iterator[Map]:
        program = self.program
        rows = {spell.token(token): vector for token, vector in program.lexicon.items()}
        rows |= {} if program.unknown is None else {"unknown": program.unknown}
        yield self.fill.rows((("lexicon",), "vector"), rows, program.marks)
        if program.spelled:
            names = [str(mark) for mark in program.spelling.marks]
            given = dict(zip(names, program.spelled, strict=True))
            yield self.fill.rows((("spelling",), "vector"), given, {})

    def _square(self, key: Key, weights: Mapping[str, Form], marks: m.Marks) -> Map:
        """Forms by the seme that they give, as a map from the residual to itself."""
        return self.fill.columns(key, weights, marks, self.layout.columns)

    def _stage(
        self, path: Path, layout: LayerLayout | DenseLayout, stage: m.Stage
    ) -> Iterator[Map]:
        if isinstance(stage, m.Dense):
            weights, bias = _parted(stage.weights)
            yield self._square((path, "weights"), weights, stage.marks)
            yield self.fill.bias((path, "bias"), bias, self.layout.columns, stage.marks)
            return
        assert isinstance(layout, LayerLayout)
        for heads, labels in ((stage.heads, layout.own), (stage.cross, layout.cross)):
            paths = [(*path, head.label) for head in labels]
            yield from head_maps(paths, heads, self.program.binding, self.fill)
        if stage.feedforward is not None:
            yield from self._rules((*path, "feedforward"), stage.feedforward)

    def _rules(self, path: Path, block: m.FeedForward) -> Iterator[Map]:
        hidden, fill = hidden_units(block), self.fill
        if not hidden.units and not hidden.bias:
            return  # its rules come to nothing
        named = dict(zip(unique(unit.name for unit in hidden.units), hidden.units, strict=True))
        inner, constants = _parted({name: unit.reads for name, unit in named.items()})
        yield fill.columns((path, "mat1"), inner, block.marks)
        yield fill.bias((path, "bias1"), constants, tuple(named), block.marks)
        writes = {name: unit.writes for name, unit in named.items()}
        yield fill.rows((path, "mat2"), writes, block.marks)
        yield fill.bias((path, "bias2"), hidden.bias, self.layout.columns, block.marks)


def _parted(forms: Mapping[str, Form]) -> tuple[dict[str, Form], dict[str, float]]:
    """Forms without their constants, and the constants."""
    bare = {name: Form(form.coefficients) for name, form in forms.items()}
    return bare, {name: form.constant for name, form in forms.items()}
