"""What a run would train, before it does: sizes, what is fixed, memory."""

from collections.abc import Iterator, Sequence

from torch import nn

from progtf.numbers import plain
from progtf.training.beforehand import check_places, check_start
from progtf.training.build import begun
from progtf.training.config import Run
from progtf.training.questions import chosen, settled
from progtf.training.seme_cache import check_random
from progtf.training.subject import Hybrid

_MEGA = 1e6
_ADAM = 4  # weight, gradient and two moments
_TOKENS = 80  # of a question and its answer, about
NAMED = 8
"""Modules that are told by name; of more only the number is told."""


_CONTROLS = {
    "": "with its written part",
    "off": "without its written part",
    "random": "with random features in place of its written part",
    "trainable": "with its written part, which is trained as well",
}


def describe(run: Run) -> str:
    """Sizes, what is fixed, initialised and learned, and the memory that training will need.

    Raises:
        RunError: for what the run would refuse at its start.
    """
    return "\n".join(_lines(run))


def _lines(run: Run) -> Iterator[str]:
    ranks = check_places(run)
    run = settled(run)
    modules = chosen(run.data)
    _, subject = begun(run)
    check_start(run, subject, ranks)
    yield f"{run.name}: {_several(modules)}, {_much(run)}"
    if isinstance(subject, Hybrid):
        yield from _written(subject, run)
    trained = sum(p.numel() for p in subject.parameters() if p.requires_grad)
    fixed = sum(p.numel() for p in (*subject.parameters(), *subject.buffers())) - trained
    positions = any(name.endswith("embedding.code") for name, _ in subject.named_buffers())
    yield f"parameters: {trained:,} trained, {fixed:,} fixed{', the sinusoids' * positions}"
    means = trained if run.train.average else 0
    floats = trained * _ADAM + means + fixed + run.train.batch * _TOKENS * _activations(subject)
    yield f"memory: about {4 * floats / _MEGA:,.1f} MB a process"
    kept = 3 * trained + 2 * means + fixed
    yield f"checkpoints: about {4 * kept / _MEGA:,.1f} MB each in {run.out}"


def _several(modules: Sequence[str]) -> str:
    return ", ".join(modules) if len(modules) <= NAMED else f"{len(modules)} modules"


def _much(run: Run) -> str:
    """How long a run is, and what a step of one process has."""
    train = run.train
    parts = f", in {train.accumulate} batches of {train.batch}" if train.accumulate > 1 else ""
    a_step = f"{train.batch * train.accumulate:,} questions{parts}"
    if train.epochs:
        epochs = "1 epoch" if train.epochs == 1 else f"{plain(train.epochs)} epochs"
        return f"{epochs} by steps of {a_step}"
    return f"{train.steps:,} steps of {a_step}"


def _written(subject: Hybrid, run: Run) -> Iterator[str]:
    model = subject.module
    weights = model.network.weights
    marks = [mark for each in weights.maps.values() for mark in each.marked.values()]
    begun, learned, chosen = (marks.count(mark) for mark in ("~", "?", "one of"))
    yield f"program: {model.layout.name}, {_CONTROLS[run.control]}"
    yield (
        f"written entries: {weights.count - len(marks):,} fixed, {begun:,} initialised (~),"
        f" {learned:,} learned (?)" + (f", {chosen:,} to be chosen from (one of)" if chosen else "")
    )
    if model.layout.learn is not None:
        learn = model.layout.learn
        reads = ", ".join(learn.reads[:8]) + (" ..." if len(learn.reads) > 8 else "")
        read = f"{len(learn.reads)}: {reads}" if learn.reads else "no others"
        yield f"learned semes: {learn.semes}; learned parts read {read}"
    if run.control == "random":
        check_random(model)


def _activations(subject: Hybrid | object) -> int:
    """Numbers kept a token for the backward pass: what every map and every gate gives, about."""
    from progtf.nn import Affine  # noqa: PLC0415

    parts = list(subject.modules())  # type: ignore[attr-defined]
    maps = sum(sum(part.weight.shape) for part in parts if isinstance(part, Affine))
    cells = [part for part in parts if isinstance(part, nn.RNNBase)]
    return maps + sum(cell.num_layers * 5 * cell.hidden_size for cell in cells)
