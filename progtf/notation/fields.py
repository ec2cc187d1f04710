"""The values of fields without loops and arithmetic."""

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.evaluate import Scope, integer, number
from progtf.notation.terms import Terms

# A word after one of these is a constant; after any other key it may be a word of the language.
_WHOLE = ("at", "querypos", "keypos", "repeat", "width", "trim")
_NUMBERS = (*_WHOLE, "sharpness", "semes")


def field_value(node: s.Field[s.FieldValue], terms: Terms) -> f.FieldValue:
    """What a field says, in numbers and whole names."""
    match node.value:
        case s.Extreme(form=form, where=where):
            return f.Extreme(terms.form(form), None if where is None else terms.condition(where))
        case s.Rest(filler=filler, below=below):
            score = None if below is None else number(below, terms.scope, node.span)
            return f.Rest(terms.entries(filler), score)
        case s.LearnedLayers():
            return _layers(node, node.value, terms.scope)
        case s.Truth() | s.Comparison() | s.Quantified() | s.Not() | s.AllOf() | s.AnyOf() as test:
            return terms.condition(test)
        case tuple() as entries:
            return terms.entries(entries)
        case s.Copy():
            raise AssertionError(node)  # copies are values by now
        case plain:
            return _plain(node, plain, terms)


def _plain(  # noqa: PLR0911  one kind of value each
    node: s.Field[s.FieldValue], value: s.Expression | s.Name | str, terms: Terms
) -> f.FieldValue:
    scope = terms.scope
    match value:
        case str():
            return value
        case s.Name():
            return terms.one(value)
        case s.Items(items=items) if node.key == "separate":
            return f.Words(tuple(item.value for item in items if isinstance(item, s.Text)))
        case s.Items(items=items) if node.key == "length":
            return f.Numbers(tuple(integer(item, scope, node.span) for item in items))
        case s.Items(items=items):
            return f.Numbers(tuple(number(item, scope, node.span) for item in items))
        case s.Variable(name=word) if node.key not in _NUMBERS and word not in scope.constants:
            return word
        case _ if node.key in _WHOLE:
            return integer(value, scope, node.span)
        case _:
            return number(value, scope, node.span)


def _layers(node: s.Field[s.FieldValue], layers: s.LearnedLayers, scope: Scope) -> f.LearnedLayers:
    """Layers by number; heads and hidden units are None where nothing is said of them."""
    which = layers.which
    ends = (which.low, which.high) if isinstance(which, s.Range) else (which, which)
    first, last = (integer(end, scope, node.span) for end in ends)
    heads, units = (
        None if size is None else integer(size, scope, node.span)
        for size in (layers.heads, layers.filter)
    )
    return f.LearnedLayers(first, last, heads, units)


def clocks(block: s.Block, terms: Terms) -> f.Field[f.FieldValue]:
    """The periods of a ``clocks:`` section, beside the colon and below it."""
    given = [item for item in block.arguments if isinstance(item, s.Expression)]
    for child in block.children:
        if isinstance(child, s.Field) and isinstance(child.value, s.Items):
            given += child.value.items
    periods = [number(item, terms.scope, block.span) for item in given]
    return f.Field("clocks", f.Numbers(tuple(periods)), block.span)
