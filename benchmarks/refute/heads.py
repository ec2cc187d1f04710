"""Heads with every way of looking, and what they retrieve."""

from collections.abc import Sequence

from benchmarks.refute.draft import Draft, map_text
from progtf.notation.spell import number, term
from progtf.program.forms import FLAG, Form, Values, with_zero

LOOKS = ("before", "upto", "after", "notself", "self", "all")


def head(draft: Draft, *, causal: bool = False, memory: Sequence[str] | None = None) -> list[str]:
    """One head with a new name; ``memory``: what an encoder wrote that it reads."""
    name, cross = f"h{len(draft.declared)}", memory is not None
    lines = [*_address(draft, causal=causal, memory=memory)]
    counts = "normalize: queries" in lines
    mean = not _has(lines, "at:", "nearest", "highest", "lowest")
    before = len(draft.fresh)
    if draft.chance.often(0.1) and not counts:
        lines.append(_bind(draft, memory))
    else:
        with draft.reading(memory):
            lines += _fillers(draft, times=16.0 if counts else 1.0, mean=mean)
        if draft.chance.often(0.2):
            lines.append(f"role: {draft.flag()}>{draft.fresh[before]}")
        if draft.chance.often(0.12) and _has(lines, "at:", "where", "when", "nearest"):
            value = term(draft.chance.pick((1.0, 3.0, 0.1)), draft.fresh[before])
            lines.append(f"else: {value}")
    if _has(lines, "nearest") and memory is None and draft.chance.often(0.3):
        lines.append(f"distance: {draft.distance()}")
    if draft.chance.often(0.1) and not counts:
        lines.append(
            f"sharpness: {number(draft.chance.pick((4.0, 10.0, 40.0, 256.0, 4096.0, 100.5)))}"
        )
    if cross:
        lines.insert(0, "from: encoder")
    return [f"head {name}:", *("  " + line for line in lines)]


def _has(lines: list[str], *keys: str) -> bool:
    return any(line.startswith(keys) for line in lines)


# ------------------------------------------------------------------ where it looks


def _address(draft: Draft, *, causal: bool, memory: Sequence[str] | None) -> list[str]:
    chance, cross = draft.chance, memory is not None
    kind = chance.pick(
        (
            "mean",
            "mean",
            "where",
            "where",
            "at",
            "at",
            "match",
            "nearest",
            "extreme",
            "raw",
            "when",
            "count",
        )
    )
    if cross and kind in ("at", "nearest", "count"):
        kind = "where"
    if causal and kind == "count":
        kind = "mean"
    lines = _found(draft, kind, memory, causal=causal)
    flags = [line for line in lines if line.startswith("look:")]
    if not cross and not flags and kind != "count" and chance.often(0.45):
        lines.append(f"look: {chance.pick(LOOKS[:2] if causal else LOOKS)}")
    if kind not in ("when", "count") and chance.often(0.15):
        lines.append(f"when: {draft.literals()}")
    if kind not in ("where", "count", "raw") and chance.often(0.15):
        with draft.reading(memory):
            lines.append(f"where: {draft.literals()}")
    return lines


def _found(draft: Draft, kind: str, memory: Sequence[str] | None, *, causal: bool) -> list[str]:
    """The lines that find a token; readers have other semes than an encoder that is read."""
    if kind == "when":
        return [f"when: {draft.literals()}"]
    if kind == "raw":
        return _raw(draft, memory)
    if kind == "match":
        return [_match(draft, memory)]
    with draft.reading(memory):
        return _keys(draft, kind, causal=causal)


def _keys(draft: Draft, kind: str, *, causal: bool) -> list[str]:
    chance = draft.chance
    match kind:
        case "where":
            return [f"where: {draft.literals()}"]
        case "at":
            return [f"at: {chance.pick((-1, 1, -2, 2, -3, 0, 3)):+d}"]
        case "nearest":
            side = chance.pick(LOOKS[:2] if causal else LOOKS[:3])
            return [f"look: {side}", f"nearest: {draft.literals(1)}"]
        case "extreme":
            key, name = chance.pick(("highest", "lowest")), chance.pick(draft.stepped())
            limited = f" where {draft.flag()}" if chance.often(0.4) else ""
            return [f"{key}: {name}{limited}"]
        case "count":
            return ["normalize: queries", f"query: {draft.flag()}>all", "key: +all"]
        case _:
            return []


def _match(draft: Draft, memory: Sequence[str] | None) -> str:
    mine, flag = _stems(draft), draft.flag()
    with draft.reading(memory):
        theirs, other = _stems(draft), draft.flag()
    if mine and theirs and draft.chance.often(0.8):
        return f"match: {draft.chance.pick(mine)} ~ {draft.chance.pick(theirs)}"
    return f"match: {flag} ~ {other}"


def _stems(draft: Draft) -> list[str]:
    return sorted({name.partition("[")[0] for name in draft.readable if "[" in name})


def _raw(draft: Draft, memory: Sequence[str] | None) -> list[str]:
    """Queries and keys as affine maps to features; sometimes clocks as well, and a null key."""
    chance = draft.chance
    features = ("q", "r")[: chance.randint(1, 2)]
    lines = [f"query: {', '.join(map_text(draft.form(1), f) for f in features)}"]
    with draft.reading(memory):
        lines.append(f"key: {', '.join(map_text(draft.form(2), f) for f in features)}")
    if chance.often(0.2):
        lines += [f"querypos: {chance.randint(-2, 2):+d}", f"keypos: {chance.randint(-2, 2):+d}"]
    if chance.often(0.4):
        lines.append(f"else: 0 below {chance.randint(-2, 6)}.3")
    return lines


# ------------------------------------------------------------------ what it retrieves


def _fillers(draft: Draft, *, times: float, mean: bool) -> list[str]:
    """One channel or several, some bound to roles, and what is written where nothing is found."""
    chance = draft.chance
    values: list[str] = []
    for _ in range(chance.pick((1, 1, 1, 2, 3))):
        form = _filler(draft)
        ends = with_zero(draft.values(form))
        top = Values(min(0.0, times * ends.low), max(1.0, times * ends.high), ends.grain)
        target = draft.loosely(_averaged(draft, top) if mean and times == 1 else top)
        values.append(map_text(form, target))
    return [f"value: {', '.join(values)}"]


def _bind(draft: Draft, memory: Sequence[str] | None) -> str:
    """A number there times one of the reader's own."""
    other = draft.any()
    with draft.reading(memory):
        one = draft.any()
    a, b = draft.declared[one], draft.declared[other]
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    values = Values(min(0.0, *ends), max(ends), a.grain * b.grain)
    return f"bind: {one}*{other} > {draft.loosely(values)}"


def _filler(draft: Draft) -> Form:
    chance = draft.chance
    kind = chance.random()
    if kind < 0.25:
        return Form({}, chance.pick((1.0, 3.0, 0.1, 1 / 3, 4e6, 1e6, 12_345_679.0, 7.0, 9.0)))
    if kind < 0.5:
        return Form({draft.flag(): 1.0})
    if kind < 0.8:
        return Form({draft.any(): 1.0})
    return draft.form(2)


def _averaged(draft: Draft, values: Values) -> Values:
    """What the mean of such values may be declared as: as they are, without steps, or wrongly."""
    kind = draft.chance.random()
    if kind < 0.5:
        return values
    if kind < 0.8 or values == FLAG:
        steps = (0.0, 0.0, 1 / 3, 0.5, 0.1, 1 / 64, 1 / 6)
        return Values(values.low, values.high, draft.chance.pick(steps))
    return Values(values.low, values.high, 0.0)
