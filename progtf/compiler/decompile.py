"""Models to text: a program that compiles to the same weights, bit by bit.

Idioms are gone: heads are printed as queries, keys, values, roles and output maps, rules as the
matrices of the feed-forward layer.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from progtf.compiler.entries import CONSTANT, Entries, head_labels, tables
from progtf.compiler.folder import stored_dtype
from progtf.compiler.layout import DenseLayout, GroupLayout, HeadLayout, LayerLayout, SemeLayout
from progtf.compiler.model import Model
from progtf.notation import spell
from progtf.program.forms import Values
from progtf.program.ranges import FLAG, fits
from progtf.program.spelling import Spelling

WIDTH = 100


class UnwritableError(ValueError):
    """Weights that the notation has no words for."""


def decompile(model: Model) -> str:
    """The text of a program with exactly these weights.

    Raises:
        UnwritableError: for weights on dimensions that no seme names, and for infinities or NaN.
    """
    found = {(table.path, table.field): table.entries for table in tables(model)}
    _check_names(found, model)
    found = _with_marks(found, model)
    lines = [f"# Decompiled from {model.layout.name} ({stored_dtype(model)}).", ""]
    lines += [*_model(model), "", "semes:", *_wrapped(_declarations(model, found), "  ")]
    if model.layout.clocks:
        periods = " ".join(f"/{spell.number(period)}" for period in model.layout.clocks)
        lines += ["", f"clocks: {periods}"]
    lines += [*_spelling(model, found), "", *_lexicon(model, found)]
    lines += _cell(model, found)
    for stack in ("encoder", "decoder"):
        stages = model.layout.encoder if stack == "encoder" else model.layout.decoder
        stages = tuple(stage for stage in stages if not _all_learned(stage))
        lines += ["", f"{stack}:"] if stages else []
        for number, stage in enumerate(stages, start=1):
            lines += ["", *_stage(stage, (stack, f"{number} {stage.name}"), model, found)]
    lines += [*_output(model, found), *_classify(model, found), *_learn(model)]
    lines += _examples(model)
    return "\n".join(lines) + "\n"


Found = Mapping[tuple[tuple[str, ...], str], Entries]


class _Marked(dict[tuple[str, str], float]):
    """Entries, some of which are trained: those in ``marks``."""

    marks: Mapping[tuple[str, str], str]


def _with_marks(found: Found, model: Model) -> Found:
    """The entries with their marks; a learned one that counts nothing yet is there as 0."""
    marks: dict[tuple[tuple[str, ...], str], dict[tuple[str, str], str]] = {}
    for mark in model.layout.marks:
        field = "out bias" if mark.field == "out" and not mark.source else mark.field
        marks.setdefault((mark.path, field), {})[mark.source, mark.target] = mark.mark
    result = dict(found)
    for key, some in marks.items():
        entries = _Marked({**dict.fromkeys(some, 0.0), **found.get(key, {})})
        entries.marks = {e: m if entries[e] == 0 else "~" for e, m in some.items()}
        result[key] = entries
    return result


def _marks_of(entries: Entries) -> Mapping[tuple[str, str], str]:
    return entries.marks if isinstance(entries, _Marked) else {}


def _like(entries: Entries, part: dict[tuple[str, str], float]) -> Entries:
    """A part of some entries, with their marks."""
    kept = _Marked(part)
    kept.marks = _marks_of(entries)
    return kept


def number(value: float, model: Model) -> str:
    """The shortest decimal that the model's format reads back to the same bits."""
    if stored_dtype(model) == "float64":
        return spell.number(value)
    short = str(np.float32(value))
    exact = np.float32(float(short)) == np.float32(value)
    return spell.number(float(short)) if exact else spell.number(value)


def _short(entries: Entries, model: Model) -> Entries:
    return _like(entries, {k: float(number(value, model)) for k, value in entries.items()})


def _check_names(found: Found, model: Model) -> None:
    """Extra dimensions have no names, and clocks cannot be written."""
    clocks = set(model.layout.names[model.layout.semes :])
    for (path, field), entries in found.items():
        for source, target in entries:
            written = field in ("out", "out bias", "mat2", "bias2", "vector")
            if "extra[" in source + target or (written and target in clocks):
                place = " / ".join(path)
                raise UnwritableError(
                    f"{place}: a weight of `{source}>{target}` has no name in the notation"
                )


# ------------------------------------------------------------------ head of the file


def _model(model: Model) -> Iterator[str]:
    layout = model.layout
    yield "model:"
    yield f"  kind: {layout.kind}"
    yield f"  tokens: {layout.tokens}"
    if layout.join:
        yield f"  join: {spell.quoted(layout.join)}"
    yield f"  length: {layout.lengths[0]} -> {layout.lengths[1]}"
    yield f"  binding: {layout.binding}"
    yield f"  norm: {layout.norm}"
    if layout.width > len(layout.space):
        yield f"  width: {layout.width}"


def _declarations(model: Model, found: Found) -> list[str]:
    """Every seme with its range, widened where rounding or training left it."""
    given: dict[str, set[float]] = {}
    for (_, seme), value in _short(found[("lexicon",), "vector"], model).items():
        given.setdefault(seme, set()).add(value)
    semes = model.layout.space[: model.layout.semes]
    return [_declared(seme, given.get(seme.name, set())) for seme in semes]


def _declared(seme: SemeLayout, given: set[float]) -> str:
    values = Values(seme.low, seme.high, seme.grain)
    if values == FLAG:
        return seme.name
    if not all(fits(value, values) for value in given):
        values = Values(min(seme.low, *given), max(seme.high, *given), 0.0)
    step = "" if values.grain == 1 else f" step {spell.number(values.grain)}"
    return f"{seme.name}: {spell.number(values.low)}..{spell.number(values.high)}{step}"


def _wrapped(words: list[str], indent: str) -> Iterator[str]:
    """Words side by side, as many as fit; a declaration with a range stands alone."""
    line = ""
    for word in words:
        if line and (":" in word or ":" in line or len(indent + line + word) >= WIDTH):
            yield indent + line
            line = ""
        line = f"{line} {word}".strip()
    if line:
        yield indent + line


def _spelling(model: Model, found: Found) -> Iterator[str]:
    spelling = model.layout.spelling
    if spelling == Spelling():
        return
    yield from ("", "spelling:")
    if spelling.separate:
        yield f"  separate: {' '.join(map(spell.quoted, spelling.separate))}"
    if spelling.leaving:
        yield f"  trim: punctuation leaving {spelling.leaving}"
    if spelling.case != "as written":
        yield f"  case: {spelling.case}"
    if spelling.join:
        yield "  join: phrases"
    given = _short(found.get((("spelling",), "vector"), {}), model)
    for mark in spelling.marks:
        label = f"{mark.test} {spell.quoted(mark.text)}"
        vector = spell.vector((seme, v) for (source, seme), v in given.items() if source == label)
        yield f"  {'capitals' if mark.test == 'capitals' else label} > {vector}"


def _lexicon(model: Model, found: Found) -> Iterator[str]:
    rows: dict[str, list[str]] = {}
    entries = found[("lexicon",), "vector"]
    marks = _marks_of(entries)
    for (token, seme), value in _short(entries, model).items():
        mark = marks.get((token, seme), "")
        rows.setdefault(token, []).append(_shown(value, CONSTANT, seme, mark))
    tokens = [spell.token(token) for token in model.layout.lexicon]
    tokens += ["unknown"] * model.layout.unknown
    if tokens:
        yield "lexicon:"
        rows.setdefault(tokens[-1], []).extend(f"+0{seme}" for seme in _never_written(model, found))
    for token in tokens:
        terms = rows.get(token) or ["0"]
        yield f"  {token}: {(', ' if set('~?') & set(''.join(terms)) else ' ').join(terms)}"


def _never_written(model: Model, found: Found) -> list[str]:
    """Semes that some part may read but none writes: a program must say that they are 0."""
    addresses = ("query", "key", "role")
    tables = (entries for (_, field), entries in found.items() if field not in addresses)
    written = {target for entries in tables for _, target in entries}
    semes = model.layout.space[: model.layout.semes]
    return [seme.name for seme in semes if seme.name not in written and seme.low <= 0]


# ------------------------------------------------------------------ layers


def _stage(
    stage: LayerLayout | DenseLayout, path: tuple[str, ...], model: Model, found: Found
) -> Iterator[str]:
    name = stage.name if spell.is_name(stage.name) and "[" not in stage.name else ""
    keyword = "dense" if isinstance(stage, DenseLayout) else "layer"
    yield f"  {keyword} {name}:" if name else f"  {keyword}:"
    if isinstance(stage, DenseLayout):
        yield from _field("weights", _map(found[path, "weights"], model), 4)
        yield from _field("bias", _map(found[path, "bias"], model), 4)
        yield f"    relu: {'yes' if stage.relu else 'no'}"
        return
    if stage.repeat > 1:
        yield f"    repeat: {stage.repeat}"
    labels = head_labels(stage)
    for groups, source in ((stage.own, "self"), (stage.cross, "encoder")):
        for group in groups:
            for head in group.heads:
                yield from _head(head, group, source, (*path, next(labels)), model, found)
    if stage.units is not None:
        yield "    feedforward:"
        here = (*path, "feedforward")
        yield from _field("mat1", _reads(found[here, "mat1"], stage.units, model), 6)
        for field in ("bias1", "mat2", "bias2"):
            yield from _field(field, _map(found[here, field], model), 6)


def _head(
    head: HeadLayout,
    group: GroupLayout,
    source: str,
    path: tuple[str, ...],
    model: Model,
    found: Found,
) -> Iterator[str]:
    numbers = found[path, "numbers"]
    yield f"    head {head.name}:" if head.name else "    head:"
    if head.look != "all":
        yield f"      look: {head.look}"
    if source == "encoder":
        yield "      from: encoder"
    if group.normalize != "keys":
        yield f"      normalize: {group.normalize}"
    yield f"      sharpness: {number(numbers['', 'sharpness'], model)}"
    yield from _address(head, path, model, found)
    if not head.learned:
        yield from _retrieved(head, path, model, found)
    if ("", "below") in numbers:
        filler = spell.vector((name, v) for (kind, name), v in numbers.items() if kind == "else")
        yield f"      else: {filler} below {number(numbers['', 'below'], model)}"


def _address(head: HeadLayout, path: tuple[str, ...], model: Model, found: Found) -> Iterator[str]:
    """Query and key, and what is learned as a whole."""
    learned = dict(head.learned)
    for field in ("query", "key"):
        if field not in learned:
            yield from _field(field, _complete(found[path, field], head.features, model), 6)
    for field, size in learned.items():
        yield f"      {field}: ?{size or ''}"


def _retrieved(
    head: HeadLayout, path: tuple[str, ...], model: Model, found: Found
) -> Iterator[str]:
    """Value, role and output map."""
    yield from _field("value", _complete(found[path, "value"], head.fillers, model), 6)
    if (path, "role") in found:
        yield from _field("role", _complete(found[path, "role"], head.roles, model), 6)
    entries, bias = found[path, "out"], found.get((path, "out bias"), {})
    out = _Marked({**entries, **bias})
    out.marks = {**_marks_of(entries), **_marks_of(bias)}
    yield from _field("out", _map(out, model) or _no_output(head, model), 6)


def _complete(entries: Entries, targets: tuple[str, ...], model: Model) -> list[str]:
    """A map in which every target occurs, if only with 0: targets are columns."""
    shown: list[str] = []
    short = _short(entries, model)
    for target in targets:
        here = _like(short, {key: value for key, value in short.items() if key[1] == target})
        shown += _map(here, model) or [f"0{target}"]
    return shown


def _reads(entries: Entries, units: tuple[str, ...], model: Model) -> list[str]:
    """What hidden units read; one that reads nothing reads 0 of a seme, to keep its place."""
    shown: list[str] = []
    for unit in units:
        here = _like(entries, {key: value for key, value in entries.items() if key[1] == unit})
        shown += _map(here, model) or [f"0{model.layout.names[0]}>{unit}"]
    return shown


def _no_output(head: HeadLayout, model: Model) -> list[str]:
    """Without an output map fillers would be semes; a head that writes nothing says so."""
    if model.layout.binding == "outer":
        return [f"0{head.fillers[0]}*{head.roles[0]} > {model.layout.names[0]}"]
    return [f"0{head.fillers[0]}>{model.layout.names[0]}"] if head.fillers else []


def _map(entries: Entries, model: Model) -> list[str]:
    marks = _marks_of(entries)
    return [
        _shown(value, source, target, marks.get((source, target), ""))
        for (source, target), value in _short(entries, model).items()
    ]


def _shown(value: float, source: str, target: str, mark: str) -> str:
    if mark == "?":
        return f"?{source}>{target}" if source else f"?{target}"
    text = spell.term(value, target) if source == CONSTANT else _entry(value, source, target)
    return mark + text.removeprefix("+") if mark else text


def _entry(value: float, source: str, target: str) -> str:
    """``a>b``, or ``a*b > c`` for a product of filler and role."""
    arrow = " > " if "*" in source else ">"
    return f"{spell.term(value, source, first=True)}{arrow}{target}"


def _field(name: str, items: list[str], indent: int) -> Iterator[str]:
    """``name: a, b`` on one line, or the items below it where they are many."""
    pad = " " * indent
    whole = ", ".join(items)
    if not items:
        return
    if len(pad + name + whole) + 2 <= WIDTH:
        yield f"{pad}{name}: {whole}"
        return
    yield f"{pad}{name}:"
    line = ""
    for item in items:
        if line and len(pad + line + item) + 4 > WIDTH:
            yield f"{pad}  {line}"
            line = ""
        line = f"{line}, {item}" if line else item
    yield f"{pad}  {line}"


# ------------------------------------------------------------------ cell, output, classes


def _cell(model: Model, found: Found) -> Iterator[str]:
    if model.layout.activation is None:
        return
    inputs = found[("cell",), "input"]
    yield from ("", "cell:", f"  activation: {model.layout.activation}")
    given = _like(inputs, {k: v for k, v in inputs.items() if k[0]})
    yield from _field("input", _map(given, model) or ["0"], 2)
    yield from _field("recurrent", _map(found[("cell",), "recurrent"], model), 2)
    bias = _like(inputs, {k: v for k, v in inputs.items() if not k[0]})
    yield from _field("bias", _map(bias, model), 2)


def _scores(entries: Entries, labels: tuple[str, ...], model: Model) -> Iterator[tuple[str, str]]:
    short = _short(entries, model)
    for label in labels:
        form = {source: v for (source, target), v in short.items() if target == label and source}
        yield label, spell.form(form, short.get((CONSTANT, label), 0.0))


def _output(model: Model, found: Found) -> Iterator[str]:
    if not model.layout.outputs:
        return
    yield from ("", "output:")
    for token, score in _scores(found[("output",), "score"], model.layout.outputs, model):
        yield f"  {spell.token(token)}: {score}"


def _classify(model: Model, found: Found) -> Iterator[str]:
    if not model.layout.classes:
        return
    section = "score" if model.layout.number else "classify"
    yield from ("", f"{section}:", f"  pool: {model.layout.pool}")
    if model.layout.number:
        ((_, score),) = _scores(found[("classify",), "score"], model.layout.classes, model)
        yield f"  value: {score}"
        return
    for label, score in _scores(found[("classify",), "score"], model.layout.classes, model):
        yield f"  {label if spell.is_name(label) else spell.quoted(label)}: {score}"


def _all_learned(stage: LayerLayout | DenseLayout) -> bool:
    """Whether a layer is only there because ``learn:`` asks for it."""
    if isinstance(stage, DenseLayout) or stage.learned is None:
        return False
    return stage.units is None and not stage.own and not stage.cross


def _learn(model: Model) -> Iterator[str]:
    layout = model.layout
    if layout.learn is None:
        return
    yield from ("", "learn:", f"  semes: {layout.learn.semes}")
    yield from _field("reads", list(layout.learn.reads) or ["0"], 2)
    for stack, stages in (("encoder", layout.encoder), ("decoder", layout.decoder)):
        for place, stage in enumerate(stages, start=1):
            if isinstance(stage, LayerLayout) and stage.learned is not None:
                heads, units = stage.learned
                yield f"  {stack}: layers {place} heads {heads} filter {units}"
    if not layout.learn.protect:
        yield "  protect: no"


def _examples(model: Model) -> Iterator[str]:
    if model.layout.examples:
        yield from ("", "examples:")
    for given, expected in model.layout.examples:
        yield f"  {_raw(given)} -> {_raw(expected)}"


def _raw(text: str) -> str:
    plain = "->" not in text and "→" not in text and text == text.strip() and "#" not in text
    return text if plain and text[:1] not in "\"'" else spell.quoted(text)
