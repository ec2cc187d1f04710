"""Answers: how many a second, how long one takes, and how both grow.

One thread, CPU time, medians of five. Questions are those that are kept with the tests. Growth is
shown as ratios to the size before.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median

import progtf
from benchmarks.timing import one_thread

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "tests/data/math"
MODULES = {
    "add_or_sub": "arithmetic__add_or_sub",
    "add_or_sub_in_base": "arithmetic__add_or_sub_in_base",
    "add_sub_multiple": "arithmetic__add_sub_multiple",
    "closest": "interpolate/comparison__closest",
    "evaluate": "polynomials__evaluate",
    "kth_biggest": "interpolate/comparison__kth_biggest",
    "linear_1d": "algebra__linear_1d",
    "mul": "arithmetic__mul",
    "mul_div_multiple": "arithmetic__mul_div_multiple_longer",
    "nearest_integer_root": "arithmetic__nearest_integer_root",
    "pair": "interpolate/comparison__pair",
    "place_value": "numbers__place_value",
    "round_number": "numbers__round_number",
    "sequence_next_term": "algebra__sequence_next_term",
    "sort": "interpolate/comparison__sort",
    "time": "measurement__time",
    "all": "arithmetic__add_or_sub",
}
BATCH, ROUNDS = 128, 5
WORDS = 'semes: noun verb\nlexicon:\n  for k in 1..{count}:\n    "w{{k}}": +noun\n  runs: +verb\n'
LAYER = "layer:\n  head:\n    look: before\n    nearest: noun\n    value: noun>verb\n"


def seconds(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median CPU time of an action."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return median(times)


def asked(module: str) -> list[str] | None:
    """So many questions as a batch has; None where they are not kept."""
    path = QUESTIONS / f"{module}.txt"
    if not path.exists():
        return None
    return list(islice(cycle(path.read_text(encoding="utf-8").splitlines()[::2]), BATCH))


def programs() -> None:
    """A line for each program: questions a second in batches, and milliseconds of one alone."""
    print(f"{'program':22} {'questions/s':>12} {'one, ms':>9}")
    for name, module in MODULES.items():
        texts = asked(module)
        if texts is None:
            print(f"{name:22} its questions are not kept here")
            continue
        model = progtf.compile(progtf.load(ROOT / f"examples/math/{name}.seme"))
        model.answers(texts[:4])
        many, one = (seconds(partial(model.answers, some)) for some in (texts, texts[:1]))
        print(f"{name:22} {BATCH / many:12,.0f} {1000 * one:9.1f}")


def lengths() -> None:
    """Texts of twice the length."""
    before = None
    for length in (25, 50, 100, 200, 400):
        text = f"model:\n  length: {length + 2}\n" + WORDS.format(count=9) + LAYER
        taken = answering(text, ["runs " + "w1 " * (length - 1)] * 32)
        before = told(f"32 texts of {length} words", taken, before, 4)


def lexicons() -> None:
    """Lexicons of twice the size."""
    before = None
    for count in (1000, 2000, 4000, 8000):
        taken = answering(WORDS.format(count=count) + LAYER, ["w1 w2 runs w3 w4"] * 256)
        before = told(f"a lexicon of {count} words", taken, before, 1.1)


def answering(program: str, texts: list[str]) -> float:
    """Seconds that a program takes over some texts."""
    model = progtf.compile(progtf.parse_program(program))
    model.answers(texts)
    return seconds(partial(model.answers, texts), 9)


def told(what: str, taken: float, before: float | None, aim: float) -> float:
    """Prints what a size takes, and how much more than the one before."""
    ratio = "" if before is None else f"x{taken / before:.2f} (aim: at most {aim})"
    print(f"{what:30} {1000 * taken:8.1f} ms  {ratio}")
    return taken


def main() -> None:
    """Prints a line for each program, and one for each size."""
    one_thread()
    programs()
    lengths()
    lexicons()
