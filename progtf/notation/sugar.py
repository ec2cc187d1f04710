"""Short ways to say what heads and rules say at length: copies, readings, sequences."""

from collections.abc import Iterator, Sequence

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.declare import Declared
from progtf.notation.diagnostics import Span
from progtf.notation.evaluate import NameRef, named, spell_name, whole_name
from progtf.notation.terms import Terms


def copied(copy: s.Copy, terms: Terms, declared: Declared, span: Span) -> f.Entries:
    """``copy: adj noun as next`` is ``value: adj>next.adj, noun>next.noun``, and declares these."""
    prefix = named(copy.prefix.base, terms.scope)
    entries: list[f.Entry[f.Term]] = []
    for name in copy.names:
        for source in _sources(name, terms):
            target = _behind(prefix, source)
            declared.copy(source, target, name.span)
            both = f.Term(1.0, source, name.span), f.Term(1.0, target, name.span)
            entries.append(f.Entry("map", both, span))
        _copy_family(whole_name(name.base, terms.scope), prefix, terms, declared)
    terms.budget.spend(len(entries), span)
    return tuple(entries)


def _sources(name: s.Name, terms: Terms) -> Sequence[str]:
    """What a copied name stands for; that of a list for all names in it."""
    bound = None if name.indices else terms.scope.constants.get(name.base)
    if not isinstance(bound, tuple):
        return terms.names(name)
    listed = (item.whole for item in bound if isinstance(item, NameRef))
    return [member for base in listed for member in terms.members(base)]


def _behind(prefix: NameRef, name: str) -> str:
    """What a copy is called: in a file with a prefix of its own, that comes first."""
    return prefix.own.whole(f"{prefix.name}.{prefix.own.plain(name)}")


def _copy_family(base: str, prefix: NameRef, terms: Terms, declared: Declared) -> None:
    """The copies of a family are a family too."""
    indices = terms.scope.families.get(base)
    if indices is not None:
        copy = _behind(prefix, base)
        known = declared.families.setdefault(copy, [])
        places = (spell_name(copy, index) for index in indices)
        fresh = zip(indices, places, strict=True)
        known += [i for i, place in fresh if place in declared.places and i not in known]


def joined_values(fields: tuple[f.Statement, ...]) -> tuple[f.Statement, ...]:
    """The fields of a head with what it copies as part of its one ``value``."""
    given = [x for x in fields if isinstance(x, f.Field) and x.key in ("value", "copy")]
    copies = [x for x in given if x.key == "copy"]
    if not copies:
        return fields
    value = next((x for x in given if x.key == "value"), copies[0])
    joined = (value, *(x for x in copies if x is not value))
    entries = tuple(e for x in joined if isinstance(x.value, tuple) for e in x.value)
    rest = (x for x in fields if all(x is not part for part in joined))
    return (f.Field("value", entries, value.span), *rest)


def reading(block: s.Block, terms: Terms) -> Iterator[f.Rule]:
    """The readings of a word: the first whose condition holds, ``otherwise`` the last."""
    (what,) = block.arguments
    word = terms.condition(what)  # type: ignore[arg-type]
    before: list[f.Condition] = []
    for child in block.children:
        assert isinstance(child, s.Rule)
        here = () if child.when is None else (terms.condition(child.when),)
        taken = (f.Not(f.AnyOf(tuple(before))),) if before else ()
        assert not isinstance(child.target, s.Name)
        targets = terms.entries(child.target)
        yield f.Rule(targets, None, f.AllOf((word, *here, *taken)), child.span)
        before += here


def sequence(block: s.Block, terms: Terms) -> Iterator[f.Rule]:
    """What may stand before what: a rule a line, which fires where something else does."""
    before, target = block.arguments
    assert isinstance(before, s.Name)
    assert isinstance(target, s.Name)
    prefix = named(before.base, terms.scope)
    written = f.Term(1.0, terms.one(target), target.span)
    targets = (f.Entry("vector", (written,), target.span),)
    for line in block.children:
        assert isinstance(line, s.SequenceLine)
        flags = tuple(
            _flag(_behind(prefix, x), n.span) for n in line.before for x in _sources(n, terms)
        )
        found = f.AnyOf(flags)
        test = found if line.never else f.Not(found)
        terms.budget.spend(len(flags), line.span)
        yield f.Rule(targets, None, f.AllOf((terms.condition(line.what), test)), line.span)


def _flag(name: str, span: Span) -> f.Truth[f.Term]:
    return f.Truth((f.Term(1.0, name, span),), span)
