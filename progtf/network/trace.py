"""The residual of a compiled network, layer by layer, as hooks see it."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from progtf.nn.inside import looking
from progtf.nn.points import Hook, Look
from progtf.program.answering import tried
from progtf.program.answers import so_far
from progtf.program.loops import by_loop
from progtf.program.model import BOS, EOS
from progtf.running.trace import Step
from progtf.weights.layout import Stage

if TYPE_CHECKING:
    from progtf.network.model import Model


def trace(model: "Model", text: str) -> list[Step]:
    """The residual after the embedding and after every layer; a decoder reads its own answer.

    Of a program that asks again what it writes it is that of the one step.
    """
    tokens = model.reader.read(text)
    layout, network, source = model.layout, model.network, model.batch([tokens])
    given = {"encoder": (tokens, source)}
    if layout.writes:
        first = [BOS] if layout.kind == "seq2seq" else tokens
        (found,) = model.readouts([tokens])
        so_far(tried(model.speaker.answer, found))
        written = [*first, *(token for token in found.written or () if token != EOS)]
        both = given if layout.kind == "seq2seq" else {}
        given = {**both, "decoder": (written, model.batch([written]))}
    seen: dict[str, list[tuple[str, np.ndarray]]] = {}
    for stack, (_, ids) in given.items():
        seen[stack] = [("embedding", _numbers(network.embedding(ids)))]
    with looking(network, list(_looks(model, seen))):
        if not layout.writes:
            model(source)
        else:
            ids = [ids for _, ids in given.values()]
            model(ids[0], ids[-1])
    return [
        Step(stack, label, tuple(given[stack][0]), residual)
        for stack, moments in seen.items()
        for label, residual in moments
    ]


def _looks(
    model: "Model", seen: dict[str, list[tuple[str, np.ndarray]]]
) -> Iterator[tuple[str, Look]]:
    """What notes the states of the cell, and what every block gives, in order."""
    if model.layout.activation is not None:
        yield "cell.hook_state", Look(partial(_note_state, seen["encoder"]), keeps=True)
    for stack, moments in seen.items():
        for path, label in _labels(stack, getattr(model.layout, stack)):
            note = partial(_note, moments, label)
            yield f"{path}.hook_resid_post", Look(note, keeps=True)


def _note(moments: list[tuple[str, np.ndarray]], label: str, residual: Tensor, hook: Hook) -> None:
    if hook.going is None or bool(hook.going.any()):  # else no place runs this round
        moments.append((label, _numbers(residual)))


def _note_state(moments: list[tuple[str, np.ndarray]], state: Tensor, hook: Hook) -> None:
    """States come one by one."""
    before = moments.pop()[1] if hook.first else np.zeros((0, state.shape[-1]))
    moments.append(("cell", np.concatenate([before, _numbers(state)])))


def _labels(stack: str, stages: Sequence[Stage]) -> Iterator[tuple[str, str]]:
    """The path of every block, those of loops too, and the name of its layer."""
    block = 0
    for run in by_loop(stages):
        path, first, loop = f"{stack}.blocks", block, run[0].loop
        if loop is not None:
            yield f"{path}.{block}", loop.name
            path, first = f"{path}.{block}.round.blocks", 0
        for stage in run:
            for turn in range(stage.repeat):
                yield f"{path}.{first + turn}", stage.name
            first += stage.repeat
        block = block + 1 if loop is not None else first


def _numbers(residual: Tensor) -> np.ndarray:
    return residual[0].double().cpu().numpy().copy()
