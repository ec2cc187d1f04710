"""The kinds of question that a program of parts answers, as its own files say.

A kind is what stands under one prefix, ``use "round_number.seme" as round when asks["round"]``, and
the examples of these files are questions of it. So who asks for something else can be told what is
there: the program says it, and nothing else does.
"""

from collections.abc import Iterator

from progtf.notation import syntax as s
from progtf.notation.examples import Example
from progtf.notation.files import Files
from progtf.program.asked import REFUSED, Answered


def kinds_of(file: s.File, files: Files) -> tuple[Answered, ...]:
    """The parts that a program uses ``when`` they are asked for, and have examples.

    Args:
        file: the program.
        files: those that it uses.
    """
    found: dict[str, list[str]] = {}
    for use in file.spoken(main=True):
        used = files.of(use) if isinstance(use, s.UseFile) and use.when is not None else None
        if isinstance(use, s.UseFile) and use.prefix is not None and used is not None:
            found.setdefault(use.prefix, []).extend(_questions(used))
    return tuple(Answered(name, tuple(questions)) for name, questions in found.items() if questions)


def _questions(file: s.File) -> Iterator[str]:
    """The examples of a file that are answered."""
    for block in file.spoken(main=False):
        for line in block.children if isinstance(block, s.Block) else ():
            if isinstance(line, Example) and not line.output.startswith(REFUSED):
                yield line.input
