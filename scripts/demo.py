"""The first thing to see: a written program answers real questions, and its inside can be read."""

import time
from pathlib import Path

from rich.console import Console

import progtf

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "examples/math/place_value.seme"
NOUNS = ROOT / "examples/article/attention_with_positions.seme"
FILES = {
    "interpolation": ROOT / "tests/data/math/numbers__place_value.txt",
    "extrapolation, longer numbers": ROOT / "tests/data/math/numbers__place_value_big.txt",
}


def main() -> None:
    """Prints a few words, a few answers, and how many of 400 real questions are right."""
    console = Console(highlight=False, soft_wrap=True)
    console.rule("[bold]a network written by hand")
    text = NOUNS.read_text(encoding="utf-8")
    console.print(text.strip(), markup=False)
    program = progtf.load(NOUNS)
    words = program.examples[0].input
    console.print(f"\n$ progtf run {NOUNS.relative_to(ROOT)} '{words}'", style="bold")
    console.print(progtf.compile(program).run(words), markup=False)

    console.rule("[bold]a character-level encoder-decoder that answers mathematics questions")
    start = time.perf_counter()
    model = progtf.compile(progtf.load(PROGRAM))
    console.print(f"{PROGRAM.relative_to(ROOT)}: compiled in {time.perf_counter() - start:.2f} s")
    for name, path in FILES.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        questions, expected = lines[0::2], lines[1::2]
        start = time.perf_counter()
        answers = model.run(questions)
        seconds = time.perf_counter() - start
        right = sum(a == b for a, b in zip(answers, expected, strict=True))
        console.print(f"\n{name}, Mathematics Dataset, numbers__place_value:")
        for question, answer in list(zip(questions, answers, strict=True))[:3]:
            console.print(f"  {question} -> [bold]{answer}[/bold]")
        rate = len(questions) / seconds
        console.print(f"  {right} of {len(questions)} right, {rate:.0f} questions a second")
    console.rule()
    console.print("Next: .venv/bin/progtf --help, docs/language.md, examples/")


if __name__ == "__main__":
    main()
