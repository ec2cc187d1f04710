"""Rules of feed-forward blocks, one or several lines for a new seme."""

from collections.abc import Callable

from benchmarks.refute.draft import Draft, form_text
from progtf.notation.spell import number
from progtf.program.forms import FLAG, Form, Values

Writer = Callable[[Draft], list[str]]


def rules(draft: Draft) -> list[str]:
    """The lines of one new seme, or of some."""
    return draft.chance.pick(WRITERS)(draft)


def _sum(draft: Draft) -> list[str]:
    form = draft.form()
    target = draft.loosely(draft.values(form))
    draft.sums[target] = form
    return [f"{target}: {form_text(form)}"]


def _large_and_small(draft: Draft) -> list[str]:
    """A large multiple of one seme and a small one of another, to be taken apart again."""
    chance = draft.chance
    form = Form({draft.any(): chance.pick((1e6, 7_000_001.0, 1e7, 4e6, 65_537.0, 33.0))})
    form += (
        Form({draft.any(): chance.pick((0.1, 1.0, 1 / 3, 1e-3))})
        if chance.often(0.8)
        else Form({}, 0.1)
    )
    values = draft.values(form)
    target = draft.seme(Values(values.low, max(values.high, 1.0), chance.pick((0.0, values.grain))))
    draft.sums[target] = form
    return [f"{target}: {form_text(form)}"]


def _undo(draft: Draft) -> list[str]:
    """Takes away what a sum was made of, but for one part."""
    known = [name for name in draft.sums if name in draft.readable]
    if not known:
        return _large_and_small(draft)
    whole = draft.chance.pick(known)
    form = draft.sums[whole]
    largest = max(form.coefficients, key=lambda name: abs(form.coefficients[name]))
    taken = Form({largest: -form.coefficients[largest]})
    left = Form({n: c for n, c in form.coefficients.items() if n != largest}, form.constant)
    target = draft.loosely(draft.values(left))
    return [f"{target}: {form_text(Form({whole: 1.0}) + taken)}"]


def _set(draft: Draft) -> list[str]:
    """What takes the place of what was there; in a loop, of what another round left."""
    form = draft.form(2)
    values = draft.values(form)
    target = draft.loosely(Values(min(0.0, values.low), max(0.0, values.high), values.grain))
    return [f"set {target}: {form_text(form)} when {draft.literals()}"]


def _gated(draft: Draft) -> list[str]:
    form = draft.form(2)
    values = draft.values(form)
    target = draft.loosely(Values(min(0.0, values.low), max(0.0, values.high), values.grain))
    return [f"{target}: {form_text(form)} when {draft.literals()}"]


def _threshold(draft: Draft) -> str:
    """A comparison near what a sum can be."""
    chance, stepped = draft.chance, draft.stepped()
    latest = [chance.pick(stepped[-3:])] if chance.often(0.6) else stepped
    form = draft.form(2 if chance.often(0.3) else 1, among=latest)
    values = draft.values(form)
    if values.grain and values.count < 1e7:
        at = values.at(chance.randrange(int(values.count)))
        at += chance.pick((0.0, 0.0, 0.5, 0.25)) * values.grain
    else:
        at = round(chance.uniform(values.low, values.high), 3)
    sign = chance.pick((">=", ">=", "=", ">", "<", "<=", "!="))
    return f"{form_text(form)} {sign} {form_text(Form({}, at))}"


def _condition(draft: Draft) -> str:
    kind = draft.chance.random()
    if kind < 0.3:
        return draft.literals(3)
    if kind < 0.4:
        return draft.literals(3).replace("&", "|")
    if kind < 0.8:
        return _threshold(draft)
    return f"{_threshold(draft)} {draft.chance.pick('&|')} {draft.literals()}"


def _flag(draft: Draft) -> list[str]:
    return [f"{draft.seme()}: {_condition(draft)}"]


def _distance(draft: Draft) -> list[str]:
    if not draft.distances:
        return _flag(draft)
    chance = draft.chance
    far = f"{chance.pick(draft.distances)} {chance.pick(('=', '!='))} {chance.randint(1, 4)}"
    return [f"{draft.seme()}: {far}{f' & {draft.literals(1)}' if chance.often(0.3) else ''}"]


def _flags_beside(draft: Draft) -> list[str]:
    """A chain of gates: the same flag read and read again, in the layers that follow."""
    known = [name for name in draft.readable if draft.declared[name] == FLAG]
    if not known:
        return _flag(draft)
    name = known[-1] if draft.chance.often(0.7) else draft.chance.pick(known)
    return [f"{draft.seme()}: {name} & {draft.flag()}"]


def _stairs(draft: Draft) -> list[str]:
    """Remainders, quotients, signs, amounts, and what is cut off."""
    chance, name = draft.chance, draft.chance.pick(draft.stepped())
    values = draft.declared[name]
    top = max(abs(values.low), abs(values.high))
    kind = chance.pick(("mod", "div", "sign", "abs", "clip"))
    if kind in ("mod", "div"):
        by = chance.pick((2, 3, 7, 10, 100))
        if values.grain != 1 or values.count > 4000:
            return _flag(draft)
        ends = (0.0, by - 1.0) if kind == "mod" else (values.low // by, values.high // by)
        target = draft.loosely(Values(*ends, 1.0))
        return [f"{target}: {name} {kind} {by}"]
    if kind == "clip":
        low, high = sorted((round(values.low / 2), round(values.high / 2) + 1))
        return [f"{draft.loosely(Values(low, high, values.grain))}: clip({name}, {low}, {high})"]
    ends = Values(-1.0, 1.0, 1.0) if kind == "sign" else Values(0.0, top, values.grain)
    return [f"{draft.loosely(ends)}: {kind}({name})"]


def _table(draft: Draft) -> list[str]:
    """Several lines for one seme: a step of a table each."""
    chance, name = draft.chance, draft.any()
    values = draft.declared[name]
    if not values.grain or values.count > 1000:
        return _two_sides(draft)
    places = chance.sample(range(int(values.count)), min(int(values.count), chance.randint(2, 5)))
    given = [chance.coefficient() for _ in places]
    sign = chance.pick(("=", "=", "=", ">="))
    most = max if sign == "=" else sum
    whole = float(all(value == int(value) for value in given))
    top, low = most(v for v in (*given, 0.0) if v >= 0), -most(-v for v in (*given, 0.0) if v <= 0)
    target = draft.loosely(Values(low, top, whole))
    return [
        f"{target}: {number(v)} when {name} {sign} {number(values.at(place))}"
        for place, v in zip(places, given, strict=True)
    ]


def _votes(draft: Draft) -> list[str]:
    """Lines for one seme that may hold together, declared as if they did or did not."""
    chance = draft.chance
    given = {name: chance.coefficient() for name in chance.some(draft.flags() or draft.readable, 3)}
    most = chance.pick((max, sum))
    high, low = (
        most([max(v, 0.0) for v in given.values()]),
        -most([max(-v, 0.0) for v in given.values()]),
    )
    whole = float(all(value == int(value) for value in given.values()))
    target = draft.loosely(Values(low, high, whole))
    return [f"{target}: {number(value)} when {name}" for name, value in given.items()]


def _two_sides(draft: Draft) -> list[str]:
    """`a when a >= b` and its opposite."""
    chance = draft.chance
    one, other = (chance.pick(draft.stepped()) for _ in range(2))
    values, least = draft.declared[one], draft.declared[other]
    top = max(abs(values.low), abs(values.high))
    target = draft.loosely(Values(-top, top, values.grain))
    test = f"{other}" if other != one and least.grain else number(values.low + values.grain)
    if chance.often(0.4):
        flag = draft.flag()
        return [f"{target}: {one} when {flag}", f"{target}: -{one} when !{flag}"]
    return [f"{target}: {one} when {one} >= {test}", f"{target}: -{one} when {one} < {test}"]


def _vector(draft: Draft) -> list[str]:
    chance = draft.chance
    values = [chance.coefficient() for _ in range(chance.randint(1, 2))]
    names = [draft.loosely(Values(min(0.0, v), max(0.0, v), abs(v))) for v in values]
    terms = (
        f"{'+' if v > 0 else '-'}{number(abs(v))}{n}" for v, n in zip(values, names, strict=True)
    )
    return [f"{' '.join(terms)} when {_condition(draft)}"]


def _raw(draft: Draft) -> list[str]:
    """Hidden units as they are: some that cancel, and a bias beside them."""
    chance = draft.chance
    sources = [draft.any() for _ in range(chance.randint(1, 3))]
    target = draft.seme(
        chance.pick((Values(-10.0, 10.0, 1.0), Values(-1e7, 1e7, 0.0), chance.range()))
    )
    units = [f"u{len(draft.declared)}x{k}" for k in range(chance.pick((1, 1, 2, 3, 6)))]
    reads = [f"{number(chance.coefficient())}{chance.pick(sources)}>{unit}" for unit in units]
    weights = [chance.pick((1.0, -1.0, 1.0, -1.0, 0.5, 3.0, 0.1, 1e3, 1e6)) for _ in units]
    outs = [f"{number(w)}{unit}>{target}" for unit, w in zip(units, weights, strict=True)]
    lines = [f"mat1: {', '.join(reads)}"]
    if chance.often(0.4):
        given = (f"{number(chance.coefficient())}{unit}" for unit in units[:2])
        lines.append("bias1: " + " ".join(f"{'' if g[0] == '-' else '+'}{g}" for g in given))
    lines.append(f"mat2: {', '.join(outs)}")
    if chance.often(0.5):
        lines.append(f"bias2: {number(chance.pick((0.1, 0.1, 1.0, 1 / 3, 0.5)))}{target}")
    return lines


WRITERS: tuple[Writer, ...] = (
    _sum, _sum, _large_and_small, _undo, _undo, _gated, _gated, _set, _flag, _flag, _flag,
    _flags_beside, _stairs, _table, _two_sides, _vector, _raw, _distance, _votes,
)  # fmt: skip
