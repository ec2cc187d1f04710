"""Whether a program that writes can come to its end: whether ``<eos>`` can follow anything.

That may be out of reach by the bounds of scores. Where it is not, an input is looked for whose
answer ends, among the program's own examples first. Without one, a program is not called exact.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product

import numpy as np

from progtf.exact import problems
from progtf.exact.report import Report
from progtf.exact.stream import Stream
from progtf.exact.witness import tokens_of
from progtf.program.answering import Input, tried
from progtf.program.forms import Form, Space
from progtf.program.interface import interface_of
from progtf.program.model import BOS, EOS, SPECIAL, Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter

MOST_INPUTS = 64
"""So many of the shortest inputs are tried, and as many that are drawn."""
MOST_WRITTEN = 20_000
"""No input is tried after so many tokens have been written in vain."""


def check_end(program: Program, length: int, stream: Stream | None, report: Report) -> None:
    """Refuses a program with ``<eos>`` of which no answer ends, or none is found that does.

    One that leaves something to training may learn to end.

    Args:
        program: any.
        length: of the longest input, in tokens.
        stream: what the output reads; None: nothing is derived of it.
        report: takes what is found.
    """
    if program.hybrid or not interface_of(program).ends:
        return
    place = program.places.get("output:") or problems.somewhere(program)
    why = _out_of_reach(program, stream)
    if why is not None:
        report.found.append(problems.endless(place, why))
        return
    short = list(islice(_shortest(program, length), MOST_INPUTS + 1))
    every = len(short) <= MOST_INPUTS
    tried = _tried_in_vain(program, short if every else [*short, *_drawn(program, length)])
    if tried is not None and every and tried >= len(short):
        why = f"none of the inputs that there are, {len(short)}, has an answer that ends"
        report.found.append(problems.endless(place, why))
    elif tried is not None:
        report.unproven.append(problems.no_end_found(place, tried))


def _out_of_reach(program: Program, stream: Stream | None) -> str | None:
    """Why the end can never have the best score; None: by its bounds it can."""
    if EOS not in program.outputs:
        return f"`{EOS}` is no token of the output"
    if stream is None:
        return None
    end, first = program.outputs[EOS].scaled(-1.0), True
    for token, form in program.outputs.items():
        least = _least(form + end, program.space, stream)
        if token == EOS:
            first = False
        elif least > 0 or least == 0 and first:  # of equals the first is written
            return f"`{token}` always has a better score than `{EOS}`, or the same and comes first"
    return None


def _least(form: Form, space: Space, stream: Stream) -> float:
    """The smallest number that a form can be."""
    columns = ((space.index[name], factor) for name, factor in form.coefficients.items() if factor)
    ends = (factor * (stream.low if factor > 0 else stream.high)[at] for at, factor in columns)
    return form.constant + float(sum(ends))


def _tried_in_vain(program: Program, inputs: list[list[str]]) -> int | None:
    """How many of some inputs were answered without an end; None: one of them, or of the program's
    examples, ends.
    """
    meant = Interpreter(program)
    for example in program.examples[:MOST_INPUTS]:
        given = tried(meant.reader.read, example.input)
        if not isinstance(given, InputError) and _ends(meant, given):
            return None
    some = inputs[: 1 + MOST_WRITTEN // program.lengths[1]]
    return None if any(_ends(meant, tokens) for tokens in some) else len(some)


def _ends(meant: Interpreter, tokens: Input) -> bool:
    try:
        meant.speaker.answer(next(meant.readouts([tokens])))
    except InputError:
        return False
    return True


def _shortest(program: Program, length: int) -> Iterator[list[str]]:
    """Inputs, the shortest first; of tokens that have the same one stands for all."""
    kinds, most = _kinds(program), _room(program, length)
    texts = chain.from_iterable(product(kinds, repeat=count) for count in range(1, most + 1))
    return (_whole(program, text) for text in texts)


def _drawn(program: Program, length: int) -> Iterator[list[str]]:
    """Inputs of every length, always the same ones."""
    kinds, most, draw = _kinds(program), _room(program, length), np.random.default_rng(0)
    for count in draw.integers(1, most, MOST_INPUTS, endpoint=True).tolist():
        yield _whole(program, draw.choice(kinds, count).tolist())


def _kinds(program: Program) -> list[str]:
    """A token for each vector that tokens have; ends stand around texts, not in them."""
    found = dict[frozenset[tuple[str, float]], str]()
    for token in tokens_of(program):
        vector = program.lexicon.get(token, program.unknown) or {}
        if token not in SPECIAL:
            found.setdefault(frozenset(vector.items()), token)
    return [*found.values()]


def _ends_around(program: Program) -> tuple[list[str], list[str]]:
    """What stands before a text and behind it."""
    end = EOS in program.lexicon and program.kind != "decoder"
    return [BOS] * (BOS in program.lexicon), [EOS] * end


def _room(program: Program, length: int) -> int:
    """How many tokens a text has at most."""
    before, behind = _ends_around(program)
    return max(1, length - len(before) - len(behind))


def _whole(program: Program, text: Sequence[str]) -> list[str]:
    before, behind = _ends_around(program)
    return [*before, *text, *behind]
