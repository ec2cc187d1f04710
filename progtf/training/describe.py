"""What a run would train, before it does: sizes, what is fixed, memory."""

from collections.abc import Iterator

from progtf.numbers import plain
from progtf.training.build import begun
from progtf.training.config import Run
from progtf.training.questions import chosen, settled
from progtf.training.seme_cache import check_random
from progtf.training.subject import Hybrid

_MEGA = 1e6
_ADAM = 4  # weight, gradient and two moments
_TOKENS = 80  # of a question and its answer, about


_CONTROLS = {
    "": "with its written part",
    "off": "without its written part",
    "random": "with random features in place of its written part",
    "trainable": "with its written part, which is trained as well",
}


def describe(run: Run) -> str:
    """Sizes, what is fixed, initialised and learned, and the memory that training will need."""
    return "\n".join(_lines(run))


def _lines(run: Run) -> Iterator[str]:
    run = settled(run)
    modules = chosen(run.data)
    _, subject = begun(run)
    much = f"{plain(run.train.epochs)} epochs" if run.train.epochs else f"{run.train.steps} steps"
    yield f"{run.name}: {', '.join(modules)}, {much} of {run.train.batch}"
    if isinstance(subject, Hybrid):
        yield from _written(subject, run)
    trained = sum(p.numel() for p in subject.parameters() if p.requires_grad)
    fixed = sum(p.numel() for p in (*subject.parameters(), *subject.buffers())) - trained
    yield f"parameters: {trained:,} trained, {fixed:,} fixed"
    means = trained if run.train.average else 0
    floats = trained * _ADAM + means + fixed + run.train.batch * _TOKENS * _activations(subject)
    yield f"memory: about {4 * floats / _MEGA:,.1f} MB a process"
    kept = 3 * trained + 2 * means + fixed
    yield f"checkpoints: about {4 * kept / _MEGA:,.1f} MB each in {run.out}"


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
    """Numbers kept a token for the backward pass: what every map gives, about."""
    from progtf.nn import Affine  # noqa: PLC0415

    return sum(
        part.weight.shape[1] + part.weight.shape[0]
        for part in subject.modules()  # type: ignore[attr-defined]
        if isinstance(part, Affine)
    )
