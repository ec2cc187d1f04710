"""Random and mutated texts through the notation: no traceback, no hang, no growth.

``python -m benchmarks.fuzz_notation [texts] [seed]`` tries 20,000 texts by default: mutations of
the examples, of the library, of rejected programs and of snippets of every construct, and plain
noise. Each must come back as a program or with errors, in at most a second of processor time, and
all together in at most 200 MB more than before. The first text that does not is printed whole.
"""

import math
import random
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from progtf.building.load import analyse
from progtf.notation.diagnostics import errors
from progtf.notation.render import render_all

ROOT = Path(__file__).parents[1]
TEXTS, SEED = 20_000, 1
LONGEST_SECONDS, MOST_GROWTH_MB = 1.0, 200.0
MOST_LINES = 45
SMALL_BYTES = 4000
LONG_NAME = "x" * 50 + "+"

SNIPPETS = """
model:
  kind: seq2seq
  length: 2*8 -> 4
  binding: outer
  norm: split
  sharpness: {2**4}
use "std/neighbours.seme" as near
use "../../etc/passwd"
let letters = "abc"
let P = -2..2
semes: a b place[P] is["a".."z"] sum: -9..9 share: 0..1 step 1/8 far: distance x.y x.z
clocks: /8 /64.5
S := a + 2b - {3 - 1}
both := a & !b | sum >= 3
vec1: +a -2.5b +.5sum
mat1: a>b, 2b>-a, {cos(2*pi/8)}a>sum
below: for q in P for p in P if q < p: {1 + (q-p)/64} place[p] ~ place[q]
lexicon:
  dog: +a -2.1b
  "it's": << +a +{1/3}b >>
  for d at v in "0123":
    "{d}": +is["a"] +{v}sum
  unknown: +b
  <bos>: +a
lexicon from "words.tsv":
  word starts with a e i > a
  number=pl > b
circuit mark(target, source):
  feedforward:
    target: source
encoder:
  layer first:
    repeat: 2
    use mark(b, a)
    phrase "take away", 'minus' > b
    head h[1]:
      query: a>f, +g, -0.5b>g
      key: a>f, b>g
      querypos: +1
      keypos: -2
      look: notself
      value: a>b
      role: b>b
      else: +b below 1.5
      normalize: queries
    head near:
      look: before
      nearest: a | is
      distance: far
      bind: a*b > sum
    head top:
      highest: sum where a
      match: place ~ below ~ place, a ~ b
      where: a & !b
      when: b
      sharpness: 40
      value: v>f
      out: f>b, +a
    feedforward:
      b: far = 2 & a | none place[0..1]
      sum: S when both = a
      sum: sum mod 3 when a
      +b -2sum when all place & sum != 2
      share: clip(2sum - 1, 0, 1)
      mat1: a>u, b>u
      bias1: -u
      mat2: u>b
decoder:
  layer:
    head read:
      from: encoder
      query: a>x
      key: a>x
      value: sum>sum
dense last:
  weights: a>b
  bias: +a
  relu: yes
cell:
  input: a>a
  recurrent: a>b
  activation: tanh
output:
  classify sum in 0..9
  "x": 10sum - 25 + a
classify:
  pool: mean
  GOOD: a
  otherwise: BAD
demo:
  let Q = 3
  semes: demo[0..Q]
examples:
  dog dog -> dog: +a | dog: +a
  "a -> b" -> "c"
""".splitlines()

PIECES = [
    *"+-*/%&|!=<>~:,.()[]{}\"'#\\\n\t ",
    *("  ", "    ", "..", "->", "→", "−", ":=", "<<", "⟪", "}}", "**", "!=", "1e999", "9" * 5000),
    *("for k in 0..9:", "for k in 0..99999999:", "if k < 3", "when", "where", "below", "step"),
    *("0..9", "-1..1", "[k]", "[0..3]", "{k}", "{1/0}", "2**2**9", "mod", "div", "sign(", "all "),
    *("1e+308", "5e-324", "1e+99", "at: 99999999", "repeat: 0", "length: 65536", "/1e+30 ", "0"),
    *("query:", "value:", "nearest:", "layer:", "head:", "feedforward:", "lexicon:", "semes:"),
    *("\0", "\ufeff", "\r\n", "\r", "\u2028", "\u00a0", "\u200b", "\ud800", "🦆", "é", "\x1b[31m"),
]


@dataclass
class Outcome:
    """What a run of texts came to."""

    texts: int = 0
    programs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    growth: float = 0.0


def bases() -> list[list[str]]:
    """The lines of everything that gets mutated."""
    files = [
        *sorted((ROOT / "examples").rglob("*.seme")),
        *sorted((ROOT / "progtf" / "std").rglob("*.seme")),
        *sorted((ROOT / "tests" / "golden" / "rejected").glob("*.seme")),
    ]
    read = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    return [SNIPPETS] * 20 + [text.split("\n") for text in read]


def texts(count: int, seed: int) -> Iterator[str]:
    """So many texts; the same ones for the same seed."""
    chance = random.Random(seed)
    lines = bases()
    makers: list[Callable[[random.Random], str]] = [noise, letters, nested, long_line]
    for _ in range(count):
        if chance.random() < 0.1:
            yield chance.choice(makers)(chance)
        else:
            yield mutated(chance, chance.choice(lines), chance.choice(lines))


def near(count: int, seed: int) -> Iterator[tuple[str, Path]]:
    """Small examples with one change each, many of them programs still; and their folders."""
    chance = random.Random(seed)
    files = sorted((ROOT / "examples").rglob("*.seme"))
    small = [file for file in files if file.stat().st_size <= SMALL_BYTES]
    for _ in range(count):
        file = chance.choice(small)
        yield reworded(chance, file.read_text(encoding="utf-8")), file.parent


def reworded(chance: random.Random, text: str) -> str:
    """A text with another digit, a word of it in the place of another, or one line changed."""
    words = list(re.finditer(r"\w+", text))
    digits = [at for at, mark in enumerate(text) if mark.isdigit()]
    match chance.randrange(4):
        case 0 if digits:
            at = chance.choice(digits)
            return text[:at] + chance.choice("0123456789") + text[at + 1 :]
        case 1:
            return "\n".join(changed_lines(chance, text.split("\n")))
        case _:
            gone, come = chance.choice(words), chance.choice(words)
            return text[: gone.start()] + come[0] + text[gone.end() :]


def mutated(chance: random.Random, lines: list[str], others: list[str]) -> str:
    """A stretch of one text, perhaps with a stretch of another one, changed in a few places."""
    start = chance.randrange(max(1, len(lines) - MOST_LINES + 1))
    chosen = lines[start : start + MOST_LINES]
    if chance.random() < 0.3:
        place, begin = chance.randrange(len(chosen) + 1), chance.randrange(len(others))
        chosen = chosen[:place] + others[begin : begin + 10] + chosen[place:]
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        chosen = changed_lines(chance, chosen)
    text = "\n".join(chosen)
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        text = changed(chance, text)
    return text.replace("\n", "\r\n") if chance.random() < 0.1 else text


def changed_lines(chance: random.Random, lines: list[str]) -> list[str]:
    """One line left out, doubled, moved, or shifted to another depth."""
    if not lines:
        return lines
    place = chance.randrange(len(lines))
    line, rest = lines[place], lines[:place] + lines[place + 1 :]
    match chance.randrange(4):
        case 0:
            return rest
        case 1:
            return [*lines[:place], line, line, *lines[place + 1 :]]
        case 2:
            other = chance.randrange(len(lines))
            return [*rest[:other], line, *rest[other:]]
        case _:
            shifted = " " * chance.randrange(9) + line.strip()
            return [*lines[:place], shifted, *lines[place + 1 :]]


def changed(chance: random.Random, text: str) -> str:
    """A stretch of characters cut out, doubled, moved, or replaced by a piece of the notation."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 1, 1, 2, 5, 20)))
    match chance.randrange(5):
        case 0:
            return text[:start] + text[end:]
        case 1:
            return text[:end] + text[start:end] * chance.choice((1, 3, 200)) + text[end:]
        case 2:
            other = chance.randrange(len(text) + 1)
            return text[:other] + text[start:end] + text[other:]
        case _:
            piece = chance.choice(PIECES) * chance.choice((1, 1, 1, 1, 2, 150))
            return text[:start] + piece + text[end:]


def noise(chance: random.Random) -> str:
    """Bytes as if they were text."""
    data = chance.randbytes(chance.randrange(400))
    return data.decode(chance.choice(("latin-1", "utf-8", "utf-16")), errors="replace")


def letters(chance: random.Random) -> str:
    """Pieces of the notation in any order, lone surrogates among them."""
    return "".join(chance.choice(PIECES[:60]) for _ in range(chance.randrange(300)))


def nested(chance: random.Random) -> str:
    """Something inside itself, many times."""
    deep = chance.choice((10, 99, 101, 3000))
    opening, closing = chance.choice((("(", ")"), ("!", ""), ("!(", ")"), ("{", "}"), ("-", "")))
    inside = opening * deep + chance.choice(("a", "k", "1", "")) + closing * deep
    loops = "".join(f"{' ' * n}for k{n} in 0..1:\n" for n in range(deep if deep < 200 else 40))
    return chance.choice(
        (
            f"semes: a b\nlexicon:\n  x: +a\nlayer:\n  feedforward:\n    b: {inside}\n",
            f"let k = {inside}\nsemes: a[0..{inside}]\n",
            f"semes: a\nlexicon:\n  x: +{{{inside}}}a\n",
            f"semes: a\n{loops}",
            "".join(f"{' ' * n}layer:\n" for n in range(deep)),
        )
    )


def long_line(chance: random.Random) -> str:
    """One line of a hundred thousand characters."""
    filling = chance.choice(
        (
            "a ",
            "+a",
            "+a ",
            "(",
            "'",
            '"\\',
            "# ",
            " ",
            "0",
            "a>b, ",
            "a & ",
            "{",
            "for ",
            LONG_NAME,
        )
    )
    line = filling * (100_000 // len(filling))
    opening = chance.choice(
        ("", "semes: ", "lexicon:\n  x: ", "examples:\n  a", "mat1: ", "let k = ")
    )
    return f"semes: a b\n{opening}{line}\n{line[:50]}"


def try_text(text: str, outcome: Outcome, longest: float) -> None:
    """One text; its messages must be printable as well.

    Raises:
        AssertionError: if it takes more seconds than the longest may, or comes to nothing.
    """
    start = time.process_time()
    program, found = analyse(text, "<fuzz>", None)
    render_all(found).encode()
    seconds = time.process_time() - start
    assert program is not None or errors(found), "neither a program nor errors"
    assert seconds <= longest, f"{seconds:.2f} s"
    outcome.texts += 1
    outcome.programs += program is not None
    outcome.seconds += seconds
    outcome.slowest = max(outcome.slowest, seconds)


def run(count: int, seed: int, longest: float = math.inf) -> Outcome:
    """All texts.

    Raises:
        AssertionError: for the first one that fails or takes more than ``longest`` seconds.
    """
    outcome = Outcome()
    analyse("semes: a\n", "<first>", None)
    before = _megabytes()
    for number, text in enumerate(texts(count, seed)):
        try:
            try_text(text, outcome, longest)
        except BaseException:  # Ctrl-C in a text that hangs, too
            sys.stderr.write(f"text {number} of seed {seed}: {ascii(text)[:20_000]}\n")
            raise
    outcome.growth = _megabytes() - before
    return outcome


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(
    count: Annotated[int, typer.Argument()] = TEXTS, seed: Annotated[int, typer.Argument()] = SEED
) -> None:
    """Prints what a run came to."""
    outcome = run(count, seed, LONGEST_SECONDS)
    print(
        f"{outcome.texts:,} texts, {outcome.programs:,} of them programs: "
        f"{outcome.seconds:.0f} s of processor time, the slowest {outcome.slowest:.2f} s, "
        f"{outcome.growth:.0f} MB more"
    )
    assert outcome.growth <= MOST_GROWTH_MB, f"more than {MOST_GROWTH_MB:.0f} MB"


if __name__ == "__main__":
    typer.run(main)
