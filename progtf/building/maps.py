"""Lists of entries as vectors and affine maps, each entry checked for its kind."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from progtf.building import problems
from progtf.building.names import LARGEST_COEFFICIENT, Names, Reader, spelled
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake
from progtf.notation.messages import MARKED
from progtf.program.forms import Form, add_to
from progtf.program.model import Mark, Marks

_SPOKEN = {
    "vector": "a vector",
    "map": "a matrix",
    "relation": "a relation",
    "product": "a product",
}


def inlined(entries: f.Entries, names: Names) -> Iterable[f.Entry[f.Term]]:
    """The entries, with the names of vectors and matrices replaced by what they name."""
    named = [entry.terms[0].name in names.values for entry in entries if entry.kind == "vector"]
    return _inlined(entries, names) if True in named else entries


_Level = tuple[Iterator[f.Entry[f.Term]], f.Entry[f.Term] | None, tuple[float, ...]]
"""Entries that are left, what stands where they are named, and the factors, the last one first."""


def _inlined(entries: f.Entries, names: Names) -> Iterator[f.Entry[f.Term]]:
    """Level by level, however deep values are made of values."""
    levels: list[_Level] = [(iter(entries), None, ())]
    while levels:
        rest, outer, factors = levels[-1]
        entry = next(rest, None)
        if entry is None:
            levels.pop()
            continue
        first, *others = entry.terms
        mark = entry.mark if outer is None else outer.mark or entry.mark
        if entry.kind == "vector" and first.name is not None and first.name in names.values:
            more = factors if first.coefficient == 1 else (first.coefficient, *factors)
            place = replace(entry if outer is None else outer, mark=mark)
            levels.append((iter(names.values[first.name].value), place, more))
        elif outer is None:
            yield entry
        else:
            coefficient, span = first.coefficient, outer.terms[0].span
            for factor in factors:
                coefficient = factor * coefficient
            terms = (f.Term(coefficient, first.name, span),
                     *(f.Term(each.coefficient, each.name, span) for each in others))  # fmt: skip
            yield f.Entry(entry.kind, terms, outer.span, mark)


def of_kind(entries: f.Entries, names: Names, *kinds: str) -> Iterator[f.Entry[f.Term]]:
    """The inlined entries, all of which must be of the given kinds."""
    for entry in inlined(entries, names):
        _expect(entry, *kinds)
        yield entry


def vector(entries: f.Entries, names: Reader) -> dict[str, float]:
    """A vector over semes; repeated entries add up. Entries that are wrong are reported."""
    values: dict[str, float] = {}
    choices: dict[str, bool] = {}  # what may be chosen is given in no other way
    for entry in inlined(entries, names):
        try:
            if entry.kind != "vector":
                _expect(entry, "vector")
            term = entry.terms[0]
            if term.name is not None:
                choice = entry.mark == "one of"
                if term.name in choices and (choice or choices[term.name]):
                    names.wrong.append(problems.order.choice_again(entry.span, term.name))
                    continue
                choices[term.name] = choice
                add_to(values, names.target(term), names.checked(term))
            elif term.coefficient != 0:
                names.wrong.append(problems.names.wrong_kind(term.span, "a number", "a vector"))
        except Mistake as mistake:
            names.wrong.append(mistake.diagnostic)
    return values


def marks(
    key: str, entries: f.Entries, names: Reader, *, features: bool = False, hidden: bool = False
) -> Marks:
    """Which entries of a field are not fixed: (field, source, target) -> mark; source "": bias.

    Targets may be ``features``, sources ``hidden`` units, which are called as the author likes.
    """
    found: dict[tuple[str, str, str], Mark] = {}
    for entry in inlined(entries, names):
        if entry.kind == "product":
            refuse_marks((entry,), "a product")
        if not entry.mark:
            continue
        if entry.mark == "one of" and key != "vector":
            raise Mistake(problems.order.choice_elsewhere(entry.span))
        *source, target = entry.terms
        name = spelled(target) if features else names.target(target)
        plain = [str(term.name) for term in source] if hidden else ()
        sources = plain or (names.form((source[0],)).coefficients if source else ("",))
        found |= {(key, seme, name): entry.mark for seme in sources}
    return found


def refuse_marks(entries: f.Entries, what: str, hint: str = MARKED) -> None:
    """Marks stand where a weight of its own stands; in addresses and products there is none."""
    for entry in entries:
        if entry.mark:
            raise Mistake(problems.order.mark_forbidden(entry.span, what, hint))


def _expect(entry: f.Entry[f.Term], *kinds: str) -> None:
    if entry.kind not in kinds:
        due = " or ".join(_SPOKEN[kind] for kind in kinds)
        raise Mistake(problems.names.wrong_kind(entry.span, _SPOKEN[entry.kind], due))


def affine(
    entries: f.Entries, names: Reader, *, features: bool = False, bias: bool = True
) -> dict[str, Form]:
    """An affine map as one form per target. Entries that are wrong are reported.

    Args:
        entries: matrix terms and, with ``bias``, bias terms.
        names: what sources mean.
        features: targets are features, which may be called anything, and no semes.
        bias: whether a vector among the entries is a bias; otherwise it is a mistake.
    """
    parts: dict[str, tuple[dict[str, float], list[float]]] = {}
    kinds = ("map", "vector") if bias else ("map",)
    for entry in inlined(entries, names):
        try:
            if entry.kind not in kinds:
                _expect(entry, *kinds)
            _add_entry(parts, entry, names, features=features)
        except Mistake as mistake:
            names.wrong.append(mistake.diagnostic)
    return {name: Form(part, _total(constant)) for name, (part, constant) in parts.items()}


def _total(constants: list[float]) -> float:
    """The sum of biases; one alone keeps its bits, -0.0 too."""
    return constants[0] if len(constants) == 1 else sum(constants, 0.0)


def _add_entry(
    parts: dict[str, tuple[dict[str, float], list[float]]],
    entry: f.Entry[f.Term],
    names: Reader,
    *,
    features: bool,
) -> None:
    target, alone = entry.terms[-1], len(entry.terms) == 1
    if target.name is None and alone and target.coefficient == 0:
        return
    name = spelled(target) if features else names.target(target)
    into, constant = parts.setdefault(name, ({}, []))
    if alone:
        constant.append(names.checked(target))
        return
    source, _ = entry.terms
    factor = names.checked(source) * names.checked(target)
    if source.name in names.space.ranges and abs(factor) <= LARGEST_COEFFICIENT:
        add_to(into, names.read(source), factor)
        return
    read = names.form((f.Term(factor, source.name, source.span),))
    for seme, value in read.coefficients.items():
        add_to(into, seme, value)
    if read.constant:
        constant.append(read.constant)
