"""Dense layers and recurrent cells: maps without attention and without a residual connection."""

from collections.abc import Container
from dataclasses import replace
from typing import Any

from progtf.building import maps, problems
from progtf.building.context import Context, Place
from progtf.building.fields import Fields
from progtf.building.names import Reader
from progtf.building.settings import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake
from progtf.program.forms import Form, one
from progtf.program.model import Cell, Dense, Marks


def build_dense(block: f.Block, context: Context, place: Place) -> Dense:
    """A ``dense:`` layer."""
    fields = Fields.of(block.children, block.span)
    names = replace(context.names, ends=frozenset[str]()).reader(context.wrong)
    weights = _map(fields, "weights", names)
    weights |= _kept_ends(weights, fields, context, context.written.semes[place.stack])
    context.written.read(names.reads, place.stack)
    context.written.add(set(weights), place.label, block.span, place.stack, silent=True)
    context.carriers.write(context.names.space.names)
    names = context.reader()
    marks: Marks = {
        **maps.marks("weights", fields.entries("weights"), names),
        **maps.marks("bias", fields.entries("bias"), names),
    }
    context.written.read(names.reads, place.stack)
    relu = fields.word("relu", "no") in ("yes", "true")
    return Dense(place.label, weights, relu, block.span, marks)


def _kept_ends(
    weights: dict[str, Form], fields: Fields, context: Context, written: Container[str]
) -> dict[str, Form]:
    """That a loop before it did not end is kept, for nothing is left of others.

    Raises:
        Mistake: if it makes something else of that.
    """
    ends = context.names.ends
    for end in sorted(ends & weights.keys() - {e for e, w in weights.items() if w == one(e)}):
        why = "a dense layer keeps it as it is"
        raise Mistake(problems.names.not_writable(fields.place, end, why))
    return {end: one(end) for end in sorted(ends) if end in written}


def _map(fields: Fields, matrix: str, names: Reader, bias: str = "bias") -> dict[str, Form]:
    forms = maps.affine(fields.entries(matrix), names, bias=False)
    return _with_bias(forms, fields, bias, names)


def _with_bias(forms: dict[str, Form], fields: Fields, bias: str, names: Reader) -> dict[str, Form]:
    for name, value in maps.vector(fields.entries(bias), names).items():
        forms[name] = Form(forms.get(name, Form()).coefficients, value)
    return forms


def build_cell(sections: Sections, names: Reader) -> Cell | None:
    """The ``cell:`` of a recurrent network; without ``input`` the token's vector goes in as is."""
    blocks = sections.blocks("cell")
    if not blocks:
        return None
    fields = Fields.of(sections.children("cell"), blocks[0].span)
    recurrent = _map(fields, "recurrent", names, bias="")
    activation: Any = fields.word("activation", "relu")
    if "input" in fields:
        inputs = _map(fields, "input", names)
    else:
        identity = {name: one(name) for name in names.space.names}
        inputs = _with_bias(identity, fields, "bias", names)
    marks: Marks = {
        **maps.marks("input", fields.entries("input"), names),
        **maps.marks("input", fields.entries("bias"), names),
        **maps.marks("recurrent", fields.entries("recurrent"), names),
    }
    return Cell(inputs, recurrent, activation, fields.place, marks)
