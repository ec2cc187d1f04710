"""The layers of ``loop NAME up to N until FLAG:``, each with all that runs again with it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Span
from progtf.notation.scope import Constants, Scope, named
from progtf.notation.spell import UNFINISHED
from progtf.notation.terms import Terms


def declares(node: s.Statement) -> bool:
    """Whether a line of a loop opens the semes of a round."""
    return isinstance(node, s.Block) and node.keyword == "semes"


def called(node: s.Block, constants: Constants, scope: Scope) -> str:
    """The whole name of a loop."""
    assert node.name is not None
    return named(node.name.base, constants, scope.own).whole


def unfinished(name: s.Name) -> s.Declarations:
    """The seme that says that a loop did not come to its end."""
    whole = s.Name(f"{name.base}{UNFINISHED}", (), name.span)
    return s.Declarations((s.Declaration(whole, None, None, name.span),), name.span)


def looped(
    node: s.Block,
    inside: Sequence[f.Statement],
    resets: tuple[str, ...],
    terms: Terms,
    constants: Constants,
) -> Iterator[f.Statement]:
    """What stands in a loop, its layers with the loop that they stand in.

    Args:
        node: the loop.
        inside: what stands in it.
        resets: the semes of one round.
        terms: for the numbers and names of its first line.
        constants: of this round, if it stands in a loop.

    Raises:
        Mistake: if there is no layer in it, or a phrase.
    """
    layers = [part for part in inside if isinstance(part, f.Block)]
    if not layers:
        raise Mistake(messages.empty_loop(node.span))
    again = tuple(child for layer in layers for child in layer.children)
    for part in again:
        if isinstance(part, f.Phrase):
            raise Mistake(messages.phrase_in_loop(part.span))
    falls = [part for part in inside if isinstance(part, f.Field)]
    if len(falls) > 1:
        first, again = falls[0].span, falls[1].span
        raise Mistake(messages.twice("duplicate-field", again, "`falls`", first, how="given"))
    loop = _first_line(node, resets, terms, constants)
    for field in falls:
        assert isinstance(field.value, f.Truth)
        loop = replace(loop, falls=field.value.form)
    for part in (each for each in inside if each not in falls):
        block = isinstance(part, f.Block)
        yield replace(part, loop=loop, rounds=again) if block else part


def _first_line(
    node: s.Block, resets: tuple[str, ...], terms: Terms, constants: Constants
) -> f.Loop:
    (until,) = node.arguments
    assert isinstance(until, s.Until)
    place: Span = s.place_of(until.most, node.span)
    most = f.Term(terms.number(until.most, place)(constants), None, place)
    names = (until.flag, *until.asked)
    flag, *asked = (f.Term(1.0, terms.one(name)(constants), name.span) for name in names)
    name = called(node, constants, terms.scope)
    return f.Loop(name, most, flag, until.none, resets, node.span, tuple(asked))
