"""From a run's settings to what is trained: program, control, marks, modes."""

from dataclasses import dataclass, replace

from torch import nn

from progtf.compiler.compile import compile as compile_program
from progtf.compiler.free import (
    FreeGroup,
    entries_of_mode,
    free_entries,
    let_gradients_pass,
)
from progtf.compiler.model import Model
from progtf.program.forms import Form, Space
from progtf.program.load import load_with
from progtf.program.model import Program
from progtf.training import config
from progtf.training.initialise import initialise_learned
from progtf.training.networks import build_network
from progtf.training.subject import Hybrid, Learned, Subject


def build_subject(run: config.Run) -> Subject:
    """The model of a run with its first weights.

    Raises:
        RunError: if nothing of it would be trained, or its sizes do not fit each other.
    """
    if run.model is not None:
        try:
            return Learned(build_network(run.model, run.seed), run.model)
        except ValueError as error:
            raise config.RunError(f"`[model]`: {error}") from None
    assert run.program is not None
    program = load_with(run.program, run.learn)
    if program.learn is None and not _anything_trained(program, run):
        raise config.RunError(
            f"{run.program}: nothing is left to training: add a `learn:` block, marks or a mode"
        )
    model = compile_program(scratch(program) if run.control == "off" else program)
    initialise_learned(model, run.seed)
    hybrid = Hybrid(model)
    hybrid.check_kind()
    return hybrid


def _anything_trained(program: Program, run: config.Run) -> bool:
    trained = any(w.mode in ("values", "all") for w in run.written) or run.control == "trainable"
    return trained or bool(compile_program(program).layout.marks)


def scratch(program: Program) -> Program:
    """The same network without its written part: control ``off``."""
    if program.learn is None:
        raise config.RunError(
            "control `off`: the program has no `learn:` block, so that nothing would be left;"
            " describe a network to train from scratch by `[model]`"
        )
    before = {"encoder": len(program.encoder), "decoder": len(program.decoder)}
    encoder, decoder = (
        {
            number: sizes
            for number, (_, sizes) in enumerate(sorted(getattr(program.learn, stack).items()), 1)
        }
        for stack in before
    )
    learn = replace(program.learn, reads=(), encoder=encoder, decoder=decoder)
    nothing = {token: {} for token in program.lexicon}
    outputs = {token: Form() for token in program.outputs}
    return replace(
        program, space=Space.of({}), semes=0, clocks=(), width=0, lexicon=nothing,
        unknown=None if program.unknown is None else {}, encoder=(), decoder=(), outputs=outputs,
        learn=learn, marks={}, examples=(),
    )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What of the written part is trained, and how fast."""

    groups: tuple[FreeGroup, ...]
    soft: bool


def plan_of(model: Model, run: config.Run) -> Plan:
    """Marks and modes as entries: a mode is a mark on each entry of its layer."""
    groups: list[FreeGroup] = []
    if model.layout.marks:
        groups.append(FreeGroup((), model.layout.marks, run.train.learning_rate))
    rules = list(run.written)
    if run.control == "trainable":
        rules = [config.Written(mode="all", learning_rate=1e-4), *rules]
    for rule in rules:
        path = tuple(part.strip() for part in rule.layer.split("/")) if rule.layer else ()
        _check_path(model, path, rule)
        if rule.mode in ("values", "all"):
            marks = tuple(entries_of_mode(model, path, rule.mode))
            if not marks:
                raise config.RunError(
                    f"`{rule.layer}`: mode `{rule.mode}` finds no entry there to train"
                )
            groups.append(FreeGroup(path, marks, rule.learning_rate))
    soft = any(rule.mode == "soft" for rule in rules)
    learn = model.layout.learn
    return Plan(tuple(groups), soft or bool(groups) or (learn is not None and not learn.protect))


def _check_path(model: Model, path: tuple[str, ...], rule: config.Written) -> None:
    from progtf.compiler.entries import tables  # noqa: PLC0415

    paths = {table.path for table in tables(model)}
    if not path or any(known[: len(path)] == path for known in paths):
        return
    beside = {known[: len(path)] for known in paths if known[: len(path) - 1] == path[:-1]}
    there = ", ".join(sorted(" / ".join(p) for p in beside or {known[:2] for known in paths}))
    raise config.RunError(f"there is no written layer `{rule.layer}`; there are: {there}")


def apply_plan(model: Model, plan: Plan, seed: int) -> list[tuple[nn.Parameter, float]]:
    """Fixes what is fixed; what is free becomes parameters, which are returned with their rates."""
    let_gradients_pass(model, passing=plan.soft)
    return free_entries(model, plan.groups, seed)
