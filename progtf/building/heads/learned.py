"""Heads of which parts are learned as a whole: ``value: ?``."""

from collections.abc import Mapping
from dataclasses import replace

from progtf.building import maps, problems
from progtf.building.fields import Fields
from progtf.building.heads.setting import Setting
from progtf.building.names import Reader
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.numbers import refused
from progtf.program.forms import Form
from progtf.program.model import Feature, Part

WIDEST = 65_536
_PARTS = ("value", "role", "query")


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
    due = ""
    if key != "value" and size:
        due = "`?`: `value:` says the size"
    elif len(entries) > 1 or size not in range(WIDEST + 1):
        due = "`?` alone, or with a size, as `?24`"
    if due:
        raise Mistake(problems.order.bad_setting(span, key, f"?{refused(size)}", due))
    return int(size)


def _check_learned(learned: Mapping[str, int], fields: Fields, setting: Setting) -> None:
    for key in learned:
        if key not in _PARTS:
            why = "only value, role and query can be learned as a whole"
            raise Mistake(problems.order.not_here(fields.span(key), f"`{key}: ?`", why))
    first = next(iter(learned))
    if "value" not in learned:
        what, why = f"`{first}: ?` in this head", "its filler goes to written semes"
        hint = "write `value: ?` as well"
        raise Mistake(problems.order.not_here(fields.span(first), what, why, hint=hint))
    for key in ("role", "out", "bind", "distance"):
        if key in fields and key not in learned:
            why = "its filler is learned and goes to learned semes"
            raise Mistake(problems.order.not_here(fields.span(key), f"`{key}:` in this head", why))
    if "role" in learned and setting.settings.binding == "none":
        raise Mistake(problems.heads.role_forbidden(fields.span("role")))
    if "query" in learned and "key" not in fields:
        raise Mistake(problems.order.missing(fields.place, "the keys that the learned query meets"))


def learned_query(key: f.Entries, keys: Reader) -> Part:
    """Written keys that a learned query meets: what it scores is not known."""
    answers = maps.affine(key, keys, features=True)
    features = tuple(Feature(name, Form(), form) for name, form in answers.items())
    return Part("raw", features, 0.0, 0.0, 0.0, 30.0 * max(1, len(features)) ** 0.5)
