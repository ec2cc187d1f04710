"""What random programs answer with: their residual, tokens, a class, a number."""

from benchmarks.refute.draft import Draft, form_text
from progtf.notation.spell import number
from progtf.program.forms import Form


def answer(draft: Draft, kind: str) -> list[str]:
    """The sections of the answer; none: the residual is it."""
    chance = draft.chance
    if kind in ("seq2seq", "decoder"):
        return _output(draft, ("x", "y", "every", "<eos>"))
    how = chance.pick(("residual",) * 7 + ("numbers",) * 3 + ("output",) * 2 + ("pooled",) * 8)
    if how == "residual" or kind == "dense":
        return []
    if how != "pooled" and kind == "encoder":
        numbers = _numbers(draft) if how == "numbers" else []
        return numbers or _output(draft, ("A", "B", "C"))
    return _pooled(draft)


def _pooled(draft: Draft) -> list[str]:
    chance = draft.chance
    pool = chance.pick(("max", "max", "mean", "first", "last", "sum", "sum"))
    if chance.often(0.3):
        return ["score:", f"  pool: {pool}", f"  value: {form_text(_scored(draft, 3))}"]
    return ["classify:", f"  pool: {pool}", *_classes(draft)]


def _classes(draft: Draft) -> list[str]:
    lines = [f"  C{k}: {form_text(_scored(draft, 2))}" for k in range(draft.chance.randint(1, 3))]
    rest = draft.chance.often(0.7) or len(lines) == 1
    return lines + (["  otherwise: REST"] if rest else [])


def _scored(draft: Draft, most: int) -> Form:
    """What a score reads: flags and numbers, mostly the newest."""
    chance = draft.chance
    newest = draft.readable[-4:]
    names = {chance.pick(newest) if chance.often(0.6) else draft.any() for _ in range(most)}
    plain = chance.often(0.4)
    return Form({n: 1.0 if plain else chance.coefficient() for n in sorted(names)})


def _numbers(draft: Draft) -> list[str]:
    """`classify n in 0..9`."""
    known_numbers = [
        name for name in draft.numbers()
        if draft.declared[name].grain == 1 and draft.declared[name].count <= 300
    ]  # fmt: skip
    if not known_numbers:
        return []
    name = draft.chance.pick(known_numbers)
    values = draft.declared[name]
    return ["output:", f"  classify {name} in {number(values.low)}..{number(values.high)}"]


def _output(draft: Draft, tokens: tuple[str, ...]) -> list[str]:
    chance = draft.chance
    lines: list[str] = []
    for place, token in enumerate(tokens):
        form = _scored(draft, 2) + Form({}, chance.pick((0.0, 0.5, place / 10, place / 7)))
        lines.append(f"  {token}: {form_text(form)}")
    return ["output:", *lines]
