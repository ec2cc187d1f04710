"""The ``output:`` and ``classify:`` sections: scores of tokens and of classes.

Spellings by flags, ``"belle": lemma["beau"] & fs``, stay linear: a *cell* of n flags gives 1/n for
each of them, so a token whose cell is complete scores 1 and half a cell 1/2. A flag that several
cells of a token share counts once.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import cast

from progtf.building import problems
from progtf.building.lexicon import Vector
from progtf.building.names import Reader
from progtf.building.settings import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span, reporting
from progtf.program.forms import Form
from progtf.program.model import BOS, Classify, Pool
from progtf.rational import fraction_of, rational


def build_outputs(
    sections: Sections, names: Reader, kind: str, lexicon: Mapping[str, Vector]
) -> dict[str, Form]:
    """Score forms of the ``output:`` section, or the lexicon transposed (Eq. 8).

    Scores that several lines or files give to one token add up.
    """
    given = tuple(s for s in sections.children("output") if isinstance(s, f.OutputEntry))
    if not given and kind in ("seq2seq", "decoder"):
        return {token: Form(dict(vector)) for token, vector in lexicon.items() if token != BOS}
    main, unasked = sections.flat.span.source, names.reader(names.wrong)
    outputs: dict[str, Form] = {}
    found: dict[str, list[Placed]] = {}
    in_cells = {entry.token for entry in given if not isinstance(entry.score, f.Truth)}
    for entry in given:
        with reporting(names.wrong.append):
            if entry.token in in_cells:
                own = cells(entry.score, names, entry.span)
                found.setdefault(entry.token, []).extend((cell, entry.span) for cell in own)
                continue
            assert isinstance(entry.score, f.Truth)
            ours = entry.span.source is main  # a used file may offer what is never said
            score = (names if ours else unasked).form(entry.score.form)
            before = outputs.get(entry.token)
            outputs[entry.token] = score if before is None else before + score
    outputs |= {token: spelled([cell for cell, _ in placed]) for token, placed in found.items()}
    if found:
        check_homographs(found, outputs, names)
    return outputs


def build_classify(sections: Sections, names: Reader) -> Classify | None:
    """The pooled classes, or the score, if the program has some; mistakes are reported."""
    scored = not sections.blocks("classify") and bool(sections.blocks("score"))
    if not scored and not sections.blocks("classify"):
        return None
    section = "score" if scored else "classify"
    pools: list[Pool] = []
    classes: dict[str, Form] = {}
    otherwise: list[str] = []
    for item in sections.children(section):
        match item:
            case f.Field(key="pool", value=value):
                if pools:
                    names.wrong.append(problems.order.twice("duplicate-field", item.span, "`pool`"))
                pools.append(cast("Pool", value))
            case f.ClassEntry(label=label, when=when):
                if label in classes or label in otherwise or (otherwise and when is None):
                    what = f"the class `{label}`" if label in classes else "`otherwise`"
                    names.wrong.append(problems.order.twice("duplicate-class", item.span, what))
                if when is None:
                    otherwise.append(label)
                else:
                    classes["score" if scored else label] = _class_score(item, names)
            case _:
                pass
    if not classes and (scored or not otherwise):
        what = "the number that is the score" if scored else "what makes a class"
        hint = "write it as `value: good - bad`" if scored else "write it as `good: praise - blame`"
        span = sections.blocks(section)[0].span
        names.wrong.append(problems.order.missing(span, what, hint=hint))
    return Classify(
        pools[0] if pools else "max", classes, next(iter(otherwise), None), number=scored
    )


def _class_score(item: f.ClassEntry[f.Condition], names: Reader) -> Form:
    with reporting(names.wrong.append):
        if isinstance(item.when, f.Truth):
            return names.form(item.when.form)
        what = f"what makes the class `{item.label}`"
        raise Mistake(problems.rules.not_a_value(item.span, what))
    return Form()


MARGIN = 0.1
Cell = frozenset[str]
Placed = tuple[Cell, Span]


def cells(condition: f.Condition, names: Reader, span: Span) -> Iterator[Cell]:
    """The cells of a condition: the sets of flags of which one must be up.

    Raises:
        Mistake: for anything but flags joined by ``&`` and ``|``.
    """
    match condition:
        case f.AnyOf(parts=parts):
            for part in parts:
                yield from cells(part, names, span)
        case f.AllOf(parts=parts):
            for chosen in product(*(tuple(cells(part, names, span)) for part in parts)):
                yield frozenset[str]().union(*chosen)
        case f.Truth(form=form) if form[0].name is not None or len(form) > 1:
            read = names.form(form)
            if read.constant or any(value != 1 for value in read.coefficients.values()):
                raise Mistake(problems.names.not_a_cell(span))
            yield from (frozenset({name}) for name in read.coefficients)
        case _:
            raise Mistake(problems.names.not_a_cell(span))


def spelled(token_cells: Sequence[Cell]) -> Form:
    """The score of a token by its cells."""
    weights: dict[str, float] = {}
    for cell in token_cells:
        for name in sorted(cell):
            weights[name] = max(weights.get(name, 0.0), rational(Fraction(1, len(cell))))
    return Form(weights)


def check_homographs(
    found: dict[str, list[Placed]], outputs: dict[str, Form], names: Reader
) -> None:
    """Reports every cell whose token does not score highest where just its flags are up."""
    table = [(token, cell, span) for token, placed in found.items() for cell, span in placed]
    exact = {
        token: (fraction_of(form.constant), [*map(fraction_of, form.coefficients.values())])
        for token, form in outputs.items()
    }
    step = lcm(*{n.denominator for constant, some in exact.values() for n in (constant, *some)})
    readers: dict[str, list[tuple[str, int]]] = {}  # scores count steps, which add up quickly
    for token, (_, some) in exact.items():
        for name, weight in zip(outputs[token].coefficients, some, strict=True):
            readers.setdefault(name, []).append((token, int(weight * step)))
    steady = {token: int(constant * step) for token, (constant, _) in exact.items() if constant}
    place = {token: number for number, token in enumerate(outputs)}
    for token, cell, span in table:
        scores = dict(steady)
        for name in cell:
            for one, weight in readers[name]:
                scores[one] = scores.get(one, 0) + weight
        own = scores.pop(token)
        rival = max(scores, key=lambda one: (scores[one], -place[one]), default=token)
        if rival != token and scores[rival] > own - Fraction(MARGIN) * step:
            names.wrong.append(problems.names.homograph(span, token, rival))
