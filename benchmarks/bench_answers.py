"""Answers: how many a second, how long one takes, and how both grow.

One thread, CPU time. Questions are those that are kept with the tests.
"""

from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice, pairwise
from statistics import median

import progtf
from benchmarks.figures import ROOT, Figure
from benchmarks.timing import Times, interleaved, one_thread, ratio
from progtf.network.model import Model

DATA = ROOT / "tests/data"
MODULES = {
    "add_or_sub": "arithmetic__add_or_sub",
    "add_or_sub_in_base": "arithmetic__add_or_sub_in_base",
    "add_sub_multiple": "arithmetic__add_sub_multiple",
    "closest": "interpolate/comparison__closest",
    "evaluate": "interpolate/polynomials__evaluate",
    "kth_biggest": "interpolate/comparison__kth_biggest",
    "linear_1d": "algebra__linear_1d",
    "mul": "arithmetic__mul",
    "mul_div_multiple": "extrapolate/arithmetic__mul_div_multiple_longer",
    "nearest_integer_root": "arithmetic__nearest_integer_root",
    "pair": "interpolate/comparison__pair",
    "place_value": "numbers__place_value",
    "round_number": "numbers__round_number",
    "sequence_next_term": "algebra__sequence_next_term",
    "sort": "interpolate/comparison__sort",
    "time": "measurement__time",
}
LATER = {
    "base_conversion": "interpolate/numbers__base_conversion",
    "coefficient_named": "interpolate/polynomials__coefficient_named",
    "collect": "interpolate/polynomials__collect",
    "conversion": "interpolate/measurement__conversion",
    "differentiate": "interpolate/calculus__differentiate",
    "div": "interpolate/arithmetic__div",
    "div_remainder": "interpolate/numbers__div_remainder",
    "expand": "interpolate/polynomials__expand",
    "gcd": "interpolate/numbers__gcd",
    "is_factor": "interpolate/numbers__is_factor",
    "is_prime": "interpolate/numbers__is_prime",
    "lcm": "interpolate/numbers__lcm",
    "linear_2d": "interpolate/algebra__linear_2d",
    "list_prime_factors": "interpolate/numbers__list_prime_factors",
    "mixed": "interpolate/arithmetic__mixed",
    "polynomial_roots": "interpolate/algebra__polynomial_roots",
    "sequence_nth_term": "interpolate/algebra__sequence_nth_term",
    "simplify_power": "interpolate/polynomials__simplify_power",
    "swr_p": "probability__swr_p_sequence",
}
"""Programs of which one question is measured alone."""
IN_ALL = {"mul_div_multiple": "mixed"}
"""Programs whose questions another one answers in all.seme."""
AIMS = {"add_or_sub": 3000, "mul": 2000, "sort": 1000, "place_value": 4000}
BATCH, ROUNDS = 128, 5
FEW = 30
"""Questions that are asked one after another, each alone."""
WORDS = 'semes: noun verb\nlexicon:\n  for k in 1..{count}:\n    "w{{k}}": +noun\n  runs: +verb\n'
LAYER = "layer:\n  head:\n    look: before\n    nearest: noun\n    value: noun>verb\n"


def compiled(program: str) -> Model:
    """The model of an example."""
    return progtf.compile(progtf.load(ROOT / f"examples/{program}.seme"))


def asked(file: str) -> list[str]:
    """So many questions as a batch has."""
    lines = (DATA / "math" / f"{file}.txt").read_text(encoding="utf-8").splitlines()
    return list(islice(cycle(lines[::2]), BATCH))


def alone(model: Model, texts: list[str]) -> None:
    """Asks each by itself."""
    for text in texts:
        model.answers([text])


def programs() -> Iterator[Figure]:
    """Of each program, beside the one that holds them all, asked the same."""
    whole = compiled("math/all")
    for name, module in MODULES.items():
        model, texts = compiled(f"math/{name}"), asked(module)
        ways = {
            "many": partial(model.answers, texts),
            "one": partial(alone, model, texts[:FEW]),
            "all": partial(whole.answers, texts),
        }
        single = IN_ALL.get(name, name)
        ways["single"] = partial(compiled(f"math/{single}").answers, texts)
        times = interleaved(ways, ROUNDS)
        aim = f"aim: {AIMS[name]:,}" if name in AIMS else ""
        yield Figure(f"{name}, a batch of {BATCH}", BATCH / median(times["many"]), "a second", aim)
        yield Figure(
            f"{name}, one question", 1000 / FEW * median(times["one"]), "ms", "aim: under 5"
        )
        beside = f"{single}.seme; aim: at most 1.3"
        yield Figure(f"{name}, by all.seme", ratio(times["all"], times["single"]), "x", beside)


def others() -> Iterator[Figure]:
    """Of all other programs: what one question takes, in the mean of some."""
    for name, module in LATER.items():
        texts = asked(module)[:FEW]
        times = interleaved({"one": partial(alone, compiled(f"math/{name}"), texts)}, ROUNDS)
        took = 1000 / FEW * median(times["one"])
        yield Figure(f"{name}, one question", took, "ms", "aim: under 5")


def lengths() -> Iterator[Figure]:
    """Texts of twice the length."""
    ways = {
        length: answering(
            f"model:\n  length: {length + 2}\n" + WORDS.format(count=9) + LAYER,
            ["runs " + "w1 " * (length - 1)] * 32,
        )
        for length in (25, 50, 100, 200, 400)
    }
    return grown("32 texts of {} words", interleaved(ways, 9), 4)


def lexicons() -> Iterator[Figure]:
    """Lexicons of twice the size."""
    texts = ["w1 w2 runs w3 w4"] * 256
    sizes = (1000, 2000, 4000, 8000)
    ways = {size: answering(WORDS.format(count=size) + LAYER, texts) for size in sizes}
    return grown("a lexicon of {} words", interleaved(ways, 9), 1.1)


def answering(program: str, texts: list[str]) -> partial[object]:
    """What a program does with some texts."""
    return partial(progtf.compile(progtf.parse_program(program)).answers, texts)


def grown(what: str, times: Times[int], aim: float) -> Iterator[Figure]:
    """How much more time each size takes than the one before."""
    for before, size in pairwise(times):
        against = f"{before}; aim: at most {aim}"
        yield Figure(what.format(size), ratio(times[size], times[before]), "x", against)


def figures() -> Iterator[Figure]:
    """A few for each program, and one for each size."""
    one_thread()
    yield from programs()
    yield from others()
    yield from lengths()
    yield from lexicons()
