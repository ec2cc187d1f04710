"""How many rounds the loops of `examples/math` take: generated questions, by a round's arithmetic.

    progtf data make --out FOLDER --split interpolate --count 20000 --seed 77 -m numbers__gcd ...
    python -m benchmarks.rounds FOLDER

Of each module some questions are asked of the network, too, which must take as many.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import mean

import torch

import progtf
from progtf.nn.loops import Loop

ASKED = 60  # questions that the network is asked
LCM_MOST = 10**13


def long_division(number: int, divisor: int) -> int:
    """The divisor begins as far to the left as the number: taken off, or shifted to the right."""
    shift = max(0, len(str(number)) - len(str(divisor)))
    taken, rounds = divisor * 10**shift, 1
    while number >= taken or shift:
        if number >= taken:
            number -= taken
        else:
            taken, shift = taken // 10, shift - 1
        rounds += 1
    return rounds


def columns(rest: int, other: int) -> int:
    """Euclid's algorithm, digit by digit: lifted, taken off, shifted, or both change places."""
    shift, rises, rounds = 0, True, 0
    while True:
        rounds += 1
        high = len(str(other)) >= len(str(rest))
        if rises and not high:
            other, shift = other * 10, shift + 1
            continue
        rises = False
        if rest >= other:
            rest -= other
        elif shift:
            other, shift = other // 10, shift - 1
        elif rest:
            rest, other, rises = other, rest, True
        else:
            return rounds


def registers(rest: int, other: int, multiple: int = 0) -> int:
    """Euclid's algorithm by doubling and halving (`std/euclid.seme`); ``multiple``: a track."""
    unit, rises, rounds, beside = 1, True, 0, 0
    while True:
        rounds += 1
        doubles, single = rises and 2 * other <= rest, unit == 1
        if rest >= other and not doubles:
            rest, multiple = rest - other, multiple + beside
        if (single and 0 in (rest, other)) or multiple >= LCM_MOST:
            return rounds
        if doubles:
            unit, other, beside = 2 * unit, 2 * other, 2 * beside
        elif not single:
            unit, other, beside = unit // 2, other // 2, beside // 2
        else:
            rest, other, multiple, beside = other, rest, beside, multiple
        rises = doubles or single


def sheets(number: int) -> int:
    """The smallest factor among 780 numbers is taken off; or the next 780 are tried."""
    sheet, rounds = 0, 0
    while True:
        rounds += 1
        tried = range(max(2, 780 * sheet), 780 * (sheet + 1))
        found = next((d for d in tried if number % d == 0), None)
        if found:
            number //= found
        elif number < (780 * (sheet + 1)) ** 2:
            return rounds
        else:
            sheet += 1


def quotient(asked: list[int]) -> int:
    return registers(abs(asked[0]), abs(asked[1]))


def multiple(asked: list[int]) -> int:
    return registers(asked[0], asked[1], asked[0])


def denominators(text: str) -> list[int]:
    """Both numbers, or what stands behind their bars."""
    if "denominator" not in text:
        return numbers(text)
    return [int(below or 1) for below in re.findall(r"\d+(?:/(\d+))?", text)]


def factor(text: str) -> list[int]:
    """Dividend and divisor: `Does 14 divide 42?`, `Is 42 a multiple of 14?`, `Is 42 even?`."""
    found = numbers(text)
    if "even" in text:
        return [found[0], 2]
    return found[::-1] if "divide" in text or "a factor" in text else found


def numbers(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"-?\d+", text)]


Read = Callable[[str], list[int]]
Count = Callable[[list[int]], int]
MODULES: dict[str, tuple[Read, Count]] = {
    "numbers__div_remainder": (numbers, lambda n: long_division(*n)),
    "numbers__is_factor": (factor, lambda n: long_division(*n)),
    "numbers__gcd": (numbers, lambda n: columns(*n)),
    "numbers__lcm": (denominators, multiple),
    "arithmetic__div": (numbers, quotient),
    "numbers__list_prime_factors": (numbers, lambda n: sheets(*n)),
}


def taken(program: str, texts: list[str]) -> list[int]:
    """The rounds of each text by the network, asked alone."""
    model = progtf.compile(progtf.load(f"examples/math/{program}.seme"))
    (loop,) = (module for module in model.modules() if isinstance(module, Loop))
    turns: list[int] = []
    once = loop._once  # noqa: SLF001

    def counted(residual: torch.Tensor, *rest: object, **more: bool) -> torch.Tensor:
        turns[-1] += 1
        return once(residual, *rest, **more)  # pyright: ignore[reportArgumentType]

    vars(loop)["_once"] = counted
    for text in texts:
        turns.append(0)
        model.run(text)
    return turns


def main(folder: Path) -> None:
    """A line for every module whose questions are there."""
    for module, (read, count) in MODULES.items():
        path = folder / "interpolate" / f"{module}.txt"
        if not path.is_file():
            continue
        asked = path.read_text(encoding="utf-8").splitlines()[::2]
        found = [count(read(text)) for text in asked]
        chosen = range(0, len(asked), len(asked) // ASKED)
        program = module.split("__")[1]
        network = taken(program, [asked[k] for k in chosen])
        assert network == [found[k] for k in chosen], program
        most = sorted(found)[len(found) * 99 // 100]
        print(f"{program}: {len(found)} questions, {mean(found):.1f}, {most}, {max(found)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
