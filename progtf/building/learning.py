"""What a program leaves to training: the ``learn:`` section, and heads with learned parts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from progtf.building import maps, problems
from progtf.building.context import Setting
from progtf.building.fields import Fields
from progtf.building.heads.scores import Part
from progtf.building.lexicon import Lexicon
from progtf.building.names import Names
from progtf.building.sections import Sections
from progtf.building.settings import Settings
from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.program.forms import Form
from progtf.program.model import BOS, Feature, Learn, LearnedLayer

WIDEST = 65_536
USUAL_HEADS = 4
_PARTS = ("value", "role", "query")

# ------------------------------------------------------------------ heads with learned parts


def split_learned(fields: Fields, setting: Setting) -> tuple[dict[str, int], Fields]:
    """The fields that are learned as a whole, with their sizes, and the others.

    Raises:
        Mistake: for a combination that means nothing.
    """
    learned: dict[str, int] = {}
    for key, field in fields.by_key.items():
        if isinstance(field.value, tuple) and any(_is_whole(entry) for entry in field.value):
            learned[key] = _size(key, field.value, field.span)
    if not learned:
        return {}, fields
    _check_learned(learned, fields, setting)
    return learned, replace(
        fields, by_key={k: v for k, v in fields.by_key.items() if k not in learned}
    )


def _is_whole(entry: f.Entry[f.Term]) -> bool:
    """``?`` or ``?24``: no single entry but all of the field."""
    return entry.mark == "?" and len(entry.terms) == 1 and entry.terms[0].name is None


def _size(key: str, entries: f.Entries, span: Span) -> int:
    size = entries[0].terms[0].coefficient
    if key != "value" and size:
        raise Mistake(
            problems.order.bad_setting(span, key, f"?{size:g}", "`?`: `value:` says the size")
        )
    if len(entries) > 1 or size not in range(WIDEST + 1):
        due = "`?` alone, or with a size, as `?24`"
        raise Mistake(problems.order.bad_setting(span, key, f"?{size:g}", due))
    return int(size)


def _check_learned(learned: Mapping[str, int], fields: Fields, setting: Setting) -> None:
    for key in learned:
        if key not in _PARTS:
            why = "only value, role and query can be learned as a whole"
            raise Mistake(problems.order.not_here(fields.span(key), f"`{key}: ?`", why))
    first = next(iter(learned))
    if "value" not in learned:
        why = "its filler goes to written semes"
        hint = "write `value: ?` as well"
        raise Mistake(
            problems.order.not_here(fields.span(first), f"`{first}: ?` in this head", why, hint)
        )
    for key in ("role", "out", "bind", "distance"):
        if key in fields and key not in learned:
            why = "its filler is learned and goes to learned semes"
            raise Mistake(problems.order.not_here(fields.span(key), f"`{key}:` in this head", why))
    if "role" in learned and setting.context.settings.binding == "none":
        raise Mistake(problems.heads.role_forbidden(fields.span("role")))
    if "query" in learned and "key" not in fields:
        raise Mistake(problems.order.missing(fields.place, "the keys that the learned query meets"))


def learned_query(key: f.Entries, keys: Names) -> Part:
    """Written keys that a learned query meets: what it scores is not known."""
    answers = maps.affine(key, keys, features=True)
    features = tuple(Feature(name, Form(), form) for name, form in answers.items())
    return Part("raw", features, 0.0, 0.0, 0.0, 30.0 * max(1, len(features)) ** 0.5)


# ------------------------------------------------------------------ the section


def build_learn(sections: Sections, settings: Settings, names: Names) -> Learn | None:
    """What ``learn:`` says; what is wrong with it is reported."""
    blocks = sections.blocks("learn")
    if not blocks:
        return None
    try:
        return _learn(Fields.of(_single(sections), blocks[0].span), sections, settings, names)
    except Mistake as mistake:
        names.report(mistake.diagnostic)
        return None


def _single(sections: Sections) -> Iterator[f.Statement]:
    return (c for c in sections.children("learn") if not _is_layers(c))


def _is_layers(statement: f.Statement) -> bool:
    return isinstance(statement, f.Field) and isinstance(statement.value, f.LearnedLayers)


def _learn(fields: Fields, sections: Sections, settings: Settings, names: Names) -> Learn:
    semes = fields.number("semes", 0.0)
    if semes not in range(1, WIDEST + 1):
        if "semes" not in fields:
            raise Mistake(problems.order.missing(fields.place, "`semes:`, how many are learned"))
        due = f"a whole number from 1 to {WIDEST}"
        raise Mistake(problems.order.bad_setting(fields.span("semes"), "semes", f"{semes:g}", due))
    if settings.kind in ("rnn", "dense"):
        why = f"the kind of this program is {settings.kind}"
        raise Mistake(problems.order.not_here(fields.place, "`learn:`", why))
    encoder, decoder = (
        _layers(sections, stack, int(semes), settings) for stack in ("encoder", "decoder")
    )
    reads = tuple(dict.fromkeys(_reads(fields, names))) if "reads" in fields else _semes(names)
    return Learn(
        int(semes), reads, encoder, decoder, fields.word("protect", "yes") in ("yes", "true")
    )


def _semes(names: Names) -> tuple[str, ...]:
    return tuple(name for name in names.space.names if not name.startswith(("cos[", "sin[")))


def _reads(fields: Fields, names: Names) -> Iterator[str]:
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
    """The learned layers of a stack by number."""
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


def with_tokens(
    lexicon: Lexicon, sections: Sections, report: Callable[[Diagnostic], None]
) -> Lexicon:
    """The lexicon with the tokens that have learned fillers of their own.

    They read as unknown tokens to everything that is written.
    """
    given = [c for c in sections.children("learn") if isinstance(c, f.Field) and c.key == "tokens"]
    vectors = dict(lexicon.vectors)
    for field in given:
        if lexicon.unknown is None:
            hint = "add `unknown: 0` to the lexicon: it is the written vector of these tokens"
            report(problems.order.missing(field.span, "the vector of unknown tokens", hint))
        for token in str(field.value):
            vectors.setdefault(token, lexicon.unknown or {})
    return Lexicon(vectors, lexicon.unknown)


def learned_outputs(lexicon: Lexicon) -> dict[str, Form]:
    """Every token, none of them with a written score: a hybrid whose program writes nothing."""
    return {token: Form() for token in lexicon.vectors if token != BOS}
