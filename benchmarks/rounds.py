"""How many rounds the loops of `examples/math` take: generated questions, by a round's arithmetic.

    progtf data make --out FOLDER --split interpolate,extrapolate --count 20000 --seed 77 -m MODULES
    python -m benchmarks.rounds FOLDER

Of each module some questions are asked of the network, too, which must take as many.
"""

import ast
import re
from collections.abc import Callable
from math import ceil, gcd
from pathlib import Path
from statistics import mean
from typing import Annotated

import torch
import typer

import progtf
from progtf.nn.loops import Loop

ASKED = 60  # questions that the network is asked
STEPS = 2  # of Euclid's algorithm, a round of `mixed`
TINY = 500  # parts of a fraction that is not reduced before it is larger, or the answer


def registers(rest: int, other: int, *, divides: bool = False) -> int:
    """Euclid's algorithm by powers of eight (`std/euclid.seme`), or its first division alone.

    Args:
        rest: the first number.
        other: the second one.
        divides: it ends after the first division.
    """
    unit, rises, rounds = 1, True, 0
    while True:
        rounds += 1
        grows, single = rises and 8 * other <= rest, unit == 1
        if not grows:
            rest -= (min(7, rest // other) if other else 7) * other
        ends = 0 in (rest, other) or (divides and not grows)
        if single and ends:
            return rounds
        if grows:
            unit, other = 8 * unit, 8 * other
        elif not single:
            unit, other = unit // 8, other // 8
        else:
            rest, other = other, rest
        rises = grows or single


def sheets(number: int) -> int:
    """The smallest factor among 1,560 numbers is taken off; or the next ones are tried."""
    sheet, rounds = 0, 0
    while True:
        rounds += 1
        tried = range(max(2, 1560 * sheet), 1560 * (sheet + 1))
        found = next((d for d in tried if number % d == 0), None)
        if found:
            number //= found
            if found != number < found * found:
                return rounds
        elif number < (1560 * (sheet + 1)) ** 2:
            return rounds
        else:
            sheet += 1


def expression(text: str) -> int:
    """All operators at the same time: each begins when the two numbers are ready that it needs."""
    found = re.search(r"[-(\d].*[\d)]", text)
    assert found is not None
    return max(1, _reckoned(ast.parse(found[0], mode="eval").body, is_root=True)[2])


def _reckoned(node: ast.AST, *, is_root: bool = False) -> tuple[int, int, int]:
    """The two parts of what a part of an expression comes to, and in which round it is ready."""
    match node:
        case ast.Constant(value=int(number)):
            return number, 1, 0
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number, 1, 0
        case ast.BinOp(left=left, op=op, right=right):
            (a, b, begun), (c, d, later) = _reckoned(left), _reckoned(right)
            match op:
                case ast.Mult():
                    top, bottom = a * c, b * d
                case ast.Div():
                    top, bottom = (a * d, b * c) if c > 0 else (-a * d, -b * c)
                case _:
                    sign = 1 if isinstance(op, ast.Add) else -1
                    top, bottom = a * d + sign * b * c, b * d
            ready = max(begun, later) + 1
            if max(abs(top), bottom) <= TINY and not is_root:
                return top, bottom, ready
            divisor, steps = gcd(top, bottom), registers(abs(top), bottom)
            return top // divisor, bottom // divisor, ready + ceil(steps / STEPS)
        case _:
            raise ValueError(ast.dump(node))


def quotient(asked: list[int]) -> int:
    return registers(abs(asked[0]), abs(asked[1]))


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


MODULES: dict[str, tuple[str, Callable[[str], int]]] = {
    "numbers__div_remainder": (
        "div_remainder",
        lambda text: registers(*numbers(text), divides=True),
    ),
    "numbers__is_factor": ("is_factor", lambda text: registers(*factor(text), divides=True)),
    "numbers__gcd": ("gcd", lambda text: registers(*numbers(text))),
    "numbers__lcm": ("lcm", lambda text: registers(*denominators(text))),
    "arithmetic__div": ("div", lambda text: quotient(numbers(text))),
    "numbers__list_prime_factors": ("list_prime_factors", lambda text: sheets(*numbers(text))),
    "arithmetic__mixed": ("mixed", expression),
    "arithmetic__mul_div_multiple": ("mixed", expression),
    "arithmetic__mixed_longer": ("mixed", expression),
    "arithmetic__mul_div_multiple_longer": ("mixed", expression),
}
SPLITS = ("interpolate", "extrapolate")


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


def main(folder: Annotated[Path, typer.Argument(exists=True, file_okay=False)]) -> None:
    """A line for every module whose questions are there."""
    for module, (program, rounds) in MODULES.items():
        path = next((p for s in SPLITS if (p := folder / s / f"{module}.txt").is_file()), None)
        if path is None:
            continue
        asked = path.read_text(encoding="utf-8").splitlines()[::2]
        found = [rounds(text) for text in asked]
        chosen = range(0, len(asked), max(1, len(asked) // ASKED))
        network = taken(program, [asked[k] for k in chosen])
        assert network == [found[k] for k in chosen], module
        most = sorted(found)[len(found) * 99 // 100]
        print(f"{module}: {len(found)} questions, {mean(found):.1f}, {most}, {max(found)}")


if __name__ == "__main__":
    typer.run(main)
