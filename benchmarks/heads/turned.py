"""Programs whose residual was turned: their heads in semes, and probes of their semes."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import progtf
from benchmarks.decompiled import CASES, ROOT
from benchmarks.heads.learned import entries, row_of_probes
from progtf.analysis.heads import OUT, Seen, Sides, basis, decompiled, share
from progtf.data.problem import Problem
from progtf.network.model import Model
from progtf.network.names import layers
from progtf.training.states import semes_of
from progtf.weights.maps import Path as Where
from progtf.weights.turned import head as head_of
from progtf.weights.turned import turned as turned_head
from progtf.weights.turned import with_head

Array = NDArray[np.float64]
TURNED = ("algorithms/reverse", "algorithms/sort")
LEAST = 1e-8
"""Of the variance of a seme that others do not tell, where residuals are known to the last bit."""


def turned() -> Iterator[dict[str, Any]]:
    """Every head of a compiled program, in semes found in its residual when that was turned."""
    for name in TURNED:
        model = progtf.compile(progtf.load(ROOT / "examples" / f"{name}.seme"), "float64")
        texts = list(CASES[name]())
        state = _states(model, texts[::2])
        for layer in layers(model.layout):
            for path in dict.fromkeys(path for path, field in model.weights.maps if field == OUT):
                if layer.name.endswith(path[1].partition(" ")[2]) and layer.blocks:
                    head = path, layer.blocks[-1]
                    yield {"network": name, **_comes_back(model, state, texts, *head)}


def _states(model: Model, texts: Sequence[str]) -> tuple[NDArray[np.int64], Array]:
    """The residual at all points, text by text: whose, and the semes."""
    points = [name for name in model.hooks() if ".hook_resid_" in name]
    _, cache = model.run_with_cache(list(texts), points)
    rows = np.concatenate([cache[point].numpy() for point in points], axis=1)
    return np.repeat(np.arange(len(texts)), rows.shape[1]), rows.reshape(-1, rows.shape[-1])


def _comes_back(
    model: Model, state: tuple[NDArray[np.int64], Array], texts: list[str], path: Where, block: str
) -> dict[str, Any]:
    question, semes = state
    width, kept = semes.shape[1], basis(semes, LEAST)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(width, width)))[0]
    maps = head_of(model.weights, path)
    names = tuple(model.layout.columns[n] for n in kept)
    rows = Seen(semes @ turn, semes[:, kept], question, names)
    point = (
        f"{block}.attn.hook_bound",
        model.hooks()[f"{block}.attn.hook_bound"].heads.index(path[2].removeprefix("head ")),
    )
    bound = _bound(model, texts[::2], *point)[:, : len(maps[OUT][0])]
    told = decompiled(turned_head(maps, turn), Sides.of(rows, rows), bound)
    back = turned_head(told.back, turn.T)
    silent = {OUT: (0 * maps[OUT][0], told.mean @ turn.T)}
    forms = {
        form: Model(with_head(model.weights, path, each))
        for form, each in {"whole": back, "ablated": silent}.items()
    }
    due, found = (
        _bound(one, texts[1::2], *point)[:, : len(weight)] @ weight + bias
        for one, (weight, bias) in ((model, maps[OUT]), (forms["whole"], back[OUT]))
    )
    answers = model.run(texts[1::2])
    right = {form: np.mean([a == b for a, b in zip(one.run(texts[1::2]), answers, strict=True)])
             for form, one in forms.items()}  # fmt: skip
    return {
        "head": " / ".join(path),
        "entries": entries(told),
        "written": int(sum(np.count_nonzero(weight) for weight, _ in maps.values())),
        "explained": round(share(due, found), 6),
        "right": {form: float(score) for form, score in right.items()},
    }


def _bound(model: Model, texts: list[str], point: str, head: int) -> Array:
    _, cache = model.run_with_cache(texts, point)
    return cache[point][:, :, head].flatten(0, 1).double().numpy()


def turned_probes() -> Iterator[dict[str, Any]]:
    """Probes of a residual that has all semes and no names."""
    program = progtf.compile(progtf.load(ROOT / "examples" / "algorithms" / "reverse.seme"))
    problems = [Problem(text, "") for text in CASES["algorithms/reverse"]() if text]
    semes = semes_of(program, problems)[2][:, : len(program.semes)]
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(semes.shape[1],) * 2))[0]
    name = {"network": "reverse, compiled and turned"}
    yield {**name, **row_of_probes(semes @ turn, program, problems, ())}
