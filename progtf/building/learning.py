"""What a program leaves to training: the ``learn:`` section."""

from collections.abc import Callable, Iterator

from progtf.building import maps, problems
from progtf.building.fields import Fields
from progtf.building.heads.learned import WIDEST
from progtf.building.lexicon import Lexicon
from progtf.building.names import CLOCKED, Reader
from progtf.building.settings import Sections, Settings
from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import Mistake, Report, Span, reporting
from progtf.numbers import refused
from progtf.program.forms import Form
from progtf.program.model import BOS, Learn, LearnedLayer

USUAL_HEADS = 4


Number = Callable[[str, int], int]


def build_learn(
    sections: Sections, settings: Settings, names: Reader, number: Number
) -> Learn | None:
    """What ``learn:`` says; what is wrong with it is reported.

    Args:
        sections: of the program.
        settings: of the program.
        names: what its names mean.
        number: of a layer of a stack, for its number in the text.
    """
    blocks = sections.blocks("learn")
    if not blocks:
        return None
    with reporting(names.wrong.append):
        lines = (line for line in sections.children("learn") if isinstance(line, f.Field))
        single = (line for line in lines if not isinstance(line.value, f.LearnedLayers))
        fields = Fields.of(single, blocks[0].span)
        return _learn(fields, sections, settings, names, number)
    return None


def _learn(
    fields: Fields, sections: Sections, settings: Settings, names: Reader, number: Number
) -> Learn:
    semes = fields.number("semes", 0.0)
    if semes not in range(1, WIDEST + 1):
        if "semes" not in fields:
            raise Mistake(problems.order.missing(fields.place, "`semes:`, how many are learned"))
        due = f"a whole number from 1 to {WIDEST}"
        raise Mistake(
            problems.order.bad_setting(fields.span("semes"), "semes", refused(semes), due)
        )
    if settings.kind in ("rnn", "dense"):
        why = f"the kind of this program is {settings.kind}"
        raise Mistake(problems.order.not_here(fields.place, "`learn:`", why))
    encoder, decoder = (
        {number(stack, n): sizes for n, sizes in found.items()}
        for stack in ("encoder", "decoder")
        for found in (_layers(sections, stack, int(semes), settings),)
    )
    semes_alone = (name for name in names.space.names if not name.startswith(CLOCKED))
    reads = dict.fromkeys(_reads(fields, names) if "reads" in fields else semes_alone)
    return Learn(
        int(semes), tuple(reads), encoder, decoder, fields.word("protect", "yes") in ("yes", "true")
    )


def _reads(fields: Fields, names: Reader) -> Iterator[str]:
    entries = fields.entries("reads")
    if len(entries) == 1 and _spelled(entries[0]) == "0":  # nothing is read
        return
    for entry in maps.of_kind(entries, names, "vector"):
        name, span = str(entry.terms[0].name), entry.terms[0].span
        if entry.mark or entry.terms[0].name is None or entry.terms[0].coefficient != 1:
            due = "a seme's name alone: its range says how it is scaled"
            raise Mistake(problems.order.bad_setting(span, "reads", _spelled(entry), due))
        if name in names.distances:
            for _, cos, sin in names.distance(name):
                yield from (cos, sin)
        else:
            yield from names.form_of(name, span).coefficients


def _spelled(entry: f.Entry[f.Term]) -> str:
    value, name = entry.terms[0].coefficient, entry.terms[0].name
    plain = spell.number(value) if name is None else spell.term(value, name, first=True)
    return f"{entry.mark or ''}{plain}"


def _layers(
    sections: Sections, stack: str, semes: int, settings: Settings
) -> dict[int, LearnedLayer]:
    """The learned layers of a stack by their numbers in the text."""
    found: dict[int, LearnedLayer] = {}
    for line in sections.children("learn"):
        match line:
            case f.Field(key=key, value=f.LearnedLayers() as layers) if key == stack:
                if settings.kind not in (stack, "seq2seq"):
                    why = f"the kind of this program is {settings.kind}"
                    raise Mistake(problems.order.not_here(line.span, f"`{stack}:`", why))
                sizes = _sizes(layers, line.span, semes)
                for number in _numbers(layers, stack, line.span):
                    if number in found:
                        what = f"layer {number} of `{stack}`"
                        raise Mistake(problems.order.twice("duplicate-field", line.span, what))
                    found[number] = sizes
            case _:
                pass
    return found


def _numbers(layers: f.LearnedLayers, stack: str, span: Span) -> range:
    if not 1 <= layers.first <= layers.last <= 1000:
        shown = f"{layers.first}..{layers.last}"
        raise Mistake(problems.order.bad_setting(span, stack, shown, "layers from 1 on"))
    return range(layers.first, layers.last + 1)


def _sizes(layers: f.LearnedLayers, span: Span, semes: int) -> LearnedLayer:
    heads = USUAL_HEADS if layers.heads is None else layers.heads
    units = 4 * semes if layers.filter is None else layers.filter
    if heads < 1 or semes % heads:
        due = f"heads that divide {semes} learned semes"
        raise Mistake(problems.order.bad_setting(span, "heads", str(heads), due))
    if units < 1:
        due = "hidden units from 1 on"
        raise Mistake(problems.order.bad_setting(span, "filter", str(units), due))
    return LearnedLayer(heads, units)


def with_tokens(lexicon: Lexicon, sections: Sections, report: Report) -> Lexicon:
    """The lexicon with the tokens that have learned fillers of their own.

    They read as unknown tokens to everything that is written.
    """
    given = [c for c in sections.children("learn") if isinstance(c, f.Field) and c.key == "tokens"]
    vectors = dict(lexicon.vectors)
    for field in given:
        if lexicon.unknown is None:
            hint = "add `unknown: 0` to the lexicon: it is the written vector of these tokens"
            report(problems.order.missing(field.span, "the vector of unknown tokens", hint=hint))
        for token in str(field.value):
            vectors.setdefault(token, lexicon.unknown or {})
    return Lexicon(vectors, lexicon.unknown)


def learned_outputs(lexicon: Lexicon) -> dict[str, Form]:
    """Every token, none of them with a written score: a hybrid whose program writes nothing."""
    return {token: Form() for token in lexicon.vectors if token != BOS}
