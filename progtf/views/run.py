"""A run as plain data: tokens, the residual after every part, what each part added, attention."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.numbers import settled
from progtf.program.answers import EndlessError
from progtf.program.arrays import Array
from progtf.program.interface import interface_of
from progtf.program.model import Head, Layer, Program, Rule, Unit
from progtf.program.tokens import Reader, given
from progtf.running.interpret import answer
from progtf.running.trace import Trace
from progtf.views.program import head_name, rule_name

Data = dict[str, Any]
NOTHING = 1e-9


def watch(program: Program, text: str) -> Data:
    """What happens when a program reads a text, ready for JSON.

    Returns:
        ``answer`` with ``text``, ``scores`` and, where it does not end, the ``error``; ``steps``:
        after every part its ``stack``, ``label``, ``tokens``, ``rows`` (a dict seme -> value for
        each token), ``parts`` (what each head and rule added) and ``heads`` (pattern, scores and
        null share of each head).

    Raises:
        InputError: if the program cannot take the text.
    """
    trace, told = _Watch(program), Data()
    try:
        said = answer(program, text, trace)
    except EndlessError as error:
        said, told = error.answer, {"error": str(error)}
    return {
        "input": text,
        "answer": {"text": said.text, "scores": said.scores, **told},
        "steps": trace.seen,
        "places": places_in(program, text),
    }


def places_in(program: Program, text: str) -> list[tuple[int, int]] | None:
    """Where the words of a text stand in it, in characters; None where tokens are no words."""
    interface = interface_of(program)
    if interface.takes_vectors or not program.tokens.startswith("words"):
        return None
    return [token.place for token in Reader.of(interface).placed(given(text))]


class _Watch(Trace):
    """A trace that keeps what every part did beside the residual after it."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.names = program.space.names
        self.seen: list[Data] = []
        self.pending: dict[int, Array] = {}  # scores, heads and parts since the last part ended
        self.heads: list[Data] = []
        self.parts: list[Data] = []
        self.memory: list[str] = []
        self.places = {
            id(head): (head_name(head, place), layer)
            for layer in (*program.encoder, *program.decoder)
            if isinstance(layer, Layer)
            for place, head in enumerate((*layer.heads, *layer.cross))
        }

    def note(self, stack: str, label: str, residual: Array) -> None:
        del self.seen[len(self.steps) :]  # a decoder's earlier steps, seen again by the last one
        super().note(stack, label, residual)
        if stack == "encoder":
            self.memory = list(self.tokens)
        self.seen.append(
            {
                "stack": stack,
                "label": label,
                "tokens": list(self.tokens) or [f"vector {i + 1}" for i in range(len(residual))],
                "rows": [self._row(row) for row in residual],
                "parts": self.parts,
                "heads": self.heads,
            }
        )
        self.pending, self.heads, self.parts = {}, [], []

    def again(self) -> None:
        super().again()
        self.pending, self.heads, self.parts = {}, [], []

    def scores(self, head: Head, scores: Array) -> None:
        self.pending[id(head)] = scores[:, :-1]

    def shares(self, head: Head, pattern: Array, rest: Array) -> None:
        scores = self.pending.get(id(head))
        self.heads.append(
            {
                "name": self.places[id(head)][0],
                "source": head.source,
                "src": self.memory if head.source == "encoder" else None,
                "pattern": _numbers(pattern),
                "rest": _numbers(rest),
                "scores": None if scores is None else _numbers(scores),
            }
        )

    def added(self, head: Head, update: Array) -> None:
        name = self.places[id(head)][0]
        rows = [self._row(row) for row in update]
        self.parts.append({"kind": "head", "name": name, "rows": rows})

    def stays(self, places: NDArray[np.bool_]) -> None:
        for part in self.parts:
            part["rows"] = [
                {} if left else row for left, row in zip(places, part["rows"], strict=True)
            ]

    def fired(self, rule: Rule | Unit, amount: Array) -> None:
        rows = [
            {seme: clean(value * a) for seme, value in rule.writes.items()}
            if abs(a) > NOTHING
            else {}
            for a in amount
        ]
        self.parts.append({"kind": "rule", "name": rule_name(rule), "rows": rows})

    def _row(self, row: Array) -> dict[str, float]:
        named = row[: len(self.names)]
        return {self.names[i]: clean(named[i]) for i in np.flatnonzero(np.abs(named) > NOTHING)}


def clean(value: float) -> float:
    """A number for JSON: whole, or ten digits, so that rounding errors are no differences."""
    return settled(value, 10)


def _numbers(table: Array) -> list[Any]:
    """The numbers of an array for JSON; those that stand in it often are spelled once."""
    distinct, place = np.unique(table, return_inverse=True)
    shown = [clean(value) if np.isfinite(value) else None for value in distinct]
    return np.array(shown, dtype=object)[place.reshape(table.shape)].tolist()
