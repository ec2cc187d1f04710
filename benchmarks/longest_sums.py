"""Sums and differences of the longest numbers, 30 + 20 digits: how many are right.

    python -m benchmarks.longest_sums --count 2000 --seed 1

Alone and through the program of all modules, in every phrasing and with either sign.
"""

import argparse
import random
import sys
from collections.abc import Sequence

import progtf
from tests.acceptance.test_add_or_sub import longest_pairs, questions

PROGRAMS = ("add_or_sub", "all")


def main(arguments: Sequence[str] = ()) -> None:
    """Asks as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    asked = parser.parse_args(arguments)
    due = questions(longest_pairs(random.Random(asked.seed), asked.count))
    for name in asked.programs:
        model = progtf.compile(progtf.load(f"examples/math/{name}.seme"))
        answers = model.try_answers([question for question, _ in due])
        wrong = [
            (question, wanted, got)
            for (question, wanted), got in zip(due, answers, strict=True)
            if getattr(got, "text", None) != wanted
        ]
        print(f"{name}: {len(due) - len(wrong)} of {len(due)} right")
        for question, wanted, got in wrong[:3]:
            print(f"  {question} -> {getattr(got, 'text', got)}, due is {wanted}")


if __name__ == "__main__":
    main(sys.argv[1:])
