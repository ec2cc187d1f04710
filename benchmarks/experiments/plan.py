"""What is compared with what: the arms of every experiment, and the runs that train them."""

import platform
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "runs"


@dataclass(frozen=True)
class Arm:
    """One way to train: its name, its file, and the settings that differ.

    ``of``: the experiment that has made this run already, if another one has.
    """

    name: str
    file: str
    settings: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True)
class Experiment:
    """What is compared: the scratch arm comes first, the hybrid second."""

    key: str
    module: str
    arms: tuple[Arm, ...]
    hardware: str = f"CPU, 1 thread, {platform.machine()}"


def arm(name: str, file: str, *settings: str) -> Arm:
    """An arm that is named as its control."""
    control = () if name == "hybrid" else (f'control="{name}"',)
    return Arm(name, file, (*control, *settings))


def damaged(share: float) -> Arm:
    """The written reader with a share of its entries dropped, repaired by training."""
    return _dropped("damaged", share, 'written=[{"mode":"all","learning_rate":0.001}]')


def slow(share: float) -> Arm:
    """The same, at a tenth of the rate, at which a written weight can hardly come back."""
    return _dropped("slow", share, 'control="trainable"')


def broken(share: float) -> Arm:
    """The same damage, left as it is: only what stands beside it is trained."""
    return _dropped("left", share)


def _dropped(name: str, share: float, *more: str) -> Arm:
    settings = (*more, f"damage.drop={share}", "train.steps=2000")
    return Arm(f"{name}-{round(100 * share)}", "place_value.toml", settings)


PLACE = (
    arm("off", "place_value.toml", "train.steps=4000"),
    arm("hybrid", "place_value.toml"),
    arm("random", "place_value.toml", "train.steps=1000"),
    arm("trainable", "place_value.toml", "train.steps=1600"),
)
DROPPED = (0.1, 0.3, 0.6)
ALL = (
    Experiment("a", "numbers__place_value", PLACE),
    Experiment("b", "numbers__round_number",
               (arm("off", "round_number.toml", "train.steps=4800"),
                arm("hybrid", "round_number.toml"))),
    Experiment("c", "arithmetic__add_or_sub",
               (Arm("off", "add_or_sub_scratch.toml"), Arm("hybrid", "add_or_sub.toml"))),
    Experiment("d", "comparison__pair",
               (arm("off", "pair.toml"), arm("hybrid", "pair.toml"))),
    Experiment("d-no-help", "numbers__is_prime",
               (arm("off", "is_prime.toml"), arm("hybrid", "is_prime.toml"))),
    Experiment("e", "numbers__place_value",
               (replace(PLACE[0], of="a"), *map(damaged, DROPPED), *map(slow, DROPPED),
                *map(broken, DROPPED))),
    Experiment("f", "numbers__place_value",
               tuple(replace(PLACE[number], of="a") for number in (0, 1, 3))),
    Experiment("g", "three modules of the report",
               (Arm("lstm", "cpu/report_lstm.toml"), Arm("tp", "cpu/report_tp.toml"),
                Arm("transformer", "cpu/report_transformer.toml"))),
)  # fmt: skip

GPU = tuple(
    Experiment(f"gpu-{key}", module, arms, "one GPU")
    for key, module, arms in (
        ("a", "numbers__place_value",
         (arm("off", "gpu/place_value.toml"), arm("hybrid", "gpu/place_value.toml"))),
        ("b", "numbers__round_number",
         (arm("off", "gpu/round_number.toml"), arm("hybrid", "gpu/round_number.toml"))),
        ("g", "three modules of the report",
         (Arm("lstm", "gpu/report_lstm.toml"), Arm("tp", "gpu/report_tp.toml"),
          Arm("transformer", "gpu/report_transformer.toml"))),
    )
)  # fmt: skip
"""Larger ones, which are trained when they are named."""
