"""Inputs of a few tokens for which a program does what it must not: proofs, not guesses.

They are looked for where it is certain what a token has: in the first layer, whose heads and rules
read what the lexicon gives.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from progtf.program.arrays import Array
from progtf.program.model import BOS, EOS, SPECIAL, Head, Program, Rule
from progtf.running.attend import head_update
from progtf.running.cells import DoubtError
from progtf.running.pointwise import rule_value
from progtf.running.sight import Sight
from progtf.running.trace import Trace
from progtf.running.walk import embed, embedded

MOST_KINDS = 5
_OTHER = "(any other)"


@dataclass(frozen=True, slots=True)
class Witness:
    """An input, in words, and the value that it brings about."""

    input: str
    value: float


def by_rules(
    program: Program, rules: Sequence[Rule], seme: str, pure: frozenset[str]
) -> Witness | None:
    """A token for which rules write ``seme`` out of its range, if they read what tokens have."""
    writing = [rule for rule in rules if rule.writes.get(seme)]
    reads = {name for rule in writing for name in _read(rule)}
    if not (reads | {seme}) <= pure or not program.lexicon:
        return None
    tokens = list(tokens_of(program))
    residual = embed(program, tokens)
    value = residual[:, program.space.index[seme]].copy()
    for rule in writing:
        value += rule.writes[seme] * rule_value(rule, residual, program.space)
    return _first_misfit(program, seme, tokens, value)


def _read(rule: Rule) -> Iterator[str]:
    yield from rule.gate.positive
    yield from rule.gate.negative
    if rule.curve is not None:
        yield from rule.curve.form.coefficients


def tokens_of(program: Program) -> Iterator[str]:
    """Every token, and one that the lexicon does not have where others are taken."""
    yield from program.lexicon
    if program.unknown is not None:
        yield _OTHER


def _first_misfit(
    program: Program, seme: str, tokens: Sequence[str], values: Array
) -> Witness | None:
    allowed = program.space.ranges[seme]
    for token, value in zip(tokens, values, strict=True):
        if not allowed.holds(float(value)):
            return Witness(f"`{token}`", float(value))
    return None


def by_head(
    program: Program, head: Head, semes: Sequence[str], *, causal: bool, length: int
) -> dict[str, Witness]:
    """For each of some semes tokens among which a head of the first layer misuses it, if found."""
    if not program.lexicon:
        return {}
    kinds = list(itertools.islice(_kinds(program, head, semes), MOST_KINDS))
    room = length - sum(token in program.lexicon for token in (BOS, EOS))
    inputs = itertools.chain(
        *(itertools.product(kinds, repeat=count) for count in range(1, min(3, room) + 1))
    )
    sight, found = Sight.of(head, program.space, program.clocks), dict[str, Witness]()
    for tokens in inputs:
        left = [seme for seme in semes if seme not in found]
        if not left:
            break
        found |= _misfits(program, head, sight, left, tokens, causal=causal)
    return found


def _kinds(program: Program, head: Head, semes: Sequence[str]) -> Iterator[str]:
    """One token for each way in which tokens differ for a head."""
    forms = [form for f in head.features for form in (f.query, f.key)]
    forms += [form for c in head.channels for form in (c.filler, c.role)]
    names = {name for form in forms for name in form.coefficients} | set(semes)
    seen: set[tuple[tuple[str, float], ...]] = set()
    vectors: Mapping[str, Mapping[str, float]] = program.lexicon
    for token in tokens_of(program):
        vector = vectors.get(token, program.unknown) or {}
        key = tuple(sorted((n, v) for n, v in vector.items() if n in names and v))
        if token not in SPECIAL and key not in seen:
            seen.add(key)
            yield token


def _misfits(
    program: Program,
    head: Head,
    sight: Sight,
    semes: Sequence[str],
    tokens: tuple[str, ...],
    *,
    causal: bool,
) -> Iterator[tuple[str, Witness]]:
    whole = [BOS] * (BOS in program.lexicon) + list(tokens)
    whole += [EOS] * (EOS in program.lexicon and not causal)
    columns = [program.space.index[seme] for seme in semes]
    after = _behind(program, head, sight, whole, columns, causal=causal)
    joined = ("" if program.tokens == "chars" else " ").join(tokens)
    for place, seme in enumerate(semes):
        column: Array = after[:, place]
        wrong = [v for v in column.tolist() if not program.space.ranges[seme].holds(v)]
        if wrong:
            yield seme, Witness(f"`{joined}`", float(wrong[0]))


def _behind(
    program: Program,
    head: Head,
    sight: Sight,
    tokens: Sequence[str],
    columns: list[int],
    *,
    causal: bool,
) -> Array:
    """Some columns behind a head of the first layer: in float64, if that is exact there."""
    for exact in (False, True):
        with suppress(DoubtError):
            cells = embedded(program, tokens, 0, exact=exact)
            found = sight.found(cells)
            update = head_update(head, sight, cells, found, Trace(), None, causal=causal, first=0)
            after = cells.added(sight.writing.columns, update).columns(columns)
            if exact or not after.errors.any():
                return after.values
    raise AssertionError
