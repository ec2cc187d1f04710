"""Syntax to flat programs: loops unrolled, circuits put in, used files joined."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.notation.evaluate import (
    Constant,
    Scope,
    evaluate,
    integer,
    number,
    spell_index,
    values,
    whole_name,
)
from progtf.notation.files import Files
from progtf.notation.tables import table_entries
from progtf.notation.terms import Budget, Terms, fill_placeholders, loops

_ONLY_IN_PROGRAMS = ("model", "encoder", "decoder", "layer", "dense", "cell", "output", "classify")


@dataclass(frozen=True, slots=True)
class _Circuit:
    block: s.Block
    scope: Scope


@dataclass
class _Expansion:
    """What one expansion gathers; the passes below it only read their arguments."""

    files: Files
    budget: Budget = field(default_factory=Budget)
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    circuits: dict[str, _Circuit] = field(default_factory=dict[str, _Circuit])
    families: dict[str, tuple[tuple[int | str, ...], ...]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict[str, Span])
    active: list[str] = field(default_factory=list[str])


def expand(file: s.File, files: Files) -> tuple[f.Flat, tuple[Diagnostic, ...]]:
    """The flat program of a file and of the files it uses, and what is wrong with it."""
    state = _Expansion(files)
    try:
        statements = tuple(_file(file, state, "", main=True))
    except Mistake as mistake:  # the budget is spent: nothing after it is read
        state.found.append(mistake.diagnostic)
        statements = ()
    families = {
        base: tuple(_canonical(base, index) for index in indices)
        for base, indices in state.families.items()
    }
    return f.Flat(statements, families, file.span), tuple(state.found)


def _file(file: s.File, state: _Expansion, prefix: str, *, main: bool) -> Iterator[f.Statement]:
    """First everything that declares names, in order, then the rest."""
    scope = Scope({}, state.families, prefix, _owned(file) if prefix else frozenset())
    rest: list[s.Statement] = []
    for statement in file.spoken(main=main):
        match statement:
            case s.UseFile():
                used = state.files.used.get((statement.span.source.name, statement.path))
                inner = "" if statement.prefix is None else f"{prefix}{statement.prefix}."
                if used is not None:
                    yield from _file(used, state, inner, main=False)
            case s.Let():
                scope = _guarded(state, lambda it=statement, sc=scope: _let(it, sc), scope)
            case s.Block(keyword="circuit", name=s.Name(base=base)):
                _define(base, statement, scope, state)
            case s.Block(keyword=keyword) if not main and keyword in _ONLY_IN_PROGRAMS:
                state.found.append(messages.not_in_used_file(statement.span, keyword))
            case s.Block(keyword="semes"):
                yield from _one(statement, scope, state)
            case _:
                rest.append(statement)
    for statement in rest:
        yield from _one(statement, scope, state)


def _owned(file: s.File) -> frozenset[str]:
    """The names that a file declares, by their first part."""
    names: set[str] = set()
    for statement in file.statements:
        match statement:
            case s.Block(keyword="semes"):
                names |= {item.name.base for item in _declared(statement)}
            case s.Alias() | s.NamedValue():
                names.add(statement.name.base)
            case _:
                pass
    return frozenset(name.split(".")[0] for name in names)


def _declared(block: s.Block) -> Iterator[s.Declaration]:
    yield from (item for item in block.arguments if isinstance(item, s.Declaration))
    for child in block.children:
        if isinstance(child, s.Declarations):
            yield from child.items
        elif isinstance(child, s.ForBlock):
            yield from _declared(s.Block("semes", None, (), child.children, child.span))


def _guarded(state: _Expansion, action: Callable[[], Scope], otherwise: Scope) -> Scope:
    try:
        return action()
    except Mistake as mistake:
        state.found.append(mistake.diagnostic)
        return otherwise


def _let(statement: s.Let, scope: Scope) -> Scope:
    return scope.bind(**{statement.name: evaluate(statement.value, scope)})


def _define(base: str, block: s.Block, scope: Scope, state: _Expansion) -> None:
    name = scope.prefix + base
    if name in state.circuits:
        first = state.circuits[name].block.span
        state.found.append(
            messages.twice("duplicate-circuit", block.span, f"circuit `{name}`", first)
        )
    state.circuits[name] = _Circuit(block, scope)


def _one(statement: s.Statement, scope: Scope, state: _Expansion) -> tuple[f.Statement, ...]:
    """The flat statements of one statement; a mistake in it is noted and it is left out."""
    try:
        return tuple(_expand(statement, scope, state))
    except Mistake as mistake:
        if mistake.diagnostic.code == "too-many-terms":
            raise
        state.found.append(mistake.diagnostic)
        return ()


def _all(children: Iterable[s.Statement], scope: Scope, state: _Expansion) -> Iterator[f.Statement]:
    for child in children:
        yield from _one(child, scope, state)


def _expand(node: s.Statement, scope: Scope, state: _Expansion) -> Iterator[f.Statement]:  # noqa: C901, PLR0912, PLR0915  one case per statement
    terms = Terms(scope, state.budget)
    state.budget.spend(1, node.span)
    match node:
        case s.ForBlock():
            for inner in loops(node.clauses, scope, state.budget):
                yield from _all(node.children, inner, state)
        case s.Block(keyword="semes"):
            for item in node.arguments:
                if isinstance(item, s.Declaration):
                    yield from _declaration(item, scope, state)
            yield from _all(node.children, scope, state)
        case s.Declarations():
            for item in node.items:
                yield from _declaration(item, scope, state)
        case s.Block(keyword="clocks"):
            yield _clocks(node, scope)
        case s.Block(keyword="lexicon", arguments=(str(path),)):
            table = state.files.tables.get((node.span.source.name, path))
            if table is not None:
                rows = tuple(table_entries(node, table, terms))
                yield f.Block("lexicon", "", rows, node.span)
        case s.Block():
            name = "" if node.name is None else _block_name(node.name, scope, terms)
            yield f.Block(node.keyword, name, tuple(_all(node.children, scope, state)), node.span)
        case s.UseCircuit():
            yield from _use_circuit(node, scope, state)
        case s.Field():
            yield f.Field(node.key, _field_value(node, scope, terms), node.span)
        case s.Alias():
            yield f.Alias(terms.one(node.name), terms.condition(node.value), node.span)
        case s.NamedValue():
            yield f.NamedValue(terms.one(node.name), terms.entries(node.value), node.span)
        case s.LexiconEntry():
            token = None if node.token is None else _token(node.token, node.quoted, scope)
            yield f.LexiconEntry(token, terms.entries(node.value), node.span)
        case s.Rule():
            yield _rule(node, terms)
        case s.Phrase():
            yield f.Phrase(node.phrases, terms.one(node.target), node.span)
        case s.OutputEntry():
            token = _token(node.token, node.quoted, scope)
            yield f.OutputEntry(token, terms.form(node.score), node.span)
        case s.OutputClassify():
            yield from _classify(node, scope, terms)
        case s.ClassEntry():
            when = None if node.when is None else terms.condition(node.when)
            yield f.ClassEntry(node.label, when, node.span)
        case s.Example():
            yield f.Example(node.input, node.output, node.span)
        case s.Let() | s.UseFile() | s.ListLine() | s.LexiconRow():
            raise AssertionError(node)


def _block_name(name: s.Name, scope: Scope, terms: Terms) -> str:
    """A head or layer may be called like a family: its name is only a label."""
    return terms.one(name) if name.indices else whole_name(name.base, scope)


def _declaration(
    item: s.Declaration, scope: Scope, state: _Expansion
) -> Iterator[f.Seme | f.Distance]:
    base = whole_name(item.name.base, scope)
    indices = list(Terms(scope, state.budget).indices(item.name))
    if item.name.indices:
        state.families[base] = (*state.families.get(base, ()), *indices)
    for index in indices:
        name = _canonical(base, index)
        state.budget.spend(1, item.span)
        if name in state.spans:
            what = f"`{name}`"
            state.found.append(messages.twice("duplicate-seme", item.span, what, state.spans[name]))
            continue
        state.spans[name] = item.span
        yield _seme(name, item, scope)


def _seme(name: str, item: s.Declaration, scope: Scope) -> f.Seme | f.Distance:
    match item.values:
        case str():
            return f.Distance(name, item.span)
        case s.Range(low=low, high=high):
            step = 1.0 if item.step is None else number(item.step, scope, item.span)
            bounds = number(low, scope, item.span), number(high, scope, item.span)
            if not (bounds[0] < bounds[1] and step >= 0):
                raise Mistake(messages.empty_range(item.span, *bounds))
            return f.Seme(name, *bounds, step, item.span)
        case None:
            return f.Seme(name, 0.0, 1.0, 1.0, item.span)


def _canonical(base: str, index: tuple[int | str, ...]) -> str:
    return f"{base}[{','.join(map(spell_index, index))}]" if index else base


def _clocks(node: s.Block, scope: Scope) -> f.Field:
    given = [item for item in node.arguments if not isinstance(item, s.Declaration)]
    for child in node.children:
        if isinstance(child, s.Field) and isinstance(child.value, tuple):
            given += child.value
    periods = [number(item, scope, node.span) for item in given]  # type: ignore[arg-type]
    return f.Field("clocks", tuple(periods), node.span)


def _token(text: str, quoted: bool, scope: Scope) -> str:
    return fill_placeholders(text, scope) if quoted else text


def _rule(node: s.Rule, terms: Terms) -> f.Rule:
    if isinstance(node.target, s.Name):
        target = s.Entry("vector", (s.Term(1, None, node.target, node.target.span),), node.span)
        targets = terms.entries((target,))
    else:
        targets = terms.entries(node.target)
    value = None if node.value is None else terms.value(node.value)
    when = None if node.when is None else terms.condition(node.when)
    return f.Rule(targets, value, when, node.span)


def _classify(node: s.OutputClassify, scope: Scope, terms: Terms) -> Iterator[f.OutputEntry]:
    """Token k scores 2k*say - k*k: largest where k = say, and linear in say."""
    name = terms.one(node.name)
    for k in values(node.domain, scope, node.span):
        value = int(k) if isinstance(k, (int, float)) else 0
        score = (
            f.Term(2.0 * value, name, node.span),
            f.Term(-float(value * value), None, node.span),
        )
        yield f.OutputEntry(str(k), score, node.span)


def _use_circuit(node: s.UseCircuit, scope: Scope, state: _Expansion) -> Iterator[f.Statement]:
    circuit = state.circuits.get(node.name) or state.circuits.get(scope.prefix + node.name)
    if circuit is None:
        raise Mistake(messages.unknown_circuit(node.span, node.name, state.circuits))
    parameters = tuple(str(p) for p in circuit.block.arguments)
    if len(parameters) != len(node.arguments):
        given = len(node.arguments)
        raise Mistake(messages.circuit_arguments(node.span, node.name, parameters, given))
    if node.name in state.active:
        raise Mistake(messages.circuit_cycle(node.span, node.name))
    bound = {
        parameter: _argument(argument, scope)
        for parameter, argument in zip(parameters, node.arguments, strict=True)
    }
    state.active.append(node.name)
    try:
        yield from _all(circuit.block.children, circuit.scope.bind(**bound), state)
    finally:
        state.active.pop()


def _argument(node: s.Expression, scope: Scope) -> Constant:
    items = evaluate(s.Items((node,)), scope)
    assert isinstance(items, tuple)
    return items[0]


_NUMBERS = ("at", "querypos", "keypos", "sharpness", "repeat")


def _field_value(node: s.Field, scope: Scope, terms: Terms) -> object:  # noqa: PLR0911  one per kind
    value = node.value
    match node.key, value:
        case ("length", tuple()):
            return tuple(integer(part, scope, node.span) for part in value)
        case ("highest" | "lowest", (form, where)):
            return terms.form(form), None if where is None else terms.condition(where)
        case ("else", (entries, below)):
            limit = None if below is None else number(below, scope, node.span)
            return terms.entries(entries), limit
        case ("distance", s.Name()):
            return terms.one(value)
        case ("nearest" | "where" | "when", _):
            return terms.condition(value)  # type: ignore[arg-type]
        case (key, s.Variable()) if key not in _NUMBERS and value.name not in scope.constants:
            return value.name
        case (_, str()):
            return value
        case (_, tuple()):
            return terms.entries(value)
        case _:
            return number(value, scope, node.span)  # type: ignore[arg-type]
