"""Flat programs to checked programs: names resolved, heads and rules lowered, order checked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span, errors
from progtf.program import maps, problems
from progtf.program.clocks import cos_name, ladder, ramp_period, sin_name
from progtf.program.forms import Form, Space, Values, one
from progtf.program.heads import Setting, build_head
from progtf.program.model import (
    BOS,
    EOS,
    Cell,
    Classify,
    Dense,
    Example,
    FeedForward,
    Head,
    Layer,
    Program,
    Stage,
)
from progtf.program.names import Names, distance_values, groups_of
from progtf.program.order import Written
from progtf.program.phrases import counters, is_counter, own_semes, phrase_blocks
from progtf.program.rules import build_feedforward
from progtf.program.settings import Settings, build_settings
from progtf.program.tokens import split


@dataclass
class _Build:
    """What the parts of one build share."""

    flat: f.Flat
    settings: Settings
    blocks: dict[str, list[f.Block]]
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    names: Names | None = None
    ramp: float = 0.0

    def children(self, *keywords: str) -> Iterator[f.Statement]:
        for keyword in keywords:
            for block in self.blocks.get(keyword, ()):
                yield from block.children


def build(flat: f.Flat, name: str) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    """The program that a flat text describes, or None, and everything that is wrong with it."""
    blocks: dict[str, list[f.Block]] = {}
    for statement in flat.statements:
        if isinstance(statement, f.Block):
            blocks.setdefault(statement.keyword, []).append(statement)
    found: list[Diagnostic] = []
    state = _Build(flat, build_settings(blocks.get("model", []), found), blocks, found)
    try:
        program = _program(state, name)
    except Mistake as mistake:
        found.append(mistake.diagnostic)
        program = None
    unique = tuple(dict.fromkeys(found))
    return (None if errors(unique) else program), unique


def _program(state: _Build, name: str) -> Program:
    settings = state.settings
    base_names, written = _names(state)
    lexicon, unknown = _lexicon(state, base_names)
    inputs = [*lexicon.values(), *([unknown] if unknown else [])]
    written.embed({seme for vector in inputs for seme in vector} | set(_clock_names(base_names)))
    if settings.kind in ("dense", "rnn"):
        written.embed(set(base_names.space.names))
    own = own_semes(lexicon)
    encoder, decoder = _stacks(state, base_names, written, own)
    cell = _cell(state, replace(base_names, read=written.ignore))
    reader = written.reader("decoder" if decoder else "encoder")
    final = replace(base_names, read=reader)
    classify = _classify(state, final)
    outputs = _outputs(state, final, lexicon) if classify is None else {}
    if not errors(state.found):
        written.finish(state.found)
    _warn_writers(written, state.found)
    semes = sum(1 for n in base_names.space.names if not n.startswith(("cos[", "sin[")))
    program = Program(
        name=name, kind=settings.kind, tokens=settings.tokens, binding=settings.binding,
        norm=settings.norm, width=max(settings.width, len(base_names.space)),
        lengths=settings.lengths, space=base_names.space, semes=semes,
        clocks=tuple(_periods(base_names)), lexicon=lexicon, unknown=unknown, encoder=encoder,
        decoder=decoder, cell=cell, outputs=outputs, classify=classify,
        examples=tuple(Example(c.input, c.output, c.span) for c in state.children("examples") if isinstance(c, f.Example)),
    )  # fmt: skip
    _check_parts(program, state)
    return program


# ------------------------------------------------------------------ names


def _names(state: _Build) -> tuple[Names, Written]:
    flat, settings = state.flat, state.settings
    clocks = _clocks(state)
    declared: dict[str, Values] = {}
    distances: set[str] = set()
    first: Span | None = None
    for item in flat.statements:
        match item:
            case f.Seme():
                first = first or item.span
                declared[item.name] = Values(item.low, item.high, item.step)
            case f.Distance():
                first = first or item.span
                distances.add(item.name)
                for period in clocks:
                    declared[f"{item.name}.{cos_name(period)}"] = distance_values()
                    declared[f"{item.name}.{sin_name(period)}"] = distance_values()
            case _:
                pass
    aliases, values = _definitions(state, declared)
    phrases = [p for _, p in _walk(flat.statements) if isinstance(p, f.Phrase)]
    declared |= counters(phrases, settings.tokens)
    stems = groups_of(tuple(n for n in declared if n.partition(".")[0] not in distances))
    periods = list(clocks)
    if any(isinstance(s, f.Field) and s.key == "nearest" for _, s in _walk(flat.statements)):
        state.ramp = ramp_period(max(settings.lengths) + 2)
        if state.ramp not in periods:
            periods.append(state.ramp)
    ranges = declared | {n: distance_values() for p in periods for n in (cos_name(p), sin_name(p))}
    written = Written()
    names = Names(
        Space.of(ranges), frozenset(distances), flat.families, clocks, aliases, values, first,
        written.ignore, state.found.append, {k: v for k, v in stems.items() if k not in declared},
    )  # fmt: skip
    state.names = names
    return names, written


def _walk(statements: Iterable[f.Statement]) -> Iterator[tuple[f.Block | None, f.Statement]]:
    for statement in statements:
        yield None, statement
        if isinstance(statement, f.Block):
            for _, inner in _walk(statement.children):
                yield statement, inner


def _clocks(state: _Build) -> tuple[float, ...]:
    """The declared clocks, or a ladder where positions are used without any."""
    for statement in state.flat.statements:
        if isinstance(statement, f.Field) and statement.key == "clocks":
            periods: Any = statement.value
            if any(period <= 1 for period in periods) or len(set(periods)) < len(periods):
                raise Mistake(
                    problems.bad_setting(
                        statement.span, "clocks", str(min(periods)), ("different periods above 1",)
                    )
                )
            return tuple(float(period) for period in periods)
    keys = {s.key for _, s in _walk(state.flat.statements) if isinstance(s, f.Field)}
    phrased = any(isinstance(s, f.Phrase) for _, s in _walk(state.flat.statements))
    if keys & {"at", "querypos", "keypos", "distance"} or phrased:
        return ladder(max(state.settings.lengths))
    return ()


def _periods(names: Names) -> Iterator[float]:
    for name in names.space.names:
        if name.startswith("cos["):
            yield float(name[4:-1])


def _clock_names(names: Names) -> Iterator[str]:
    return (n for n in names.space.names if n.startswith(("cos[", "sin[")))


def _definitions(
    state: _Build, declared: Mapping[str, Values]
) -> tuple[dict[str, f.Condition], dict[str, f.NamedValue]]:
    aliases: dict[str, f.Condition] = {}
    values: dict[str, f.NamedValue] = {}
    for _, statement in _walk(state.flat.statements):
        if isinstance(statement, (f.Alias, f.NamedValue)):
            if statement.name in declared or statement.name in aliases or statement.name in values:
                what = f"`{statement.name}`"
                state.found.append(problems.twice("duplicate-name", statement.span, what))
            if isinstance(statement, f.Alias):
                aliases[statement.name] = statement.value
            else:
                values[statement.name] = statement
    return aliases, values


# ------------------------------------------------------------------ lexicon and output


def _lexicon(
    state: _Build, names: Names
) -> tuple[dict[str, Mapping[str, float]], Mapping[str, float] | None]:
    lexicon: dict[str, Mapping[str, float]] = {}
    unknown: Mapping[str, float] | None = None
    for entry in state.children("lexicon"):
        if not isinstance(entry, f.LexiconEntry):
            continue
        vector = maps.vector(entry.value, names)
        if entry.token is None:
            unknown = vector
        elif entry.token in lexicon:
            state.found.append(problems.twice("duplicate-token", entry.span, f"`{entry.token}`"))
        else:
            lexicon[entry.token] = vector
            _check_token(entry, state)
    return lexicon, unknown


def _check_token(entry: f.LexiconEntry, state: _Build) -> None:
    token, tokens = entry.token or "", state.settings.tokens
    if token not in (BOS, EOS) and split(token, tokens) != [token]:
        why = (
            "tokens are single characters"
            if tokens == "chars"
            else "tokens are words without blanks"
        )
        state.found.append(problems.lexicon_token(entry.span, token, why))


def _outputs(
    state: _Build, names: Names, lexicon: Mapping[str, Mapping[str, float]]
) -> dict[str, Form]:
    """Score forms of the ``output:`` section, or the lexicon transposed (Eq. 8)."""
    given = [s for s in state.children("output") if isinstance(s, f.OutputEntry)]
    if not given and state.settings.kind in ("seq2seq", "decoder"):
        return {token: Form(dict(vector)) for token, vector in lexicon.items() if token != BOS}
    outputs: dict[str, Form] = {}
    for entry in given:
        try:
            outputs[entry.token] = names.form(entry.score)
        except Mistake as mistake:
            state.found.append(mistake.diagnostic)
    return outputs


def _classify(state: _Build, names: Names) -> Classify | None:
    if "classify" not in state.blocks:
        return None
    pool: Any = "max"
    classes: dict[str, Form] = {}
    otherwise: str | None = None
    for item in state.children("classify"):
        match item:
            case f.Field(key="pool", value=value):
                pool = value
            case f.ClassEntry(label=label, when=None):
                otherwise = label
            case f.ClassEntry(label=label, when=f.Truth(form=form)):
                classes[label] = names.form(form)
            case f.ClassEntry():
                raise Mistake(problems.literal_needed(item.span, "classify"))
            case _:
                pass
    return Classify(pool, classes, otherwise)


# ------------------------------------------------------------------ stacks


def _stacks(
    state: _Build, names: Names, written: Written, own: Mapping[str, str]
) -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
    loose = [
        s
        for s in state.flat.statements
        if isinstance(s, f.Block) and s.keyword in ("layer", "dense")
    ]
    inside = [s for s in state.children("encoder") if isinstance(s, f.Block)]
    decoding = [s for s in state.children("decoder") if isinstance(s, f.Block)]
    if state.settings.kind == "decoder":
        decoding, inside, loose = [*loose, *decoding], inside, []
    encoder = _stack(state, names, written, [*loose, *inside], own, "encoder")
    written.stack_done("encoder", restart=bool(decoding))
    decoder = _stack(state, names, written, decoding, own, "decoder")
    return encoder, decoder


def _stack(
    state: _Build,
    names: Names,
    written: Written,
    blocks: list[f.Block],
    own: Mapping[str, str],
    stack: str,
) -> tuple[Stage, ...]:
    stages: list[Stage] = []
    for number, block in enumerate(blocks, start=1):
        label = block.name or f"{block.keyword} {number}"
        if block.keyword == "dense":
            stages.append(_dense(block, state, names, written, label, stack))
        else:
            stages.append(_layer(block, state, names, written, own, label, stack))
    return tuple(stages)


def _layer(
    block: f.Block,
    state: _Build,
    names: Names,
    written: Written,
    own: Mapping[str, str],
    label: str,
    stack: str,
) -> Layer:
    parts = list(block.children)
    phrases = [part for part in parts if isinstance(part, f.Phrase)]
    if phrases:
        parts += phrase_blocks(phrases, own, state.settings.tokens, phrases[0].span)
    repeat = next((s.value for s in parts if isinstance(s, f.Field) and s.key == "repeat"), 1)
    assert isinstance(repeat, (int, float))
    if repeat > 1:
        written.add(_targets(parts, state), label, block.span, stack, silent=True)
    heads = [p for p in parts if isinstance(p, f.Block) and p.keyword == "head"]
    crossing = [
        h for h in heads if any(isinstance(c, f.Field) and c.key == "from" for c in h.children)
    ]
    plain = [h for h in heads if h not in crossing]
    if crossing and stack == "encoder":
        state.found.append(
            problems.not_here(
                crossing[0].span, "`from: encoder`", "only a decoder's heads read the encoder"
            )
        )
        crossing = []
    own_heads = _heads(plain, state, names, written, label, stack)
    cross = _heads(crossing, state, names, written, label, stack)
    rules = tuple(
        c
        for p in parts
        if isinstance(p, f.Block) and p.keyword == "feedforward"
        for c in p.children
    )
    feedforward = _feedforward(rules, state, names, written, label, stack) if rules else None
    return Layer(label, own_heads, cross, feedforward, int(repeat), block.span)


def _targets(parts: list[f.Statement], state: _Build) -> set[str]:
    """Everything that the parts of a repeated layer might write: later rounds may read it."""
    assert state.names is not None
    targets = {
        term.name
        for _, statement in _walk(parts)
        for term in _written_terms(statement)
        if term.name in state.names.space.index
    }
    return {name for name in targets if name is not None}


def _written_terms(statement: f.Statement) -> Iterator[f.Term]:
    match statement:
        case f.Rule(targets=targets):
            yield from (entry.terms[-1] for entry in targets)
        case f.Field(key="value" | "bind" | "mat2" | "bias2", value=tuple(entries)):
            yield from (entry.terms[-1] for entry in entries)
        case _:
            pass


def _heads(
    blocks: list[f.Block], state: _Build, names: Names, written: Written, label: str, stack: str
) -> tuple[Head, ...]:
    """Heads of one sub-layer: all read what was there before any of them."""
    source = written.reader("encoder") if blocks and _crosses(blocks[0]) else written.reader(stack)
    here = replace(names, read=written.reader(stack))
    setting = Setting(
        here, replace(names, read=source), max(state.settings.lengths) + 2,
        state.settings.binding, state.settings.sharpness, state.ramp,
    )  # fmt: skip
    built: list[Head] = []
    for block in blocks:
        try:
            built.append(build_head(block, setting))
        except Mistake as mistake:
            state.found.append(mistake.diagnostic)
    for head in built:
        targets = {target for channel in head.channels for target in channel.writes}
        targets |= set(head.bias)
        written.add(targets, f"head {head.name} in {label}", head.span, stack)
    return tuple(built)


def _crosses(block: f.Block) -> bool:
    return any(isinstance(child, f.Field) and child.key == "from" for child in block.children)


def _feedforward(
    rules: tuple[f.Statement, ...],
    state: _Build,
    names: Names,
    written: Written,
    label: str,
    stack: str,
) -> FeedForward:
    here = replace(names, read=written.reader(stack))
    built = build_feedforward(rules, here, max(state.settings.lengths) + 2)
    targets = {name for rule in (*built.rules, *built.units) for name in rule.writes} | set(
        built.bias or {}
    )
    span = next(r.span for r in rules)
    spans = {e.terms[-1].name: e.span for r in rules if isinstance(r, f.Rule) for e in r.targets}
    for target in sorted(targets):
        written.add({target}, f"the feed-forward block of {label}", spans.get(target, span), stack)
    return built


def _dense(
    block: f.Block, state: _Build, names: Names, written: Written, label: str, stack: str
) -> Dense:
    fields = {c.key: c for c in block.children if isinstance(c, f.Field)}
    here = replace(names, read=written.reader(stack))
    weights = _dense_map(fields, "weights", "bias", here)
    relu = "relu" in fields and fields["relu"].value == "yes"
    written.add(set(weights), label, block.span, stack, silent=True)
    return Dense(label, weights, relu, block.span)


def _dense_map(
    fields: Mapping[str, f.Field], weights: str, bias: str, names: Names
) -> dict[str, Form]:
    matrix: Any = fields[weights].value if weights in fields else ()
    vector: Any = fields[bias].value if bias in fields else ()
    forms = maps.affine(matrix, names, bias=False)
    for name, value in maps.vector(vector, names).items():
        form = forms.get(name, Form())
        forms[name] = Form(form.coefficients, value)
    return forms


def _cell(state: _Build, names: Names) -> Cell | None:
    fields = {c.key: c for c in state.children("cell") if isinstance(c, f.Field)}
    if not fields:
        return None
    span = next(iter(fields.values())).span
    recurrent = _dense_map(fields, "recurrent", "", names)
    activation: Any = fields["activation"].value if "activation" in fields else "relu"
    identity = {name: one(name) for name in names.space.names}
    inputs = _dense_map(fields, "input", "bias", names) if "input" in fields else identity
    if "input" not in fields and "bias" in fields:
        for name, value in maps.vector(fields["bias"].value, names).items():  # type: ignore[arg-type]
            inputs[name] = Form(inputs[name].coefficients, value)
    return Cell(inputs, recurrent, activation, span)


# ------------------------------------------------------------------ the whole


def _check_parts(program: Program, state: _Build) -> None:
    """A program of a kind must have the sections that this kind needs."""
    span = state.flat.span
    kind = program.kind
    if program.decoder and kind in ("encoder", "rnn", "dense"):
        state.found.append(
            problems.not_here(program.decoder[0].span, "`decoder:`", f"the kind is {kind}")
        )
    needed = {
        "seq2seq": {
            BOS: "add it to the lexicon: the decoder begins with it",
            EOS: "add it to the lexicon or the output: the decoder ends with it",
        },
        "decoder": {EOS: "add it to the lexicon or the output: the decoder ends with it"},
    }
    for token, hint in needed.get(kind, {}).items():
        if token not in program.lexicon and token not in program.outputs:
            state.found.append(problems.missing(span, f"the token `{token}`", hint))
    if kind == "rnn" and program.cell is None:
        state.found.append(problems.missing(span, "the `cell:` section"))
    if kind != "dense" and not program.lexicon and program.unknown is None:
        state.found.append(
            problems.missing(span, "the `lexicon:` section", "it gives every token its vector")
        )


def _warn_writers(written: Written, found: list[Diagnostic]) -> None:
    for name, first, second in written.doubles():
        if not is_counter(name):  # one head an offset adds to it, as it must
            found.append(problems.two_writers(second, name, first))
