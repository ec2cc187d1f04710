"""A difference made as small as it can be: lines, then parts of lines, then tokens left out."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import progtf
from benchmarks.refute.attack import Found, Trial, claimed, verdict_of
from benchmarks.refute.claims import Claim
from benchmarks.refute.meaning import Oracle
from progtf import InputError, SemeError
from progtf.program.model import Program

SECONDS = 2.0
CRASHES = ("checks", "compiles", "means", "runs")


@dataclass(frozen=True)
class Case:
    """A program as text, and what was found of it."""

    text: str
    found: Found


def shrunk(case: Case, seconds: float = SECONDS) -> Case:
    """The same difference, or one like it, with less around it."""
    stop = time.perf_counter() + seconds
    before = None
    while before != case and time.perf_counter() < stop:
        before = case
        for ways in (_batches, _tokens, _lines, _parts):
            case = _fewer(case, ways, stop)
    return case


def _fewer(case: Case, ways: Callable[[Case], Iterator[Case]], stop: float) -> Case:
    """Goes on with the first smaller case that still differs, until there is none."""
    going = True
    while going and time.perf_counter() < stop:
        going = False
        for smaller in ways(case):
            found = seen(smaller)
            if found is not None:
                case, going = Case(smaller.text, found), True
                break
            if time.perf_counter() > stop:
                break
    return case


def seen(case: Case) -> Found | None:
    """What is found of a case by its own inputs, if it is certified and differs in the same way."""
    found = _seen(case)
    alike = found is None or (found.promise in CRASHES) == (case.found.promise in CRASHES)
    return found if alike else None


def _seen(case: Case) -> Found | None:
    try:
        program = progtf.parse_program(case.text)
        claim = claimed(program, case.found.dtype)
        if isinstance(claim, Found):
            return claim
        if verdict_of(claim) not in ("exact", "assumed"):
            return None
        return _tried(program, claim, case)
    except (SemeError, InputError):
        return None
    except Exception as error:  # noqa: BLE001  the interpreter
        return replace(case.found, promise="means", got=repr(error))


def _tried(program: Program, claim: Claim, case: Case) -> Found | None:
    try:
        trial = Trial(claim, progtf.compile(program, claim.dtype), Oracle(program))
    except Exception as error:  # noqa: BLE001  as `attack` does
        return replace(case.found, promise="compiles", got=str(error))
    if case.found.promise == "compiles":
        return None
    return trial.tried(case.found.texts)[1]


# ------------------------------------------------------------------ what may be left out


def _batches(case: Case) -> Iterator[Case]:
    """The text alone, or in less company."""
    *others, text = case.found.texts or ("",)
    if not others:
        return
    yield _with(case, (text,))
    for kept in (others[: len(others) // 2], others[len(others) // 2 :], others[1:], others[:-1]):
        yield _with(case, (*kept, text))


def _tokens(case: Case) -> Iterator[Case]:
    """The last text with some of its tokens left out, the longest pieces first."""
    if not case.found.texts:
        return
    *others, text = case.found.texts
    between = " | " if " | " in text else " " if " " in text else ""
    words = text.split(between) if between else list(text)
    size = len(words) // 2
    while size:
        for start in range(0, len(words), size):
            kept = words[:start] + words[start + size :]
            if kept:
                yield _with(case, (*others, between.join(kept)))
        size //= 2


def _with(case: Case, texts: tuple[str, ...]) -> Case:
    return replace(case, found=replace(case.found, texts=texts))


def _lines(case: Case) -> Iterator[Case]:
    """The program without a line and what belongs to it, from the end on."""
    lines = case.text.splitlines()
    for place in reversed(range(len(lines))):
        depth = _depth(lines[place])
        end = place + 1
        while end < len(lines) and _depth(lines[end]) > depth:
            end += 1
        yield replace(case, text="\n".join(lines[:place] + lines[end:]) + "\n")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 99


def _parts(case: Case) -> Iterator[Case]:
    """The program with one entry less in a list or in a vector."""
    lines = case.text.splitlines()
    for place, line in enumerate(lines):
        for between in (", ", " +", " & "):
            key, colon, rest = line.partition(": ")
            pieces = rest.split(between)
            for k in range(len(pieces) if len(pieces) > 1 else 0):
                left = between.join(pieces[:k] + pieces[k + 1 :])
                changed = [*lines[:place], f"{key}{colon}{left.strip()}", *lines[place + 1 :]]
                yield replace(case, text="\n".join(changed) + "\n")
