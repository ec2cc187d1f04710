"""The ``output:`` and ``classify:`` sections: scores of tokens and of classes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from progtf.building import problems
from progtf.building.lexicon import Vector
from progtf.building.names import Names, unheard
from progtf.building.paradigms import Placed, cells, check_homographs, spelled
from progtf.building.sections import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, reporting
from progtf.program.forms import Form
from progtf.program.model import BOS, Classify, Pool


def build_outputs(
    sections: Sections, names: Names, kind: str, lexicon: Mapping[str, Vector]
) -> dict[str, Form]:
    """Score forms of the ``output:`` section, or the lexicon transposed (Eq. 8).

    Scores that several lines or files give to one token add up.
    """
    given = [s for s in sections.children("output") if isinstance(s, f.OutputEntry)]
    if not given and kind in ("seq2seq", "decoder"):
        return {token: Form(dict(vector)) for token, vector in lexicon.items() if token != BOS}
    main = sections.flat.span.source
    unasked = replace(names, read=unheard)  # a used file may offer what is never said
    outputs: dict[str, Form] = {}
    found: dict[str, list[Placed]] = {}
    in_cells = {entry.token for entry in given if not isinstance(entry.score, f.Truth)}
    for entry in given:
        with reporting(names.report):
            if entry.token in in_cells:
                own = cells(entry.score, names, entry.span)
                found.setdefault(entry.token, []).extend((cell, entry.span) for cell in own)
                continue
            assert isinstance(entry.score, f.Truth)
            ours = entry.span.source is main
            score = (names if ours else unasked).form(entry.score.form)
            before = outputs.get(entry.token)
            outputs[entry.token] = score if before is None else before + score
    outputs |= {token: spelled([cell for cell, _ in placed]) for token, placed in found.items()}
    if found:
        check_homographs(found, outputs, names)
    return outputs


def build_classify(sections: Sections, names: Names) -> Classify | None:
    """The pooled classes, or the score, if the program has some; mistakes are reported."""
    scored = not sections.blocks("classify") and bool(sections.blocks("score"))
    if not scored and not sections.blocks("classify"):
        return None
    pool: Pool = "max"
    classes: dict[str, Form] = {}
    otherwise: str | None = None
    for item in sections.children("score" if scored else "classify"):
        match item:
            case f.Field(key="pool", value=value):
                pool = cast("Pool", value)
            case f.ClassEntry(when=None):
                otherwise = item.label
            case f.ClassEntry():
                if item.label in classes:
                    what = f"the class `{item.label}`"
                    names.report(problems.order.twice("duplicate-class", item.span, what))
                classes["score" if scored else item.label] = _class_score(item, names)
            case _:
                pass
    if scored and not classes:
        span, hint = sections.blocks("score")[0].span, "write it as `value: good - bad`"
        names.report(problems.order.missing(span, "the number that is the score", hint=hint))
    return Classify(pool, classes, otherwise, number=scored)


def _class_score(item: f.ClassEntry[f.Condition], names: Names) -> Form:
    with reporting(names.report):
        if isinstance(item.when, f.Truth):
            return names.form(item.when.form)
        what = f"what makes the class `{item.label}`"
        raise Mistake(problems.rules.not_a_value(item.span, what))
    return Form()
