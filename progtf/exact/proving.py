"""Proofs for strangers: what a program may claim of its network, as little as is needed.

Nothing here has to be trusted: the kernel takes what is claimed, derives the rest, and says what it
stands on. What is claimed too much can lose a text, for claims are held against it; it proves
nothing false.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import Any, NamedTuple

from progtf.exact.kept import broken
from progtf.exact.kernel.context import Claim, Claims
from progtf.exact.kernel.folder import unpacked
from progtf.exact.kernel.network import Proven, prove
from progtf.exact.kernel.numbers import NotProven
from progtf.exact.kernel.proof import says, written
from progtf.exact.report import shown
from progtf.exact.rules import shapes_of
from progtf.exact.search import search
from progtf.numbers import plain
from progtf.program.forms import FLAG
from progtf.program.model import Head, Layer, Program, Rule
from progtf.program.outcome import Held, place_of
from progtf.program.tokens import InputError
from progtf.rational import Rational, fraction_of
from progtf.running.interpret import Interpreter
from progtf.weights.folder import packed
from progtf.weights.layout import LayerLayout, Placed
from progtf.weights.lower import lower
from progtf.weights.units import hidden_units
from progtf.weights.weights import Weights

MOST_EXAMPLES = 8
MOST_TRIES, MOST_SECONDS = 60, 20.0
"""So often, and for so long, claims are left out again to see whether they are needed."""
_NEAR = Fraction(999_999, 1_000_000)
"""Differences of scores that are searched for in float64 are claimed a little smaller."""
Meant = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Made:
    """A proof.

    Attributes:
        text: of the file; says: what it proves, in a sentence.
        held: what it stands on, in words, each with what that says of a text.
    """

    text: str
    says: str
    held: Mapping[str, tuple[Held, ...]]


def proof_of(program: Program, dtype: str) -> Made:
    """A proof of the network that a program compiles to in a format.

    Raises:
        NotProven: where the kernel has no lemma for what the program does.
        FormatError: if a weight is too large for the format.
    """
    weights = lower(program, "float64")
    stored = weights.stored_as(dtype)
    meant = _meant(program, weights, stored)
    folder = unpacked(packed(stored), meant)
    claims = _claims(program, weights)
    several = _broken(program, {name: (Held("hot", name),) for name in claims.hot})

    def derived(claims: Claims) -> _Derived:
        proven = prove(folder, claims)
        return _Derived(claims, proven, _held(program, weights, proven))

    whole = derived(claims._replace(hot=claims.hot - several))
    kept = _kept(program, weights, whole, derived)
    least = _least(kept, derived)
    if _broken(program, least.held):  # what was left out had others in its place
        least = kept
    return Made(written(folder, meant, least.claims), says(folder, least.proven), least.held)


class _Derived(NamedTuple):
    """Claims, what the kernel derives with them, and what those that it used say of a text."""

    claims: Claims
    proven: Proven
    held: Mapping[str, tuple[Held, ...]]


_Derive = Callable[[Claims], _Derived]
"""Raises NotProven where claims do not do."""


def _meant(program: Program, weights: Weights, stored: Weights) -> Meant:
    """The numbers that are not stored as they are meant, by map and place."""
    exact = _fractions(program)
    found: Meant = {}
    for key, each in weights.maps.items():
        runs = stored.maps[key].numbers
        for place, (number, run) in enumerate(
            zip(each.numbers.tolist(), runs.tolist(), strict=True)
        ):
            said = exact.get(number) or Fraction(number)
            if said != Fraction(run):
                found.setdefault(each.name, {})[str(place)] = str(said)
    return found


def _fractions(program: Program) -> dict[float, Fraction]:
    """The fractions that a program is written in, by the float64 that stands for each.

    Raises:
        NotProven: if one float64 stands for several, or is a number that was worked out of them.
    """
    found: dict[float, Fraction] = {}
    for number in _numbers(program):
        if type(number) is Rational:
            for sign in (1, -1):
                exact, near = sign * number.fraction, sign * float(number)
                if found.setdefault(near, exact) != exact:
                    raise NotProven("two numbers of the program are one in float64")
    for layer in _layers(program):
        if layer.feedforward is not None:
            lost = hidden_units(layer.feedforward).lost
            if lost.reads or lost.constants or lost.writes or lost.bias:
                raise NotProven("numbers of the program that were rounded when they were added up")
    return found


def _numbers(program: Program) -> Iterator[float]:
    """The numbers of a program's weights."""
    for vector in (*program.lexicon.values(), program.unknown or {}, *program.spelled):
        yield from vector.values()
    forms = [*program.outputs.values()]
    if program.classify is not None:
        forms += program.classify.forms.values()
    for layer in _layers(program):
        for head in (*layer.heads, *layer.cross):
            forms += (form for f in head.features for form in (f.query, f.key))
            for channel in head.channels:
                forms += channel.filler, channel.role
                yield from channel.writes.values()
        for rule in () if layer.feedforward is None else layer.feedforward.rules:
            yield from rule.writes.values()
            if rule.curve is not None:
                forms.append(rule.curve.form)
        for unit in () if layer.feedforward is None else layer.feedforward.units:
            forms.append(unit.reads)
            yield from unit.writes.values()
    for form in forms:
        yield from (*form.coefficients.values(), form.constant)


def _layers(program: Program) -> Iterator[Layer]:
    yield from (each for each in (*program.encoder, *program.decoder) if isinstance(each, Layer))


# ------------------------------------------------------------------ what may be claimed


def _claims(program: Program, weights: Weights) -> Claims:
    """All that may be claimed: what is declared, and what a program is written for."""
    ranges = program.space.ranges
    clocks = {*program.space.names[program.semes :]}
    declared = {
        n: v for n, v in ranges.items() if n not in clocks and abs(v.low) + abs(v.high) < 1e30
    }
    placed = [*_placed(program, weights)]
    families: dict[str, list[bool]] = {}
    for name, values in ranges.items():
        if "[" in name:
            families.setdefault(name.partition("[")[0], []).append(values == FLAG)
    return Claims(
        semes={name: _claim(values) for name, values in declared.items()},
        single=frozenset(name for name, *_ in _heads(program, placed)),
        alike=frozenset(name for name, *_ in _heads(program, placed)),
        apart={name: gap for name, gap in _heads(program, placed) if gap},
        hot=frozenset(stem for stem, flags in families.items() if len(flags) > 1 and all(flags)),
        sums={
            name: max(abs(fraction_of(v.low)), abs(fraction_of(v.high)))
            for name, v in declared.items()
        },
        flat={" / ".join((*p.path, "feedforward")): _flat(layer) for p, layer in placed},
        ahead=True,
    )


def _claim(values: object) -> Claim:
    low, high, grain = (fraction_of(getattr(values, name)) for name in ("low", "high", "grain"))
    return Claim(low, high, grain if grain and not low % grain else None)


def _placed(program: Program, weights: Weights) -> Iterator[tuple[Placed, Layer]]:
    """The written layers, each with its place."""
    for placed in weights.layout.stages():
        stages = getattr(program, placed.stack)
        if placed.number <= len(stages) and isinstance(stages[placed.number - 1], Layer):
            yield placed, stages[placed.number - 1]


def _heads(
    program: Program, placed: Sequence[tuple[Placed, Layer]]
) -> Iterator[tuple[str, Fraction]]:
    """Every head by its path, and by how much its scores differ where they do; 0: by nothing."""
    inputs, outputs = program.lengths
    reach = inputs + outputs if program.kind == "decoder" else max(inputs, outputs + 1)
    for place, layer in placed:
        assert isinstance(place.stage, LayerLayout)
        both = (place.stage.own, layer.heads), (place.stage.cross, layer.cross)
        for layouts, heads in both:
            for layout, head in zip(layouts, heads, strict=True):
                gap = 0.0 if head.learned else search(head, program.space, reach).gap
                usual = 0 < gap < 1e30
                yield " / ".join((*place.path, layout.label)), Fraction(gap if usual else 0) * _NEAR


def _flat(layer: Layer) -> frozenset[int]:
    """The hidden units of rules that copy nothing: between their steps they are flat."""
    if layer.feedforward is None:
        return frozenset()
    copies, steps = set[int](), set[int]()
    rules = layer.feedforward.rules
    units = hidden_units(layer.feedforward).of_rules
    for rule, places, shape in zip(rules, units, shapes_of(layer.feedforward), strict=True):
        (copies if rule.curve is not None and shape.between else steps).update(places)
    return frozenset(steps - copies)


# ------------------------------------------------------------------ what claims say of a text


def _held(program: Program, weights: Weights, proven: Proven) -> dict[str, tuple[Held, ...]]:
    """The conditions of a proof in words, each with what it says of a text."""
    placed = [*_placed(program, weights)]
    heads = dict(_by_path(placed))
    lines = dict(_lines(placed))
    found: dict[str, set[Held]] = {}
    for kind, *given in proven.under:
        for words, held in _in_words(str(kind), given, program, heads, lines):
            found.setdefault(words, set()).add(held)
    ends = _ends(proven)
    for name in _flags(placed):
        low, high = ends.get(name, (Fraction(0), Fraction(0)))
        if low < 0 or high > 1:
            words = f"{shown(name)} stays in 0..1"
            found.setdefault(words, set()).add(Held("range", name))
    for name in _leaking(placed, ends):
        values = program.space.ranges[name]
        words = f"{shown(name)} is in {values.ends} at every token, for a closed gate might leak"
        found.setdefault(words, set()).add(Held("always", name))
    return {words: tuple(sorted(each, key=str)) for words, each in found.items()}


def _ends(proven: Proven) -> dict[str, tuple[Fraction, Fraction]]:
    """Between what each seme lies behind every part, 0 too."""
    ends: dict[str, tuple[Fraction, Fraction]] = {}
    for _, facts in proven.facts:
        for name, fact in facts.items():
            low, high = ends.get(name, (Fraction(0), Fraction(0)))
            ends[name] = min(low, fact.low), max(high, fact.high)
    return ends


def _flags(placed: Sequence[tuple[Placed, Layer]]) -> Iterator[str]:
    """The flags of gates."""
    for _, layer in placed:
        for rule in () if layer.feedforward is None else layer.feedforward.rules:
            yield from rule.gate.positive | rule.gate.negative


def _leaking(
    placed: Sequence[tuple[Placed, Layer]], ends: Mapping[str, tuple[Fraction, Fraction]]
) -> Iterator[str]:
    """The semes that a rule reads which may be so large that its closed gate does not close.

    A closed gate moves what is read below the first bend of the curve, if it was in its range.
    """
    for _, layer in placed:
        for rule in () if layer.feedforward is None else layer.feedforward.rules:
            if rule.curve is None or not (rule.gate.positive or rule.gate.negative):
                continue
            form = rule.curve.form
            top = fraction_of(form.constant)
            for name, factor in form.coefficients.items():
                top += max(fraction_of(factor) * end for end in ends.get(name, (Fraction(0),)))
            if top > fraction_of(rule.curve.high):
                yield from form.coefficients


def _in_words(
    kind: str, given: Sequence[Any], program: Program, heads: Mapping[str, Head],
    lines: Mapping[str, Mapping[int, Sequence[Rule]]],
) -> Iterator[tuple[str, Held]]:  # fmt: skip
    match kind:
        case "range" | "step":
            name, values = given[0], program.space.ranges[given[0]]
            step = f"keeps to steps of {plain(values.grain)}"
            words = f"stays in {values.ends}" if kind == "range" else step
            yield f"{shown(name)} {words}", Held(kind, name)
        case "sum":
            name, values = given[0], program.space.ranges[given[0]]
            least = max(abs(values.low), abs(values.high)) * (1 + 2.0**-40)
            words = f"what heads add up for {shown(name)} stays in its range on the way"
            yield words, Held("sum", name, least=least)
        case "hot":
            yield f"of `{given[0]}` one holds at a token", Held("hot", given[0])
        case "one":
            head = heads[given[0]]
            yield (
                f"head `{head.name}` ({place_of(head.span)}) finds one token",
                Held.of_head("one", head),
            )
        case "alike":
            head = heads[given[0]]
            yield (
                f"all that head `{head.name}` ({place_of(head.span)}) finds says the same",
                Held.of_head("alike", head),
            )
        case "apart":
            head, gap = heads[given[0]], float(Fraction(given[1]))
            apart = f"scores of head `{head.name}` ({place_of(head.span)}) that differ, differ by"
            yield f"{apart} {plain(gap)} at least", Held.of_head("apart", head, gap)
        case "flat":
            for rule in lines[given[0]][given[1]]:
                place, least = place_of(rule.line.span), given[2] * 1.01
                if least >= _below_closed(rule):
                    raise NotProven(f"what {place} reads lies so far off that its gate may leak")
                words = f"what {place} compares lies between no two steps"
                yield words, Held("flat", "", place, least)
        case "loop":
            yield f"loop `{given[0]}` ends in time", Held("loop", given[0])
        case _:
            least = float(given[0]) if given else 0.0
            ahead = f", but ahead by more than {least:.3g}" if least else ""
            yield f"the best score is not shared{ahead}", Held("score", least=least)


def _by_path(placed: Sequence[tuple[Placed, Layer]]) -> Iterator[tuple[str, Head]]:
    for place, layer in placed:
        assert isinstance(place.stage, LayerLayout)
        layouts, heads = (*place.stage.own, *place.stage.cross), (*layer.heads, *layer.cross)
        for layout, head in zip(layouts, heads, strict=True):
            yield " / ".join((*place.path, layout.label)), head


def _below_closed(rule: Rule) -> float:
    """How far below the first bend of its curve a rule reads at least where its gate is closed."""
    if rule.curve is None or not (rule.gate.positive or rule.gate.negative):
        return math.inf
    curve, first = rule.curve, min((knot for knot, _ in rule.curve.knots), default=rule.curve.high)
    return curve.reach - (curve.high - first)


def _lines(placed: Sequence[tuple[Placed, Layer]]) -> Iterator[tuple[str, dict[int, list[Rule]]]]:
    """Of each block, by path, the rules of every hidden unit."""
    for place, layer in placed:
        if layer.feedforward is not None:
            rules, units = layer.feedforward.rules, hidden_units(layer.feedforward).of_rules
            pairs = zip(rules, units, strict=True)
            found: dict[int, list[Rule]] = {}
            for rule, some in pairs:
                for unit in some:
                    found.setdefault(unit, []).append(rule)
            yield " / ".join((*place.path, "feedforward")), found


# ------------------------------------------------------------------ what examples keep to


def _kept(program: Program, weights: Weights, made: _Derived, derive: _Derive) -> _Derived:
    """What is derived without claims that examples break, where that can be."""
    placed = [*_placed(program, weights)]
    heads, lines = dict(_by_path(placed)), dict(_lines(placed))
    needed, until = set[tuple[str, str]](), process_time() + MOST_SECONDS
    while process_time() < until:
        wrong = {each for words in _broken(program, made.held) for each in made.held[words]}
        some: dict[str, set[str]] = {}
        for kind, *given in made.proven.under:
            which = str(kind), str(given[0]) if given else ""
            says = {each for _, each in _in_words(str(kind), given, program, heads, lines)}
            if which[0] in _WITHOUT and says & wrong and which not in needed:
                some.setdefault(which[0], set()).add(which[1])
        if not some:
            break
        for kind, names in some.items():
            made, left = _left_out(made, kind, names, derive)
            needed |= {(kind, name) for name in left}
    return made


def _left_out(
    made: _Derived, kind: str, names: Iterable[str], derive: _Derive, tries: float = math.inf
) -> tuple[_Derived, set[str]]:
    """What is derived without claims of a kind, and those that are needed; halves are tried."""
    left, needed = [sorted(names)], set[str]()
    while left and left[0] and tries > 0:
        some = left.pop()
        tries -= 1
        try:
            made = derive(_WITHOUT[kind](made.claims, frozenset(some)))
        except NotProven:
            half = len(some) // 2
            left += [some[half:], some[:half]] if half else []
            needed |= set[str]() if half else {*some}
    return made, needed


def _broken(program: Program, held: Mapping[str, tuple[Held, ...]]) -> set[str]:
    """The conditions that some of the program's examples break."""
    meant, found = Interpreter(program), set[str]()
    for example in program.examples[:MOST_EXAMPLES]:
        left = {words: each for words, each in held.items() if words not in found}
        try:
            found |= {*broken(meant, meant.read([example.input])[0], left)}
        except InputError:
            continue
    return found


# ------------------------------------------------------------------ as little as is needed


def _least(made: _Derived, derive: _Derive) -> _Derived:
    """What is derived without claims that can be left out, of those that there is time to try."""
    start = process_time()
    derive(made.claims)
    tries = min(MOST_TRIES, MOST_SECONDS / max(process_time() - start, 1e-3))
    each_kind = tries / len(_WITHOUT)
    for kind in _WITHOUT:
        names = {str(each[1]) for each in made.proven.under if each[0] == kind}
        made, _ = _left_out(made, kind, names, derive, each_kind)
    return made


Without = Callable[[Claims, frozenset[str]], Claims]


def _without_ends(claims: Claims, names: frozenset[str]) -> Claims:
    fewer = {
        n: c._replace(low=None, high=None) if n in names else c for n, c in claims.semes.items()
    }
    return claims._replace(semes=fewer)


def _without_steps(claims: Claims, names: frozenset[str]) -> Claims:
    fewer = {n: c._replace(step=None) if n in names else c for n, c in claims.semes.items()}
    return claims._replace(semes=fewer)


def _other(given: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: each for name, each in given.items() if name not in names}


_WITHOUT: dict[str, Without] = {
    "hot": lambda claims, names: claims._replace(hot=claims.hot - names),
    "sum": lambda claims, names: claims._replace(sums=_other(claims.sums, names)),
    "flat": lambda claims, names: claims._replace(flat=_other(claims.flat, names)),
    "step": _without_steps,
    "one": lambda claims, names: claims._replace(single=claims.single - names),
    "alike": lambda claims, names: claims._replace(alike=claims.alike - names),
    "range": _without_ends,
}
"""The claims of a kind that were used, left out; those that texts break most easily come first."""
