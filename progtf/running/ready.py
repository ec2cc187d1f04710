"""A program as whoever answers its texts has it: what is asked first is there first.

To answer a text takes the program's interface and, by the engine in C, its layers as whole numbers;
the program itself is asked for where numpy must tell, or where somebody looks inside. What the
first texts needed is kept on a shelf, so that the next process begins with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from progtf.program.asked import Answered
from progtf.program.interface import Interface, interface_of
from progtf.program.model import Program
from progtf.program.outcome import Who
from progtf.program.speaking import evidence_of
from progtf.program.who import who_answers
from progtf.running.kinds import Cut, Kinds, Shelf, asking_of, kinds
from progtf.running.native.engine import Coded, coded
from progtf.running.native.library import library

FIRST = "first"


@dataclass(frozen=True)
class First:
    """What is asked before anything of a program is computed.

    Attributes:
        interface: what it takes and gives.
        evidence: the semes that can be the reason for a class.
        who: answers for it.
        answers: the kinds of question that its parts answer, if it uses parts `when` asked for.
    """

    interface: Interface
    evidence: tuple[str, ...]
    who: Who
    answers: tuple[Answered, ...]

    @classmethod
    def of(cls, program: Program) -> "First":
        """That of a program."""
        interface = interface_of(program)
        read = [] if program.classify is None else list(program.classify.classes.values())
        names = [name for form in read for name in form.coefficients]
        return cls(interface, evidence_of(interface, names), who_answers(program), program.answers)


class Ready:
    """A program that answers.

    Args:
        read: finds the program.
        shelf: where what was made of it is kept; None: nowhere.
        name: what messages call the program, if what is kept may call it otherwise.
    """

    def __init__(
        self, read: Callable[[], Program], shelf: Shelf | None = None, name: str = ""
    ) -> None:
        self._read, self._shelf, self._name = read, shelf, name

    @classmethod
    def of(cls, program: Program) -> "Ready":
        """A program that is there."""
        return cls(lambda: program)

    @cached_property
    def program(self) -> Program:
        """All of it."""
        return self._read()

    @property
    def first(self) -> First:
        """What is asked first."""
        return self._opened[0]

    @property
    def kinds(self) -> Kinds:
        """The parts by which its texts are answered."""
        return kinds(self.program) if self._shelf is None else self._opened[1]

    @property
    def coded(self) -> Coded:
        """All of it for the engine."""
        return self._opened[2] or coded(self.program)

    @cached_property
    def _opened(self) -> tuple[First, Kinds, Coded | None]:
        if self._shelf is None:
            return First.of(self.program), Kinds((), None), None
        told = self._shelf.get(FIRST)
        if told is None:
            told = self._told()
            if library() is not None:  # else nobody asks for it
                self._shelf.put(FIRST, told)
        interface, evidence, who, answers, flags, asking, whole = told
        interface = replace(interface, name=self._name or interface.name)
        first = First(interface, evidence, who, answers)
        cut = None if asking is None else Cut.kept(asking, self._asking)
        return first, Kinds(flags, cut, self._shelf), whole and Coded(*whole)

    def _told(self) -> tuple[Any, ...]:
        """What is kept of it; where it has parts, not all of its layers."""
        program, first = self.program, First.of(self.program)
        flags, part = asking_of(program)
        asking = None if part is None else Cut.of(part).told
        whole = coded(program) if part is None and library() is not None else None
        told = None if whole is None else (whole.words, whole.code)
        return first.interface, first.evidence, first.who, first.answers, flags, asking, told

    def _asking(self) -> Any:
        return asking_of(self.program)[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return Ready.of, (self.program,)
