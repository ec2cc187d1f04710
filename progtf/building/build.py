"""Flat programs to checked programs: names resolved, heads and rules lowered, order checked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from progtf.building import maps, problems
from progtf.building.carriers import UNKNOWN, Carriers
from progtf.building.context import Context
from progtf.building.dense import build_cell
from progtf.building.layers import build_stack, layers_of
from progtf.building.learning import build_learn, learned_outputs, with_tokens
from progtf.building.lexicon import Lexicon, build_lexicon, build_spelling, mark_vectors
from progtf.building.names import Names, Reader
from progtf.building.order import Written
from progtf.building.outputs import build_classify, build_outputs
from progtf.building.parts import Parts
from progtf.building.phrases import own_semes
from progtf.building.ranges import widened
from progtf.building.rules.split import split
from progtf.building.schedule import is_free
from progtf.building.settings import Sections, Settings, build_settings
from progtf.building.symbols import Symbols, build_symbols
from progtf.building.warnings import WARNINGS
from progtf.notation import flat as f
from progtf.notation import messages, spell
from progtf.notation.diagnostics import Diagnostic, Report, Span, errors, reporting
from progtf.program.forms import Form
from progtf.program.model import AGAIN, ASK, BOS, EOS, Layer, Learn, Marks, Program

MakeParts = Callable[[Names, Settings, float], Parts]


def build(
    flat: f.Flat, name: str, *, whole: bool = True, parts: MakeParts = Parts.of
) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    """The program that a flat text describes, or None, and everything that is wrong with it.

    Args:
        flat: the text.
        name: what the program is called.
        whole: whether nothing of the text is missing; otherwise what seems to be missing from the
            program is no mistake of its own.
        parts: gives what heads and rules come to, with names, settings and a period.
    """
    found: list[Diagnostic] = []
    program = None
    with reporting(found.append):
        program = _program(flat, name, found, parts, whole=whole)
    missed = problems.order.missing.code
    unique = tuple(dict.fromkeys(each for each in found if whole or each.code != missed))
    return (None if errors(unique) else program), unique


def _program(
    flat: f.Flat, name: str, found: list[Diagnostic], make_parts: MakeParts, *, whole: bool
) -> Program:
    """The passes in order; ``found`` gathers what is wrong."""
    sections = Sections(flat)
    settings = build_settings(sections.blocks("model"), found)
    symbols = build_symbols(flat, settings, found.append)
    lexicon = build_lexicon(sections, symbols.names.reader(found), settings)
    spelling = build_spelling(sections, settings.tokens, settings.kind, found.append)
    spelled = mark_vectors(sections, symbols.names.reader(found))
    given = (*lexicon.vectors.values(), lexicon.unknown or {})
    symbols = replace(symbols, names=widened(symbols.names, given))
    parts = make_parts(symbols.names, settings, symbols.ramp)
    layers = split(
        layers_of(sections, settings.kind),
        lambda block: is_free(block, settings),
        parts,
        learns=bool(sections.blocks("learn")),
    )
    symbols = symbols.with_flags(layers.flags, layers.loops)
    lexicon = with_tokens(lexicon, sections, found.append)
    names = symbols.names
    context = Context(
        settings, names, _embedded(settings, symbols, lexicon, spelled),
        own_semes(lexicon.vectors), parts, _carriers(settings, symbols, lexicon, spelled), found,
    )  # fmt: skip
    encoder, decoder = (build_stack(blocks, context, s) for s, blocks in layers.stacks.items())
    final = context.reader()
    classify = build_classify(sections, final)
    learn = build_learn(sections, settings, names.reader(found), layers.number)
    outputs = _outputs(sections, final, settings.kind, lexicon, learn)
    context.written.read(final.reads, "decoder" if decoder else "encoder")
    program = Program(
        name=name,
        kind=settings.kind,
        tokens=settings.tokens,
        binding=settings.binding,
        norm=settings.norm,
        width=max(settings.width, len(names.space)),
        lengths=settings.lengths,
        join=settings.join,
        space=names.space,
        semes=symbols.semes,
        clocks=symbols.periods,
        lexicon=lexicon.vectors,
        unknown=lexicon.unknown,
        encoder=encoder,
        decoder=decoder,
        cell=build_cell(sections, names.reader(found)),
        outputs=outputs,
        spelling=spelling,
        spelled=spelled,
        classify=classify,
        examples=tuple(s for s in sections.children("examples") if isinstance(s, f.Example)),
        places=_places(flat, sections),
        learn=learn,
        marks=_marks(sections, names.reader(found)),
        vectors=_vectors(names.reader(found)) if settings.kind == "dense" else {},
        again=settings.again,
        ask=settings.ask,
    )
    if whole:
        _check_parts(program, sections, found.append)
    if whole and not errors(found):
        context.written.finish(found)
    for warning in WARNINGS:
        found += warning(context, program)
    return program


def _outputs(
    sections: Sections, names: Reader, kind: str, lexicon: Lexicon, learn: Learn | None
) -> dict[str, Form]:
    """The scores of tokens; a hybrid that says nothing of them learns them all."""
    if learn is not None and kind != "encoder" and not sections.blocks("output"):
        return learned_outputs(lexicon)
    return build_outputs(sections, names, kind, lexicon.vectors)


def _marks(sections: Sections, names: Reader) -> Marks:
    """The entries of the lexicon that are trained: ("vector", token, seme) -> mark."""
    entries = [e for e in sections.children("lexicon") if isinstance(e, f.LexiconEntry)]
    marked = (e for e in entries if any(entry.mark for entry in e.value))
    return {
        ("vector", "unknown" if e.token is None else spell.token(e.token), seme): mark
        for e in marked
        for (_, _, seme), mark in maps.marks("vector", e.value, names).items()
    }


def _vectors(names: Reader) -> dict[str, dict[str, float]]:
    """The named values that are vectors of semes: an input may name them."""
    found: dict[str, dict[str, float]] = {}
    for name, value in names.values.items():
        entries = list(maps.inlined(value.value, names))
        plain = (each.kind == "vector" and not each.mark for each in entries)
        known = (each.terms[0].name in names.space.ranges for each in entries)
        if all(plain) and all(known):
            found[name] = maps.vector(value.value, names)
    return found


def _embedded(
    settings: Settings, symbols: Symbols, lexicon: Lexicon, spelled: Iterable[Mapping[str, float]]
) -> Written:
    """What is written before the first layer: what tokens have, and the clocks."""
    names = symbols.names.space.names
    written = Written()
    given = lexicon.semes().union(*spelled)
    everything = settings.kind in ("dense", "rnn")
    written.embed(set(names) if everything else given | set(names[symbols.semes :]))
    return written


def _carriers(
    settings: Settings, symbols: Symbols, lexicon: Lexicon, spelled: Iterable[Mapping[str, float]]
) -> Carriers:
    """Which tokens have what before the first layer; spelling and cells give to any of them."""
    everything = settings.kind in ("dense", "rnn")
    names = symbols.names.space.names
    vectors = {**lexicon.vectors, UNKNOWN: lexicon.unknown or {}}
    return Carriers(vectors, names if everything else {n for each in spelled for n in each})


def _places(flat: f.Flat, sections: Sections) -> dict[str, Span]:
    """Where semes are declared, scores are given, ``again:`` and ``ask:`` stand, and what falls."""
    places = {s.name: s.span for s in flat.statements if isinstance(s, f.Seme | f.Distance)}
    for key in ("output", "classify"):
        places |= {f"{key}:": block.span for block in sections.blocks(key)[:1]}
    own = (block for block in sections.blocks("model") if not block.origin)
    fields = (each for block in own for each in block.children if isinstance(each, f.Field))
    places |= {f"{each.key}:": each.span for each in fields if each.key in ("again", "ask")}
    layers = (each for each in f.walk(flat.statements) if isinstance(each, f.Block))
    for loop in (each.loop for each in layers if each.loop is not None and each.loop.falls):
        places[f"falls: {loop.name}"] = loop.falls[0].span
    return places


def _refuse_clocks(program: Program, report: Report) -> None:
    """Heads cannot look for positions or distances behind a cell: its state has no clocks."""
    behind = program.encoder if program.cell is not None else ()
    hands = frozenset(program.space.names[program.semes :])
    for head in (head for layer in behind if isinstance(layer, Layer) for head in layer.heads):
        forms = [form for each in head.features for form in (each.query, each.key)]
        forms += [form for each in head.channels for form in (each.filler, each.role)]
        if any(not hands.isdisjoint(form.coefficients) for form in forms):
            what, why = "a head that reads positions", "no clocks stand behind a cell"
            report(problems.order.not_here(head.span, what, why, hint="let the cell remember it"))


def _check_again(program: Program, sections: Sections, report: Report) -> None:
    """What is asked in its turn is declared twice: in ``model:``, and by a token of the output."""
    again, ask = program.places.get("again:"), program.places.get("ask:")
    written = [token for token in (AGAIN, ASK) if token in program.outputs]
    model, output = sections.blocks("model"), sections.blocks("output")
    whole = (*output, *model)[0].span if output or model else sections.flat.span

    def miss(span: Span, what: str, hint: str) -> None:
        report(problems.order.missing(span, what, hint=hint))

    if again is not None and not written and ask is None:
        hint = f"a text is asked again where `output:` gives `{AGAIN}` the best score"
        miss(again, f"`{AGAIN}` in `output:`", hint)
    if ask is not None and ASK not in written:
        hint = f"a question is asked where `output:` gives `{ASK}` the best score"
        miss(ask, f"`{ASK}` in `output:`", hint)
    if ask is None and ASK in written:
        hint = f"say how answers are put to texts: `{ASK}` is one of the output's tokens"
        miss(whole, '`ask: "{answer}; {text}"` in `model:`', hint)
    if again is None and written:
        hint = (
            f"say how often a text is asked at most: `{written[0]}` is one of the output's tokens"
        )
        miss(whole, "`again: up to 40` in `model:`", hint)
    elif again is None and ask is not None:
        miss(ask, "`again: up to 40` in `model:`", "say how often a text is asked at most")


def _check_parts(program: Program, sections: Sections, report: Report) -> None:
    """A program of a kind must have the sections that this kind needs, and no others."""
    kind, model = program.kind, sections.blocks("model")
    span = model[0].span if model else sections.flat.span
    if program.decoder and kind in ("encoder", "rnn", "dense"):
        place, why = sections.blocks("decoder")[0].span, f"the kind of this program is {kind}"
        hint = "write `kind: seq2seq` in `model:`"
        report(problems.order.not_here(place, "`decoder:`", why, hint=hint))
    if kind == "decoder":
        crossing = (h for s in program.decoder if isinstance(s, Layer) for h in s.cross)
        why = "a program of kind `decoder` has no encoder: it reads what stands before"
        for head in crossing:
            report(problems.order.not_here(head.span, "`from: encoder`", why))
    if kind == "seq2seq":
        for token, verb in ((BOS, "begins"), (EOS, "ends")):
            if token not in program.lexicon and token not in program.outputs:
                hint = f"add it to the lexicon: the decoder {verb} with it"
                report(problems.order.missing(span, f"the token `{token}`", hint=hint))
    _check_again(program, sections, report)
    answers = [s for s in ("classify", "score", "output") if sections.blocks(s)]
    if len(answers) > 1:
        what = f"`{answers[1]}:` beside `{answers[0]}:`"
        place = sections.blocks(answers[1])[0].span
        report(problems.order.not_here(place, what, "a program has one of them"))
    for section in answers if kind == "dense" and not program.lexicon else ():
        place, why = sections.blocks(section)[0].span, "this program answers vectors with vectors"
        hint = "give it a lexicon, or leave this out"
        report(problems.order.not_here(place, f"`{section}:`", why, hint=hint))
    _refuse_clocks(program, report)
    if kind == "rnn" and program.cell is None:
        hint = "it says how the hidden state goes on, as `recurrent: noun>noun`"
        report(problems.order.missing(span, "the `cell:` section", hint=hint))
    if kind != "dense" and not program.lexicon and program.unknown is None:
        empty = sections.blocks("lexicon")
        hint = "it gives every token its vector"
        if empty:
            report(messages.empty_section(empty[0].span, "lexicon", "dog: +noun"))
        else:
            report(problems.order.missing(span, "the `lexicon:` section", hint=hint))
