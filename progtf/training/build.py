"""From a run's settings to what is trained: program, control, marks, modes."""

from dataclasses import dataclass, replace
from pathlib import Path

from progtf.building.load import load
from progtf.network.free import draw_marked
from progtf.network.model import Model
from progtf.program.forms import Form, Space
from progtf.program.model import Program
from progtf.training import config
from progtf.training.bounds import Bounds
from progtf.training.choices import Choices
from progtf.training.initialise import initialise_learned
from progtf.training.labels import subject_of
from progtf.training.networks import build_network, check_sizes, load_network
from progtf.training.questions import alphabet_of
from progtf.training.reading import SpanSubject
from progtf.training.sizes import check_batch, check_numbers
from progtf.training.subject import Hybrid, Learned, Subject
from progtf.training.swaps import Interchanged
from progtf.training.written_words import WrittenWords
from progtf.weights.lower import lower
from progtf.weights.maps import Path as LayerPath
from progtf.weights.marking import FreeGroup, group_of_mode, marked_group, with_groups
from progtf.weights.weights import Weights


def learned_subject(wanted: config.Model, run: config.Run) -> Learned:
    """A network that is learned as a whole, with its first weights.

    Raises:
        RunError: if its sizes do not fit each other.
    """
    alphabet = alphabet_of(run.data)
    if wanted.kind == "reader" and run.train.smoothing:
        raise config.RunError("`train.smoothing` means nothing to a `reader`, which writes nothing")
    if run.control == "off":
        reading = wanted.reading.model_copy(update={"written": []})
        wanted = wanted.model_copy(update={"reads": None, "reading": reading})
    start, wanted = wanted.start, wanted.model_copy(update={"start": None})
    try:
        check_sizes(wanted, alphabet)
        given = build_network(wanted, run.seed, alphabet), wanted, alphabet
        if run.train.interchange:
            learned = Interchanged(*given, run.train)
        else:
            learned = SpanSubject(*given) if wanted.kind == "reader" else Learned(*given)
    except ValueError as error:
        raise config.RunError(f"`[model]`: {error}") from None
    _begin_at(learned, start)
    learned.smoothing = run.train.smoothing
    if run.control == "random":
        for part in learned.modules():
            if isinstance(part, WrittenWords):
                part.shuffle(run.seed)
    return learned


def _begin_at(learned: Learned, start: Path | None) -> None:
    """Gives a network the weights in a checkpoint, if one is named.

    Raises:
        RunError: if it is none, or of a network of other sizes, or of another alphabet.
    """
    if start is None:
        return
    given, alphabet, _ = load_network(start)
    weights, due = given.state_dict(), learned.module.state_dict()
    alike = tuple(alphabet.units) == tuple(learned.vocabulary.units)
    if not alike or type(given) is not type(learned.module):
        what = "kind" if alike else "alphabet"
        raise config.RunError(f"`model.start`: {start} is of another {what} than this run")
    for name in sorted(weights.keys() | due.keys()):
        sizes = [list(each[name].shape) if name in each else "no" for each in (weights, due)]
        if sizes[0] != sizes[1]:
            raise config.RunError(
                f"`model.start`: {start} has {sizes[0]} numbers of `{name}`, this run {sizes[1]}"
            )
    learned.module.load_state_dict(weights)


def weights_of(run: config.Run) -> Weights:
    """The weights of a run's program, as they are written.

    Raises:
        RunError: if nothing of it would be trained.
    """
    assert run.program is not None
    program = load(run.program, run.learn, run.lexicon)
    _check_learned(program)
    if program.again:
        raise config.RunError(
            f"{run.program}: `again:` asks the network several times for one answer, and training"
            " has no loss for that; train a program without it"
        )
    weights = lower(program)
    trained = any(w.mode in ("values", "all") for w in run.written) or run.control == "trainable"
    if not weights.hybrid and not trained:
        raise config.RunError(
            f"{run.program}: nothing is left to training: add a `learn:` block, marks or a mode"
        )
    return lower(scratch(program)) if run.control == "off" else weights


def hybrid_of(weights: Weights, plan: "Plan", run: config.Run) -> Hybrid:
    """What is trained: what is learned gets its first weights, unless it has some already.

    Raises:
        RunError: if the program does not answer questions.
    """
    model = Model(with_groups(weights, plan.groups))
    if not weights.learned:
        initialise_learned(model.network, run.seed)
    draw_marked(model.network.held, run.seed)
    model.network.let_gradients_pass(passing=plan.soft)
    hybrid = subject_of(model, weights, run.data)
    hybrid.score_scale = run.train.score_scale
    others = sum(model.network.get_parameter(name).numel() for name in model.network.drawn)
    hybrid.choices = Choices.of(model.network.held, others, run.train.draws, run.train.temperature)
    if run.train.bounded and run.train.shard:
        raise config.RunError("`train.bounded` keeps words whole; `train.shard` divides them")
    if run.train.bounded:
        hybrid.bounds = Bounds.of(model.network.held, model.layout)
    return hybrid


def begun(run: config.Run) -> tuple["Plan", Subject]:
    """What is trained, as it is before any damage and any step; and what of its written part.

    Raises:
        RunError: if nothing of it would be trained, or its sizes do not fit each other.
    """
    _check_batch(run)
    if run.model is not None:
        return Plan(), learned_subject(run.model, run)
    weights = weights_of(run)
    plan = plan_of(weights, run)
    return plan, hybrid_of(weights, plan, run)


def _check_learned(program: Program) -> None:
    """Raises RunError if no memory holds the maps of the learned layers."""
    if (learn := program.learn) is None:
        return
    layers = [*learn.encoder.values(), *learn.decoder.values()]
    numbers = sum(learn.semes * (3 * learn.semes + 2 * each.filter) for each in layers)
    try:
        check_numbers(numbers)
    except ValueError as error:
        raise config.RunError(f"`learn:`: {error}") from None


def _check_batch(run: config.Run) -> None:
    """Raises RunError for a batch that no memory holds: each symbol has a vector in each layer."""
    train, model = run.train, run.model
    layers = 1 if model is None or model.kind == "reader" else model.layers
    vectors = 0 if model is None else layers * model.width
    try:
        check_batch(train.batch, _SYMBOLS * max(vectors, _ID))
    except ValueError as error:
        raise config.RunError(f"`train.batch`: {error}") from None
    try:
        check_batch(train.batch * train.accumulate, _SYMBOLS * _ID)
    except ValueError as error:
        raise config.RunError(f"`train.accumulate`: {error}") from None


_SYMBOLS = 2
"""Of a question and its answer, at the least."""
_ID = 2
"""A symbol's number takes as much as so many numbers of a vector."""


def scratch(program: Program) -> Program:
    """The same network without its written part: control ``off``."""
    if program.learn is None:
        raise config.RunError(
            "control `off`: the program has no `learn:` block, so that nothing would be left;"
            " describe a network to train from scratch by `[model]`"
        )
    encoder, decoder = (
        {number: sizes for number, (_, sizes) in enumerate(sorted(learned.items()), 1)}
        for learned in (program.learn.encoder, program.learn.decoder)
    )
    learn = replace(program.learn, reads=(), encoder=encoder, decoder=decoder)
    nothing = {token: {} for token in program.lexicon}
    outputs = {token: Form() for token in program.outputs}
    classify = program.classify and replace(
        program.classify, classes={label: Form() for label in program.classify.classes}
    )
    return replace(
        program, space=Space.of({}), semes=0, clocks=(), width=0, lexicon=nothing,
        unknown=None if program.unknown is None else {}, encoder=(), decoder=(), outputs=outputs,
        classify=classify, learn=learn, marks={}, examples=(),
    )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What of the written part is trained, and how fast."""

    groups: tuple[FreeGroup, ...] = ()
    soft: bool = False


def plan_of(weights: Weights, run: config.Run) -> Plan:
    """Marks and modes as entries: a mode is a mark on each entry of its layer."""
    groups = [marked_group(weights, run.train.learning_rate)] if weights.has_marks() else []
    rules = list(run.written)
    if run.control == "trainable":
        rules = [config.Written(mode="all", learning_rate=1e-4), *rules]
    for rule in rules:
        path = tuple(part.strip() for part in rule.layer.split("/")) if rule.layer else ()
        _check_path(weights, path, rule)
        if rule.mode in ("values", "all"):
            group = group_of_mode(weights, path, rule.mode, rule.learning_rate)
            if not group.count:
                raise config.RunError(
                    f"`{rule.layer}`: mode `{rule.mode}` finds no entry there to train"
                )
            groups.append(group)
    soft = any(rule.mode == "soft" for rule in rules)
    learn = weights.layout.learn
    return Plan(tuple(groups), soft or bool(groups) or (learn is not None and not learn.protect))


def _check_path(weights: Weights, path: LayerPath, rule: config.Written) -> None:
    if not path or weights.below(path):
        return
    paths = {known for known, _ in weights.maps}
    beside = {known[: len(path)] for known in paths if known[: len(path) - 1] == path[:-1]}
    there = ", ".join(sorted(" / ".join(p) for p in beside or {known[:2] for known in paths}))
    raise config.RunError(f"there is no written layer `{rule.layer}`; there are: {there}")
