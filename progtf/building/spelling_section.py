"""The ``spelling:`` section of a program."""

from typing import Any

from progtf.building import maps, problems
from progtf.building.names import Names
from progtf.building.sections import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import Report
from progtf.program.spelling import MarkTest, Spelling


def build_spelling(sections: Sections, tokens: str, kind: str, report: Report) -> Spelling:
    """The spelling of a program; what is wrong with it is reported."""
    blocks = sections.blocks("spelling")
    if not blocks:
        return Spelling()
    children = list(sections.children("spelling"))
    if tokens != "words":
        why = "this program reads characters, and they have no spelling"
        report(problems.order.not_here(blocks[0].span, "`spelling:`", why))
    fields = {item.key: item.value for item in children if isinstance(item, f.Field)}
    marks = [item for item in children if isinstance(item, f.SpellingMark)]
    if marks and kind not in ("encoder", "rnn"):
        why = f"only encoders and recurrent networks read marks, this is a {kind}"
        report(problems.order.not_here(marks[0].span, "what spelling gives", why))
    separate = fields.get("separate")
    leaving = fields.get("trim", 0)
    case: Any = fields.get("case", "as written")
    return Spelling(
        separate.values if isinstance(separate, f.Words) else (),
        int(leaving) if isinstance(leaving, (int, float)) else 0,
        case,
        "join" in fields,
        tuple(MarkTest(mark.test, mark.text) for mark in marks),
    )


def mark_vectors(sections: Sections, names: Names) -> tuple[dict[str, float], ...]:
    """What each mark of the ``spelling:`` section gives."""
    marks = (item for item in sections.children("spelling") if isinstance(item, f.SpellingMark))
    return tuple(maps.vector(mark.gives, names) for mark in marks)
