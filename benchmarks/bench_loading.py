"""What it takes to read programs: seconds, calls and memory, and what an editor waits for.

    python -m benchmarks loading
    python -m benchmarks.checkouts --before PATH --only load calls examples edits edits_all

Everything is measured in a process of its own, by processor time on one thread. An edit is one
digit, one letter of a name or one coefficient; about half of them are taken back by the next one.
"""

import argparse
import cProfile
import json
import pstats
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

import progtf
from benchmarks.figures import ROOT, Figure
from benchmarks.timing import peak_kib
from progtf.program.model import Layer, Program

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
"""Of this checkout, whichever is measured."""
LONG = True
ALL = EXAMPLES / "math/all.seme"
EDITED = {"edits": EXAMPLES / "math/place_value.seme", "edits_all": ALL}
QUESTION = "What is 3 + 5?"
EDITS = 200
MOST_AT_ONCE = 3
"""Places at which a text differs from the one that it was."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Values = dict[str, float]


def load() -> Values:
    """The largest example from text to program."""
    _import()
    start = time.process_time()
    program = progtf.load(ALL)
    seconds = time.process_time() - start
    return {"load, s": seconds, "peak, MiB": peak_kib() / 1024, **_counted(program)}


def calls() -> Values:
    """Calls of Python and of C to load the largest example, lower it, and interpret a question."""
    _interpreted(_import(), "an apple")
    with cProfile.Profile() as loading:
        program = progtf.load(ALL)
    with cProfile.Profile() as asking:
        _interpreted(program, QUESTION)
    made, asked = (pstats.Stats(each).total_calls for each in (loading, asking))  # type: ignore[attr-defined]
    return {"calls to load": made, "calls to lower and ask": asked, "calls": made + asked,
            **_counted(program)}  # fmt: skip


def examples() -> Values:
    """All other examples, one after the other; those whose data is not here are left out."""
    _import()
    seconds, count, absent = 0.0, 0, list[str]()
    for path in sorted({*EXAMPLES.rglob("*.seme")} - {ALL}):
        start = time.process_time()
        try:
            progtf.load(path)
        except progtf.SemeError as error:
            if {each.code for each in error.diagnostics} != {"use"}:
                raise
            absent.append(path.stem)
        else:
            seconds, count = seconds + time.process_time() - start, count + 1
    without = f" without {', '.join(absent)}" if absent else ""
    return {f"{count} examples{without}, s": seconds}


def edits(path: Path, count: int) -> Values:
    """Milliseconds until the language server has all diagnostics, after each of some edits."""
    from progtf.collector import collect_seldom  # noqa: PLC0415  as the server does
    from progtf.lsp.document import Document  # noqa: PLC0415  is not for those who load

    _import()
    collect_seldom()
    begun = time.process_time()
    document = Document(str(path), path.read_text("utf-8"), path.parent)
    assert not document.found
    values = {"opened, ms": 1000 * (time.process_time() - begun)}
    took, right = list[float](), 0
    for text in edited(document.text, count, random.Random(1)):
        start = time.process_time()
        document = replace(document, text=text)  # as the server does: what is known of it stays
        _, found = document.parsed, document.found  # the server looks at both
        right += not found
        took.append(1000 * (time.process_time() - start))
    values |= {"p50, ms": median(took), "p95, ms": quantiles(took, n=20)[-1], "max, ms": max(took)}
    return values | {f"right, of {count}": right, "peak, MiB": peak_kib() / 1024}


def edited(text: str, count: int, chance: random.Random) -> Iterator[str]:
    """The text after each of some edits; never more than a few stand at once."""
    kinds = [
        [at for at, mark in enumerate(text) if mark.isdigit()],
        [at for at, mark in enumerate(text) if mark.isalpha()],
        [at for at, mark in enumerate(text) if mark in "+-" and text[at + 1].isalpha()],
    ]
    changes: dict[int, str] = {}
    for _ in range(count):
        if len(changes) == MOST_AT_ONCE or changes and chance.random() < 0.5:
            changes.popitem()
        else:
            left = [[at for at in kind if at not in changes] for kind in kinds]
            at = chance.choice(chance.choice([kind for kind in left if kind]))
            changes[at] = _other(text[at], chance)
        yield "".join(changes.get(at, mark) for at, mark in enumerate(text))


def _other(mark: str, chance: random.Random) -> str:
    """What stands in the place of a character; behind a sign comes a coefficient."""
    if mark in "+-":
        return mark + chance.choice("23456789")
    return chance.choice(("0123456789" if mark.isdigit() else LETTERS).replace(mark, ""))


def _import() -> Program:
    """A small program: what there is to import to load one is imported."""
    return progtf.load(EXAMPLES / "a_or_an.seme")


def _interpreted(program: Program, question: str) -> None:
    """Makes weights of every head and rule, and answers once."""
    progtf.lower(program)
    assert progtf.interpret(program).run(question)


def _counted(program: Program) -> Mapping[str, float]:
    """The heads and rules that there are: of two states that can be compared, equally many."""
    layers = [each for each in (*program.encoder, *program.decoder) if isinstance(each, Layer)]
    heads = sum(len(each.heads) + len(each.cross) for each in layers)
    rules = sum(len(each.feedforward.rules) for each in layers if each.feedforward is not None)
    return {"heads": heads, "rules": rules}


MEASURED = {"load": load, "calls": calls, "examples": examples}
NAMES = (*MEASURED, *EDITED)


def measured(name: str, count: int = EDITS) -> Values:
    """One measurement of the checkout that Python was started in."""
    return MEASURED[name]() if name in MEASURED else edits(EDITED[name], count)


def figures() -> Iterator[Figure]:
    """Those of this checkout: medians of five, of edits and calls those of one process."""
    from benchmarks.checkouts import values_of  # noqa: PLC0415  it imports torch

    with tempfile.TemporaryDirectory() as compiled:
        values_of("run", ROOT, compiled)
        for name in NAMES:
            rounds = 5 if name in ("load", "examples") else 1
            found = [values_of(name, ROOT, compiled) for _ in range(rounds)]
            for value in found[0]:
                what, _, unit = value.partition(", ")
                yield Figure(f"{name}: {what}", median(v[value] for v in found), unit)


def main() -> None:
    """Prints the values of one measurement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--measure", choices=NAMES, required=True)
    parser.add_argument("--edits", type=int, default=EDITS)
    asked = parser.parse_args()
    assert Path(progtf.__file__).is_relative_to(Path.cwd()), f"{progtf.__file__} is measured"
    print(json.dumps(measured(asked.measure, asked.edits)))


if __name__ == "__main__":
    main()
