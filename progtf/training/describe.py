"""What a run would train, before it does: sizes, what is fixed, how, on what, memory."""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any

from torch import nn

from progtf.data import SPECIALS, Vocabulary
from progtf.numbers import plain
from progtf.training.amounts import Amount, amounts_of
from progtf.training.beforehand import check_places, check_start
from progtf.training.build import begun
from progtf.training.config import Run
from progtf.training.meant import model_said
from progtf.training.questions import chosen, prepare, settled
from progtf.training.recipe import flat
from progtf.training.seme_cache import check_random
from progtf.training.sizes import ADAM
from progtf.training.subject import Hybrid, Learned

_MEGA = 1e6
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
    if run.data.pairs is not None:
        prepare(run.data)  # a network has symbols for the words of its own problems
    run = settled(run)
    modules = chosen(run.data)
    _, subject = begun(run)
    check_start(run, subject, ranks)
    yield f"{run.name}: {_several(modules)}, {_much(run)}"
    if isinstance(subject, Hybrid):
        yield from _written(subject, run)
    if isinstance(subject, Learned):
        yield from _network(subject, run)
    trained = sum(p.numel() for p in subject.parameters() if p.requires_grad)
    fixed = sum(p.numel() for p in (*subject.parameters(), *subject.buffers())) - trained
    positions = any(
        name.endswith(".code") and name.startswith("module.embedding")
        for name, _ in subject.named_buffers()
    )
    yield f"parameters: {trained:,} trained, {fixed:,} fixed{', the sinusoids' * positions}"
    yield from _steps(run)
    yield from _questions(run)
    means = trained if run.train.average else 0
    floats = trained * ADAM + means + fixed + run.train.batch * _TOKENS * _activations(subject)
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


def _network(subject: Learned, run: Run) -> Iterator[str]:
    """What a network of ``[model]`` is: all of its settings, its symbols, where it begins."""
    said = flat(model_said(subject.settings))
    own = [f"{key} {_value(value)}" for key, value in said.items() if _is_told(key, value)]
    yield f"network: {subject.settings.kind}, {', '.join(own)}"
    alphabet = subject.vocabulary
    kinds, named = "words", run.data.vocabulary
    special = list(SPECIALS)
    if isinstance(alphabet, Vocabulary):
        kinds = "characters, lower-cased" if alphabet.lower else "characters"
        special = special if alphabet.unknown else special[1:]
    count = len(alphabet.units)
    of = f" (`{named}`)" if named else ""
    yield f"symbols: {count + len(special)}{of}: {count} {kinds}, {', '.join(special)}"
    start = run.model.start if run.model is not None else None
    yield f"begins: {f'at {start}' if start else f'at weights that seed {run.seed} draws'}"


def _is_told(key: str, value: Any) -> bool:
    """Whether a setting says something of its own: of none and of 0 some are as others are."""
    as_others = key in ("embedding", "decoder_layers") and not value
    return key != "kind" and value is not None and value != [] and not as_others


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _steps(run: Run) -> Iterator[str]:
    """The optimiser and its numbers, and when is tested and kept."""
    train, asked = run.train, run.evaluate
    parts = [
        f"{train.optimiser}, learning rate {plain(train.learning_rate)}",
        "betas " + " and ".join(f"{plain(beta)}" for beta in train.betas),
        f"weight decay {plain(train.weight_decay)}",
        f"gradients clipped at {plain(train.clip)}" if train.clip else "gradients not clipped",
        f"{train.warmup:,} steps of warm-up" if train.warmup else "no warm-up",
        f"falling over the last {plain(100 * train.decay)} %" if train.decay else "then constant",
        train.precision,
    ]
    yield f"optimiser: {', '.join(parts)}"
    yield (
        f"tests: {asked.questions:,} questions of each split every {asked.every:,} steps,"
        f" {asked.final:,} at the end; a checkpoint every {run.checkpoints.every:,} steps"
    )


def _questions(run: Run) -> Iterator[str]:
    """How many questions there are, and how many steps epochs of them come to."""
    amounts = amounts_of(run.data)
    if not run.evaluate.extrapolate:
        amounts.pop("extrapolate", None)
    told = [f"{split} {_amount(each)}" for split, each in amounts.items() if each.rows]
    yield f"questions: {'; '.join(told)}"
    if run.train.epochs:
        train = amounts["train"]
        steps = ceil(run.train.epochs * train.rows / (run.train.batch * run.train.accumulate))
        yield f"epochs: {'' if train.exact else 'about '}{steps:,} steps of one process"


def _amount(amount: Amount) -> str:
    about = "" if amount.exact else "about "
    files = "1 file" if amount.files == 1 else f"{amount.files:,} files"
    return f"{about}{amount.rows:,}" + (f" of {files}" if amount.files else "")


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
