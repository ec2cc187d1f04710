"""Networks whose edges are known: programs, hybrids, and programs with noise around them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import torch

import progtf
from benchmarks.circuits.trained import trained
from progtf.network.model import Model
from progtf.weights.maps import Map
from progtf.weights.weights import EXACT, Weights

PROGRAMS = (
    "grammar/agreement",
    "algorithms/reverse",
    "algorithms/sort",
    "language/grammaticality",
    "math/place_value",
    "math/add_or_sub",
)
NOISY = ("algorithms/reverse", "algorithms/sort", "math/place_value")
NOISE = (1e-5, 1e-4)
LEARN = """
semes: 32
reads: digit val place
protect: no
encoder: layers 2..6 heads 2 filter 32
decoder: layers 1..2 heads 2 filter 32
"""
SPREADS = (0.02, 0.05)
"""Of learned numbers beside a written core."""
TEXTS = 24
EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Case:
    """A network, its texts, and the weights that are written.

    Attributes:
        said: what the program answers.
        right: the share of texts that it answers as the program does, None where that is certain.
    """

    name: str
    model: Model
    written: Weights
    texts: list[str]
    said: list[str]
    right: float | None = None


def cases(wanted: Sequence[str] = ()) -> Iterator[Case]:
    """Those whose name has one of these words in it; all of them, if there are none."""
    made: dict[str, Callable[[], Case]] = {}
    for name in PROGRAMS:
        made[Path(name).name] = partial(_program, name)
    for name, size in product(NOISY, NOISE):
        made[f"{Path(name).name}, noise {size:.0e}"] = partial(_noisy, name, size)
    made["add_or_sub, hybrid"] = _hybrid
    made["say_digit, hybrid trained"] = _trained
    for spread in SPREADS:
        made[f"place_value, learned parts {spread:g}"] = partial(_beside, spread)
    for name, make in made.items():
        if not wanted or any(word in name for word in wanted):
            yield make()


def _program(name: str) -> Case:
    program = progtf.load(EXAMPLES / f"{name}.seme")
    weights = progtf.lower(program, "float64")
    texts = [each.input for each in program.examples][:TEXTS]
    model = Model(weights)
    said = [answer.text for answer in model.answers(texts)]
    return Case(Path(name).name, model, weights, texts, said)


def _noisy(name: str, size: float) -> Case:
    """A program with normal noise in every cell of the maps of heads and rules, written or not."""
    case, draw = _program(name), np.random.default_rng(1)
    maps = [
        _disturbed(each, size, draw)
        for (path, field), each in case.written.maps.items()
        if path[0] in ("encoder", "decoder") and field != EXACT
    ]
    model = Model(case.written.with_maps(maps))
    return _as_answered(case, f"{case.name}, noise {size:.0e}", model, case.written)


def _disturbed(each: Map, size: float, draw: np.random.Generator) -> Map:
    places = zip(each.rows.tolist(), each.columns.tolist(), strict=True)
    known = dict(zip(places, each.numbers.tolist(), strict=True))
    cells = [(r, c) for r in range(len(each.sources)) for c in range(len(each.targets))]
    noise = dict(zip(cells, draw.normal(scale=size, size=len(cells)).tolist(), strict=True))
    return each.with_places({place: known.get(place, 0.0) + more for place, more in noise.items()})


def _hybrid() -> Case:
    """What makes a carry is left to training: as it begins, each of these entries is a half."""
    plain = _program("math/add_or_sub")
    weights = progtf.lower(progtf.load(EXAMPLES / "hybrid" / "add_or_sub.seme"), "float64")
    return _as_answered(plain, "add_or_sub, hybrid", Model(weights), weights)


def _trained() -> Case:
    """What a digit is called is left to training, and learned."""
    plain, (model, _) = _program("math/place_value"), trained()
    weights = model.weights
    as_wide = Model(Weights.of(weights.layout, "float64", weights.maps.values()))
    return _as_answered(plain, "say_digit, hybrid trained", as_wide, as_wide.weights)


def _beside(spread: float) -> Case:
    """Learned heads and units beside written ones, at random: they read and write all semes."""
    plain = _program("math/place_value")
    program = progtf.load(EXAMPLES / "math" / "place_value.seme", LEARN)
    weights = progtf.lower(program, "float64")
    model = Model(weights)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name in model.network.drawn:
            tensor = model.network.get_parameter(name)
            drawn = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
            tensor.copy_(spread * drawn + (1.0 if name.endswith("norm.weight") else 0.0))
    return _as_answered(plain, f"place_value, learned parts {spread:g}", model, weights)


def _as_answered(plain: Case, name: str, model: Model, written: Weights) -> Case:
    """A network held against the answers of a program."""
    answers = [str(getattr(each, "text", each)) for each in model.try_answers(plain.texts)]
    same = np.mean([one == other for one, other in zip(answers, plain.said, strict=True)])
    return replace(plain, name=name, model=model, written=written, right=float(same))
