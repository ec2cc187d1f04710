"""Syntax to flat programs: loops unrolled, circuits put in, used files joined."""

import itertools
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TypeGuard

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.blocks import BLOCKS
from progtf.notation.diagnostics import Diagnostic, Mistake, Source, reporting
from progtf.notation.evaluate import Constant, Scope, evaluate, fill_placeholders, number, values
from progtf.notation.expansion import Expansion
from progtf.notation.fields import field_value
from progtf.notation.files import Files
from progtf.notation.kept import Kept
from progtf.notation.looped import called, declares, looped, unfinished
from progtf.notation.parser import parse_all
from progtf.notation.sugar import copied, joined_values, reading, sequence
from progtf.notation.table import read_table
from progtf.notation.table_sections import column_values, entries_of, table_entries, table_outputs
from progtf.notation.terms import MOST_TERMS, Budget, Terms, loops
from progtf.notation.using import Use, adopted, unguarded

_DECLARING_NOTHING = (
    s.LexiconEntry,
    s.Field,
    s.Rule,
    s.OutputEntry,
    s.ClassEntry,
    s.Example,
    s.SpellingMark,
)
COST_OF_USE = 5  # a use takes longer than a term


def expand(
    file: s.File, files: Files, most: int = MOST_TERMS, kept: Kept | None = None
) -> tuple[f.Flat, tuple[Diagnostic, ...]]:
    """The flat program of a file and of the files it uses, and what is wrong with it.

    Args:
        file: as it was read.
        files: those that it uses.
        most: to how many terms it may expand, beside what is written out.
        kept: what was found of statements before; those that stay are not expanded again.
    """
    written = len(file.span.source.text) + files.size()
    state = Expansion(files, Budget(most + written, most), kept)
    try:
        statements = tuple(_file(file, state, Use()))
    except Mistake as mistake:  # the budget is spent: nothing after it is read
        state.found.append(mistake.diagnostic)
        state.complete, statements = False, ()
    complete = state.complete and file.complete and all(u.complete for u in files.used.values())
    statements += tuple(state.declared.copied)
    return f.Flat(statements, state.declared.members(), file.span, complete), tuple(state.found)


def expand_text(name: str, text: str) -> tuple[f.Flat, tuple[Diagnostic, ...]]:
    """The flat program of a text that uses no files, and what is wrong with it."""
    file, found = parse_all(Source(name, text))
    flat, more = expand(file, Files())
    return flat, (*found, *more)


def _file(file: s.File, state: Expansion, use: Use) -> Iterator[f.Statement]:
    """First everything that declares names, in order, then the rest."""
    scope = Scope({}, state.declared.families, state.owners.own(file, use))
    rest: list[s.Statement] = []
    for statement in file.spoken(main=use.main):
        match statement:
            case s.UseFile():
                yield from _used(statement, file, scope, state, use)
            case s.Let():
                scope = _let(statement, scope, state, use)
            case s.Block(keyword="circuit", name=s.Name(base=base)):
                state.circuits.define(base, statement, scope)
            case s.Block(keyword="semes"):
                yield from _one(statement, scope, state)
            case s.Block(keyword=keyword) if BLOCKS[keyword].alone and not use.main:
                state.found.append(messages.not_in_used_file(statement.span, keyword))
            case _:
                rest.append(statement)
    yield from _of_loops(rest, scope, state)
    scope = state.stand(scope, use)
    for statement in rest:
        take = partial(_adopted, statement, scope, state, use)
        yield from state.once("adopted", statement, take)


def _adopted(
    statement: s.Statement, scope: Scope, state: Expansion, use: Use
) -> Iterator[f.Statement]:
    """The flat statements of one statement of a file, as the program takes them over."""
    for each in _one(statement, scope, state):
        state.found += unguarded(each, use)
        with reporting(state.found.append):
            yield adopted(each, use)


def _used(
    use: s.UseFile, user: s.File, scope: Scope, state: Expansion, within: Use
) -> Iterator[f.Statement]:
    """What a used file says, if it has not been taken over already.

    Whose names these are is looked for under every part of the prefix that it stands under.
    """
    state.budget.spend(1 + within.prefix.count("."), use.span)
    used = state.files.of(use)
    if used is None:
        return
    when = None if use.when is None else Terms(scope, state.budget).condition(use.when)
    inner = within.shared(used.name) if use.prefix is None else within
    parts = [] if use.prefix is None else use.prefix.split(".")
    for count, part in enumerate(parts, 1):
        inner = inner.within(part, state.files.under(".".join(parts[:count]), user))
    inner = inner.of(used.name, when) if parts else inner
    if inner.origin not in state.taken:
        state.taken.add(inner.origin)
        yield from _file(used, state, inner)


def _let(statement: s.Let, scope: Scope, state: Expansion, use: Use) -> Scope:
    with reporting(state.found.append):
        value = _constant(statement, scope, state)
        if state.kept is not None:
            value = state.kept.same(("let", use.origin, statement.name), value)
        return scope.bind(**{statement.name: value})
    state.complete = False
    return scope


def _constant(statement: s.Let, scope: Scope, state: Expansion) -> Constant:
    if not isinstance(statement.value, s.ColumnOf):
        return evaluate(statement.value, scope)
    table = state.files.tables.get((statement.span.source.name, statement.value.path))
    cells = () if table is None else column_values(statement.value, table)
    state.budget.spend(len(cells), statement.span)
    state.complete &= table is not None
    return cells


def _one(statement: s.Statement, scope: Scope, state: Expansion) -> tuple[f.Statement, ...]:
    """The flat statements of one statement; a mistake in it is noted and it is left out."""
    if state.here is None or scope is not state.here[0]:
        return _anew(statement, scope, state)
    return state.once("one", statement, partial(_anew, statement, scope, state))


def _anew(statement: s.Statement, scope: Scope, state: Expansion) -> tuple[f.Statement, ...]:
    try:
        return tuple(_expand(statement, scope, state))
    except Mistake as mistake:
        if mistake.diagnostic.code == "too-many-terms":
            raise
        state.found.append(mistake.diagnostic)
    except RecursionError:
        state.found.append(messages.too_deep(statement.span))
    state.complete &= isinstance(statement, _DECLARING_NOTHING)
    return ()


def _all(children: Iterable[s.Statement], scope: Scope, state: Expansion) -> Iterator[f.Statement]:
    for child in children:
        yield from _one(child, scope, state)


def _expand(node: s.Statement, scope: Scope, state: Expansion) -> Iterator[f.Statement]:
    """What one statement stands for: several, one or no flat ones."""
    terms = Terms(scope, state.budget)
    state.budget.spend(1, node.span)
    match node:
        case s.ForBlock():
            yield from _rounds(node, scope, state)
        case s.UseCircuit():
            state.budget.spend(COST_OF_USE, node.span)
            with state.circuits.entered(node, scope) as (children, inner):
                yield from _all(children, inner, state)
        case s.Declarations():
            for item in node.items:
                yield from state.declared.add(item, terms)
        case s.Block(keyword="loop"):
            yield from _loop(node, terms, state)
        case s.Block():
            yield from _block(node, terms, state)
        case s.Field(value=s.Copy() as copy):
            yield f.Field("copy", copied(copy, terms, state.declared, node.span), node.span)
        case s.Fields():
            yield from (_statement(field, terms) for field in node.items)
        case s.OutputClassify():
            yield from _classify(node, terms)
        case s.LexiconEntry():
            yield from entries_of(node, terms)
        case s.LexiconRow() | s.OutputRow():
            column = node.tests[0].column if node.tests else "each"
            span = node.tests[0].span if node.tests else node.span
            raise Mistake(messages.no_table(span, column))
        case _:
            yield _statement(node, terms)


def _rounds(node: s.ForBlock, scope: Scope, state: Expansion) -> Iterator[f.Statement]:
    for inner in loops(node.clauses, scope, state.budget):
        before = len(state.found)
        yield from _all(node.children, inner, state)
        if len(state.found) > before:
            return  # the other rounds would only say the same


def _block(node: s.Block, terms: Terms, state: Expansion) -> Iterator[f.Statement]:
    match node:
        case s.Block(keyword="semes"):
            items = (item for item in node.arguments if isinstance(item, s.Declaration))
            for item in items:
                yield from state.declared.add(item, terms)
            yield from _all(node.children, terms.scope, state)
        case s.Block(keyword="clocks"):
            yield _clocks(node, terms)
        case s.Block(keyword="lexicon" | "output", arguments=(str(path), *_)):
            table = state.files.tables.get((node.span.source.name, path))
            given = () if table is None else tuple(_from_table(node, table, terms, state))
            yield f.Block(node.keyword, "", given, node.span)
        case s.Block(keyword="reading"):
            yield from reading(node, terms)
        case s.Block(keyword="sequence"):
            yield from sequence(node, terms)
        case _:
            name = "" if node.name is None else terms.label(node.name)
            before = len(state.found)
            children = tuple(_all(node.children, terms.scope, state))
            if node.keyword != "head" or len(state.found) == before:
                children = joined_values(children) if node.keyword == "head" else children
                yield f.Block(node.keyword, name, children, node.span)


def _of_loops(
    nodes: Iterable[s.Statement], scope: Scope, state: Expansion
) -> Iterator[f.Statement]:
    """The semes that loops declare, wherever they stand: those of a round, and that of the end."""
    for node in nodes:
        match node:
            case s.Block(keyword="encoder" | "decoder"):
                yield from _of_loops(node.children, scope, state)
            case s.Block(keyword="loop", name=s.Name() as name):
                semes = tuple(_all(filter(declares, node.children), scope, state))
                state.resets[called(node, scope)] = tuple(
                    each.name for each in semes if _is_seme(each)
                )
                yield from (*semes, *_one(unfinished(name), scope, state))
            case _:
                pass


def _is_seme(statement: f.Statement) -> TypeGuard[f.Seme | f.Distance]:
    return isinstance(statement, (f.Seme, f.Distance))


def _loop(node: s.Block, terms: Terms, state: Expansion) -> Iterator[f.Statement]:
    """The layers of a loop; what their heads copy is of one round, too."""
    name = called(node, terms.scope)
    if name not in state.resets:
        raise Mistake(messages.not_in_for(node.span, "loop", "let `for` stand in its layers"))
    before = len(state.declared.copied)
    rest = (child for child in node.children if not declares(child))
    inside = tuple(_all(rest, terms.scope, state))
    for part in filter(_is_seme, inside):
        raise Mistake(messages.not_in_for(part.span, "semes", "let `for` stand below `semes:`"))
    copies = tuple(copy.name for copy in state.declared.copied[before:])
    yield from looped(node, inside, state.resets[name] + copies, terms)


def _clocks(block: s.Block, terms: Terms) -> f.Statement:
    """The periods of a ``clocks:`` section, beside the colon and below it."""
    below = (child.values for child in block.children if isinstance(child, s.Periods))
    beside = (item for item in block.arguments if isinstance(item, s.Expression))
    given = itertools.chain(beside, *below)
    periods = tuple(number(item, terms.scope, block.span) for item in given)
    return f.Field("clocks", f.Numbers(periods), block.span)


def _from_table(
    node: s.Block, table: Source, terms: Terms, state: Expansion
) -> Iterator[f.Statement]:
    """A lexicon or an output that a table gives, and what is written out beside it."""
    if node.keyword == "lexicon":
        yield from table_entries(node, table, terms)
        return
    read, here = read_table(table, node.span), state.here and terms.scope is state.here[0]
    for child in node.children:
        make = partial(table_outputs, child, read, terms)
        yield from state.once("rows", child, make) if here else make()
    rest = (child for child in node.children if not _about_rows(child))
    yield from _all(rest, terms.scope, state)


def _about_rows(node: s.Statement) -> bool:
    """Whether a line below ``output from`` is about the rows of the table."""
    if isinstance(node, s.ForBlock):
        return any(map(_about_rows, node.children))
    return isinstance(node, s.OutputRow)


def _statement(node: s.Statement, terms: Terms) -> f.Statement:  # noqa: PLR0911  one per node
    """The flat statement of a node that stands for just one."""
    match node:
        case s.Field():
            return f.Field(node.key, field_value(node, terms), node.span)
        case s.Alias():
            return f.Alias(terms.one(node.name), terms.condition(node.value), node.span)
        case s.NamedValue():
            return f.NamedValue(terms.one(node.name), terms.entries(node.value), node.span)
        case s.SpellingMark():
            return f.SpellingMark(node.test, node.text, terms.entries(node.gives), node.span)
        case s.Rule():
            return _rule(node, terms)
        case s.Phrase():
            phrases = tuple(fill_placeholders(phrase, terms.scope) for phrase in node.phrases)
            return f.Phrase(phrases, terms.one(node.target), node.span)
        case s.OutputEntry():
            token = fill_placeholders(node.token, terms.scope) if node.quoted else node.token
            return f.OutputEntry(token, terms.condition(node.score), node.span)
        case s.ClassEntry():
            when = None if node.when is None else terms.condition(node.when)
            label = fill_placeholders(node.label, terms.scope)
            return f.ClassEntry(label, when, node.span)
        case s.Example():
            return node
        case _:
            raise AssertionError(node)


def _rule(node: s.Rule, terms: Terms) -> f.Rule:
    targets = node.target
    if isinstance(targets, s.Name):
        term = s.Term(1, None, targets, targets.span)
        targets = (s.Entry("vector", (term,), node.span),)
    value = None if node.value is None else terms.value(node.value)
    when = None if node.when is None else terms.condition(node.when)
    return f.Rule(terms.entries(targets), value, when, node.span, sets=node.sets)


def _classify(node: s.OutputClassify, terms: Terms) -> Iterator[f.OutputEntry]:
    """Token k scores 2k*say - k*k: largest where k = say, and linear in say."""
    name = terms.one(node.name)
    for k in values(node.domain, terms.scope, node.span):
        value = int(k) if isinstance(k, (int, float)) else 0
        score = (
            f.Term(2.0 * value, name, node.span),
            f.Term(-float(value * value), None, node.span),
        )
        yield f.OutputEntry(str(k), f.Truth(score, node.span), node.span)
