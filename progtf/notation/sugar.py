"""Short ways to say what heads and rules say at length: copies, readings, sequences."""

from collections.abc import Sequence

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.declare import Declared
from progtf.notation.diagnostics import Span
from progtf.notation.scope import Constants, NameRef, Ready, named
from progtf.notation.terms import Terms


def copied(
    copy: s.Copy, terms: Terms, declared: Declared, span: Span
) -> Ready[Sequence[f.Statement]]:
    """``copy: adj noun as next`` is ``value: adj>next.adj, noun>next.noun``, and declares these."""
    names = [(name, _sources(name, terms)) for name in copy.names]
    own = terms.scope.own

    def field(constants: Constants) -> Sequence[f.Statement]:
        prefix = named(copy.prefix.base, constants, own)
        entries: list[f.Entry[f.Term]] = []
        for name, sources in names:
            for source in sources(constants):
                target = _behind(prefix, source)
                declared.copy(source, target, name.span)
                both = f.Term(1.0, source, name.span), f.Term(1.0, target, name.span)
                entries.append(f.Entry("map", both, span))
            family = named(name.base, constants, own).whole
            declared.copy_family(family, _behind(prefix, family))
        terms.budget.spend(len(entries), span)
        return (f.Field("copy", tuple(entries), span),)

    return field


def _sources(name: s.Name, terms: Terms) -> Ready[Sequence[str]]:
    """What a copied name stands for; that of a list for all names in it."""
    names = terms.names(name)
    if name.indices or name.base not in terms.scope:
        return names

    def sources(constants: Constants) -> Sequence[str]:
        bound = constants[name.base]
        if not isinstance(bound, tuple):
            return names(constants)
        listed = (item.whole for item in bound if isinstance(item, NameRef))
        return [member for base in listed for member in terms.members(base)]

    return sources


def _behind(prefix: NameRef, name: str) -> str:
    """What a copy is called: in a file with a prefix of its own, that comes first."""
    return prefix.own.whole(f"{prefix.name}.{prefix.own.plain(name)}")


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


def reading(block: s.Block, terms: Terms) -> Ready[Sequence[f.Statement]]:
    """The readings of a word: the first whose condition holds, ``otherwise`` the last."""
    (what,) = block.arguments
    word = terms.condition(what)  # type: ignore[arg-type]
    lines: list[tuple[Ready[f.Condition | None], Ready[f.Entries], Span]] = []
    for child in block.children:
        assert isinstance(child, s.Rule)
        assert not isinstance(child.target, s.Name)
        when = terms.maybe(terms.condition, child.when)
        lines.append((when, terms.entries(child.target), child.span))

    def rules(constants: Constants) -> Sequence[f.Statement]:
        made: list[f.Rule] = []
        known, before = word(constants), list[f.Condition]()
        for when, targets, span in lines:
            found = when(constants)
            here = () if found is None else (found,)
            taken = (f.Not(f.AnyOf(tuple(before))),) if before else ()
            made.append(f.Rule(targets(constants), None, f.AllOf((known, *here, *taken)), span))
            before += here
        return made

    return rules


def sequence(block: s.Block, terms: Terms) -> Ready[Sequence[f.Statement]]:
    """What may stand before what: a rule a line, which fires where something else does."""
    before, target = block.arguments
    assert isinstance(before, s.Name)
    assert isinstance(target, s.Name)
    written = terms.one(target)
    lines: list[tuple[s.SequenceLine, list[Ready[Sequence[str]]], Ready[f.Condition]]] = []
    for line in block.children:
        assert isinstance(line, s.SequenceLine)
        sources = [_sources(name, terms) for name in line.before]
        lines.append((line, sources, terms.condition(line.what)))

    def rules(constants: Constants) -> Sequence[f.Statement]:
        made: list[f.Rule] = []
        prefix = named(before.base, constants, terms.scope.own)
        fires = f.Term(1.0, written(constants), target.span)
        targets = (f.Entry("vector", (fires,), target.span),)
        for line, sources, what in lines:
            pairs = zip(line.before, sources, strict=True)
            given = [(each, name.span) for name, of in pairs for each in of(constants)]
            found = f.AnyOf(tuple([_flag(_behind(prefix, each), span) for each, span in given]))
            test = found if line.never else f.Not(found)
            terms.budget.spend(len(given), line.span)
            made.append(f.Rule(targets, None, f.AllOf((what(constants), test)), line.span))
        return made

    return rules


def _flag(name: str, span: Span) -> f.Truth[f.Term]:
    return f.Truth((f.Term(1.0, name, span),), span)
