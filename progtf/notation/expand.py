"""Syntax to flat programs: loops unrolled, circuits put in, used files joined."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeGuard

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.arithmetic import is_number
from progtf.notation.blocks import BLOCKS
from progtf.notation.circuits import Run
from progtf.notation.diagnostics import Diagnostic, Mistake, Source, reporting
from progtf.notation.evaluate import evaluate, values
from progtf.notation.expansion import Expansion, Step, plainly
from progtf.notation.fields import field_value
from progtf.notation.files import Files
from progtf.notation.looped import called, declares, looped, unfinished
from progtf.notation.parser import parse_all
from progtf.notation.scope import (
    MOST_CHARACTERS,
    Constant,
    Constants,
    Known,
    Ready,
    Scope,
    TooLongError,
    filled,
    plain,
    show,
)
from progtf.notation.sugar import copied, joined_values, reading, sequence
from progtf.notation.table import Table, read_table
from progtf.notation.table_sections import column_values, entries_of, table_entries, table_outputs
from progtf.notation.terms import MOST_TERMS, Budget, Terms, loops, real
from progtf.notation.using import Use, adopted, unguarded

_DECLARING_NOTHING = (
    s.LexiconEntry,
    s.Field,
    s.Rule,
    s.OutputEntry,
    s.ClassEntry,
    s.Example,
    s.ReadAs,
    s.SpellingMark,
)
COST_OF_USE = 5  # a use takes longer than a term


def expand(
    file: s.File, files: Files, most: int = MOST_TERMS, step: Step = plainly
) -> tuple[f.Flat, tuple[Diagnostic, ...]]:
    """The flat program of a file and of the files it uses, and what is wrong with it.

    Args:
        file: as it was read.
        files: those that it uses.
        most: to how many terms it may expand, beside what is written out.
        step: takes each statement; one may know what it stood for before.
    """
    written = len(file.span.source.text) + files.size()
    own = frozenset(b.keyword for b in file.spoken(main=True) if isinstance(b, s.Block))
    state = Expansion(files, Budget(most + written, most), own, step)
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
                scope = _let(statement, scope, state)
            case s.Block(keyword="circuit", name=s.Name(base=base)):
                state.circuits.define(base, statement, scope)
            case s.Block(keyword="semes"):
                yield from _now(statement, scope, state)
            case s.Block() if not use.main and not _counts(statement, state, use):
                pass
            case _:
                rest.append(statement)
    yield from _of_loops(rest, scope, state)
    terms = Terms(scope, state.budget)
    for statement in rest:
        take = partial(_adopted, statement, terms, state, use)
        yield from state.step(state, use, statement, terms, take)


def _counts(block: s.Block, state: Expansion, use: Use) -> bool:
    """Whether the program takes over a section of a file that it uses."""
    kind, keyword = BLOCKS[block.keyword], block.keyword
    if kind.adds:
        return use.outer is None
    if kind.lent and use.outer is None:
        if state.own.isdisjoint(kind.lent) and state.lenders.setdefault(keyword, use) != use:
            state.found.append(messages.lent_twice(block.span, keyword))
        return state.own.isdisjoint(kind.lent) and state.lenders[keyword] == use
    if kind.lent or kind.alone:
        refused = messages.lent_under_prefix if kind.lent else messages.not_in_used_file
        state.found.append(refused(block.span, keyword))
    return not (kind.lent or kind.alone)


def _adopted(
    statement: s.Statement, terms: Terms, state: Expansion, use: Use
) -> Sequence[f.Statement]:
    """The flat statements of one statement of a file, as the program takes them over."""
    made: list[f.Statement] = []
    for each in _made(statement, terms, state)(terms.scope.constants):
        state.found += unguarded(each, use)
        with reporting(state.found.append):
            made.append(adopted(each, use))
    return made


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
    when = (
        None
        if use.when is None
        else Terms(scope, state.budget).condition(use.when)(scope.constants)
    )
    inner = within.shared(used.name) if use.prefix is None else within
    parts = [] if use.prefix is None else use.prefix.split(".")
    for count, part in enumerate(parts, 1):
        inner = inner.within(part, state.files.under(".".join(parts[:count]), user))
    inner = inner.of(used.name, when) if parts else inner
    if inner.origin not in state.taken:
        state.taken.add(inner.origin)
        yield from _file(used, state, inner)


def _let(statement: s.Let, scope: Scope, state: Expansion) -> Scope:
    with reporting(state.found.append):
        try:
            return scope.bind(**{statement.name: _constant(statement, scope, state)})
        except TooLongError:
            state.found.append(messages.text_too_long(statement.span, MOST_CHARACTERS))
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


def _now(statement: s.Statement, scope: Scope, state: Expansion) -> Sequence[f.Statement]:
    """The flat statements of one statement of a file."""
    return _made(statement, Terms(scope, state.budget), state)(scope.constants)


def _made(node: s.Statement, terms: Terms, state: Expansion) -> Run:
    """One statement, prepared in its first round; a mistake is noted and leaves it out."""
    ready: Run | None = None

    def run(constants: Constants) -> Sequence[f.Statement]:
        nonlocal ready
        try:
            state.budget.spend(1, node.span)
            ready = ready or _prepared(node, terms, state)
            return ready(constants)
        except Mistake as mistake:
            if mistake.diagnostic.code == "too-many-terms":
                raise
            state.found.append(mistake.diagnostic)
        except RecursionError:
            state.found.append(messages.too_deep(node.span))
        except TooLongError:
            state.found.append(messages.text_too_long(node.span, MOST_CHARACTERS))
        state.complete &= isinstance(node, _DECLARING_NOTHING)
        return ()

    return run


def _one(node: s.Statement, terms: Terms, state: Expansion) -> Run:
    """One statement inside another; in a loop it is part of the step that the loop is."""
    run = _made(node, terms, state)
    if terms.scope.open:
        return run
    return lambda constants: state.step(state, "inside", node, terms, partial(run, constants))


def _all(children: Iterable[s.Statement], terms: Terms, state: Expansion) -> Run:
    runs = [_one(child, terms, state) for child in children]
    return lambda constants: [each for run in runs for each in run(constants)]


def _prepared(  # noqa: PLR0911  one per node
    node: s.Statement, terms: Terms, state: Expansion
) -> Run:
    """What one statement stands for: several, one or no flat ones."""
    match node:
        case s.ForBlock():
            return _rounds(node, terms, state)
        case s.UseCircuit():
            return _circuit(node, terms, state)
        case s.Declarations():
            return _declared(node.items, terms, state)
        case s.Block():
            return _block(node, terms, state)
        case s.Field(value=s.Copy() as copy):
            return copied(copy, terms, state.declared, node.span)
        case s.Fields():
            fields = [_statement(field, terms) for field in node.items]
            return lambda constants: [field(constants) for field in fields]
        case s.OutputClassify():
            return _classify(node, terms)
        case s.LexiconEntry():
            return entries_of(node, terms)
        case s.LexiconRow() | s.OutputRow():
            column = node.tests[0].column if node.tests else "each"
            span = node.tests[0].span if node.tests else node.span
            raise Mistake(messages.no_table(span, column))
        case _:
            statement = _statement(node, terms)
            return lambda constants: (statement(constants),)


def _rounds(node: s.ForBlock, terms: Terms, state: Expansion) -> Run:
    scope, rounds = loops(node.clauses, terms.scope, state.budget)
    body = _all(node.children, Terms(scope, state.budget), state)

    def run(constants: Constants) -> Sequence[f.Statement]:
        made, before = list[f.Statement](), len(state.found)
        for inner in rounds(constants):
            made += body(inner)
            if len(state.found) > before:
                break  # the other rounds would only say the same
        return made

    return run


def _circuit(node: s.UseCircuit, terms: Terms, state: Expansion) -> Run:
    lines = state.circuits.ready(node, terms, partial(_all, state=state))

    def run(constants: Constants) -> Sequence[f.Statement]:
        state.budget.spend(COST_OF_USE, node.span)
        return lines(constants)

    return run


def _declared(items: Iterable[s.Declaration], terms: Terms, state: Expansion) -> Run:
    runs = [state.declared.ready(item, terms) for item in items]
    return lambda constants: [seme for run in runs for seme in run(constants)]


def _block(  # noqa: PLR0911  one per keyword
    node: s.Block, terms: Terms, state: Expansion
) -> Run:
    match node:
        case s.Block(keyword="loop"):
            return _loop(node, terms, state)
        case s.Block(keyword="semes"):
            items = (item for item in node.arguments if isinstance(item, s.Declaration))
            beside, below = _declared(items, terms, state), _all(node.children, terms, state)
            return lambda constants: [*beside(constants), *below(constants)]
        case s.Block(keyword="clocks"):
            return _clocks(node, terms)
        case s.Block(keyword="lexicon" | "output", arguments=(str(path), *_)):
            return _from_table(node, path, terms, state)
        case s.Block(keyword="reading"):
            return reading(node, terms)
        case s.Block(keyword="sequence"):
            return sequence(node, terms)
        case _:
            return _titled(node, terms, state)


def _titled(node: s.Block, terms: Terms, state: Expansion) -> Run:
    """A block with what stands in it; a head with a mistake is left out."""
    name = Known("") if node.name is None else terms.label(node.name)
    inside = _all(node.children, terms, state)
    head = node.keyword == "head"

    def run(constants: Constants) -> Sequence[f.Statement]:
        called, before = name(constants), len(state.found)
        children = tuple(inside(constants))
        if head and len(state.found) > before:
            return ()
        children = joined_values(children) if head else children
        return (f.Block(node.keyword, called, children, node.span),)

    return run


def _of_loops(
    nodes: Iterable[s.Statement], scope: Scope, state: Expansion
) -> Iterator[f.Statement]:
    """The semes that loops declare, wherever they stand: those of a round, and that of the end."""
    for node in nodes:
        match node:
            case s.Block(keyword="encoder" | "decoder"):
                yield from _of_loops(node.children, scope, state)
            case s.Block(keyword="loop", name=s.Name() as name):
                opening = filter(declares, node.children)
                semes = [each for child in opening for each in _now(child, scope, state)]
                resets = tuple(each.name for each in semes if _is_seme(each))
                state.resets[called(node, scope.constants, scope)] = resets
                yield from (*semes, *_now(unfinished(name), scope, state))
            case _:
                pass


def _is_seme(statement: f.Statement) -> TypeGuard[f.Seme | f.Distance]:
    return isinstance(statement, (f.Seme, f.Distance))


def _loop(node: s.Block, terms: Terms, state: Expansion) -> Run:
    """The layers of a loop; what their heads copy is of one round, too."""
    inside = _all((child for child in node.children if not declares(child)), terms, state)

    def run(constants: Constants) -> Sequence[f.Statement]:
        name = called(node, constants, terms.scope)
        if name not in state.resets:
            raise Mistake(messages.not_in_for(node.span, "loop", "let `for` stand in its layers"))
        before = len(state.declared.copied)
        found = inside(constants)
        for part in filter(_is_seme, found):
            raise Mistake(messages.not_in_for(part.span, "semes", "let `for` stand below `semes:`"))
        copies = tuple(copy.name for copy in state.declared.copied[before:])
        return tuple(looped(node, found, state.resets[name] + copies, terms, constants))

    return run


def _clocks(block: s.Block, terms: Terms) -> Run:
    """The periods of a ``clocks:`` section, beside the colon and below it."""
    below = (child.values for child in block.children if isinstance(child, s.Periods))
    beside = (item for item in block.arguments if isinstance(item, s.Expression))
    given = itertools.chain(beside, *below)
    periods = [terms.number(item, block.span) for item in given]

    def run(constants: Constants) -> Sequence[f.Statement]:
        numbers = f.Numbers(tuple([period(constants) for period in periods]))
        return (f.Field("clocks", numbers, block.span),)

    return run


def _from_table(node: s.Block, path: str, terms: Terms, state: Expansion) -> Run:
    """A lexicon or an output that a table gives, and what is written out beside it."""
    table = state.files.tables.get((node.span.source.name, path))
    rest = _all((child for child in node.children if not _about_rows(child)), terms, state)

    def run(constants: Constants) -> Sequence[f.Statement]:
        if table is None:
            given = ()
        elif node.keyword == "lexicon":
            given = tuple(table_entries(node, table, terms, constants))
        else:
            given = (*rows(read_table(table, node.span), constants), *rest(constants))
        return (f.Block(node.keyword, "", given, node.span),)

    def rows(table: Table, constants: Constants) -> Iterator[f.Statement]:
        for child in node.children:

            def make(child: s.Statement = child) -> Sequence[f.Statement]:
                return tuple(table_outputs(child, table, terms, constants))

            yield from state.step(state, f"rows of {path}", child, terms, make)

    return run


def _about_rows(node: s.Statement) -> bool:
    """Whether a line below ``output from`` is about the rows of the table."""
    if isinstance(node, s.ForBlock):
        return any(map(_about_rows, node.children))
    return isinstance(node, s.OutputRow)


def _statement(node: s.Statement, terms: Terms) -> Ready[f.Statement]:  # noqa: PLR0911  one per node
    """The flat statement of a node that stands for just one."""
    match node:
        case s.Field(key=key, span=span):
            field = field_value(node, terms)
            return lambda constants: f.Field(key, field(constants), span)
        case s.Alias(span=span):
            name, condition = terms.one(node.name), terms.condition(node.value)
            return lambda constants: f.Alias(name(constants), condition(constants), span)
        case s.NamedValue(span=span):
            name, entries = terms.one(node.name), terms.entries(node.value)
            return lambda constants: f.NamedValue(name(constants), entries(constants), span)
        case s.SpellingMark(test=test, text=text, span=span):
            gives = terms.entries(node.gives)
            return lambda constants: f.SpellingMark(test, text, gives(constants), span)
        case s.ReadAs():
            return Known(node)
        case s.Rule():
            return _rule(node, terms)
        case s.Phrase(span=span):
            phrases = [filled(phrase, terms.scope) for phrase in node.phrases]
            name = terms.one(node.target)
            return lambda c: f.Phrase(tuple([phrase(c) for phrase in phrases]), name(c), span)
        case s.OutputEntry(span=span):
            token = filled(node.token, terms.scope) if node.quoted else Known(node.token)
            score = terms.condition(node.score)
            return lambda constants: f.OutputEntry(token(constants), score(constants), span)
        case s.ClassEntry(span=span):
            label, when = filled(node.label, terms.scope), terms.maybe(terms.condition, node.when)
            return lambda c: f.ClassEntry(label(c), when(c), span)
        case s.Example():
            return Known(node)
        case _:
            raise AssertionError(node)


def _rule(node: s.Rule, terms: Terms) -> Ready[f.Rule]:
    targets = node.target
    if isinstance(targets, s.Name):
        term = s.Term(1, None, targets, targets.span)
        targets = (s.Entry("vector", (term,), node.span),)
    written, span, sets = terms.entries(targets), node.span, node.sets
    value, when = terms.maybe(terms.value, node.value), terms.maybe(terms.condition, node.when)

    def rule(constants: Constants) -> f.Rule:
        given, condition = value(constants), when(constants)
        return f.Rule(written(constants), given, condition, span, sets=sets)

    return rule


def _classify(node: s.OutputClassify, terms: Terms) -> Run:
    """Token k scores 2k*say - k*k: largest where k = say, and linear in say."""
    name, domain = terms.one(node.name), values(node.domain, terms.scope, node.span)
    span = node.span

    def run(constants: Constants) -> Sequence[f.Statement]:
        seme, made = name(constants), list[f.Statement]()
        for k in domain(constants):
            if not is_number(k):
                raise Mistake(messages.not_a_number(s.place_of(node.domain, span), show(k)))
            score = f.Term(real(2 * k, span), seme, span), f.Term(-real(k * k, span), None, span)
            made.append(f.OutputEntry(plain(k), f.Truth(score, span), span))
        return made

    return run
