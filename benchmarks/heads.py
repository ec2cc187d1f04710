"""Learned heads in semes, probes and swaps beside controls: ``python -m benchmarks.heads FOLDER``.

FOLDER is that of `benchmarks.interchange`, whose networks of seed 1 are read. The same is done
with compiled programs whose residual was turned, of which all must come back. What was found is
written to ``docs/experiments/heads.json``.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import progtf
from benchmarks.decompiled import CASES, ROOT
from progtf.analysis.heads import OUT, Decompiled, Seen, basis, decompiled, share
from progtf.analysis.probes import probed
from progtf.data.problem import Problem
from progtf.network.interchange import Subspace
from progtf.network.model import Model
from progtf.network.names import layers
from progtf.training.checkpoint import checkpoints
from progtf.training.config import Model as Settings
from progtf.training.heads import decompile_head, seen, semes_of
from progtf.training.networks import LearnedModel
from progtf.training.subject import Learned, as_batch
from progtf.weights.maps import Path as Where
from progtf.weights.turned import head as head_of
from progtf.weights.turned import turned as turned_head
from progtf.weights.turned import with_head

Array = NDArray[np.float64]
FOUND = ROOT / "docs" / "experiments" / "heads.json"
TURNED = ("algorithms/reverse", "algorithms/sort")
NETWORKS = {"answers alone": "plain-1", "trained to have `asked`": "siit-1"}
FITTED, HELD_OUT, PAIRS = 200, 200, 100
BLOCKS, HEADS = 2, 4
SHOWN = ("digit", "val", "place[0]", "place[1]", "place[2]", "place[3]", "rank", "asked", "hit")
LEAST = 1e-8
"""Of the variance of a seme that others do not tell, where residuals are known to the last bit."""


def main() -> None:
    """Measures all that is named (turned, heads, probes, swaps), or everything."""
    torch.set_num_threads(1)
    folder, found = Path(sys.argv[1]), json.loads(FOUND.read_text()) if FOUND.exists() else {}
    for name in sys.argv[2:] or PARTS:
        found[name] = []
        for row in PARTS[name](folder):
            print(json.dumps(row), flush=True)
            found[name].append(row)
        FOUND.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _learned(folder: Path) -> Iterator[tuple[str, LearnedModel, list[str], list[str]]]:
    """Networks that answer, with questions that they have not seen, and their answers."""
    lines = (folder / "data" / "extrapolate.tsv").read_text().splitlines()
    pairs = [line.split("\t") for line in lines]
    for name, run in NETWORKS.items():
        model = LearnedModel.load(checkpoints(folder / run / "checkpoints")[-1])
        yield name, model, [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _program() -> Model:
    return progtf.compile(progtf.load(ROOT / "examples" / "math" / "place_value.seme"))


# ---------------------------------------------------------------- programs that were turned


def turned(folder: Path) -> Iterator[dict[str, Any]]:
    """Every head of a compiled program, in semes found in its residual when that was turned."""
    del folder
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
    rows = Seen(semes @ turn, semes[:, kept], question)
    point = (
        f"{block}.attn.hook_bound",
        model.hooks()[f"{block}.attn.hook_bound"].heads.index(path[2].removeprefix("head ")),
    )
    bound = _bound(model, texts[::2], *point)[:, : len(maps[OUT][0])]
    names = [model.layout.columns[n] for n in kept]
    told = decompiled(turned_head(maps, turn), rows, rows, bound, names)
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
        "entries": _entries(told),
        "written": int(sum(np.count_nonzero(weight) for weight, _ in maps.values())),
        "explained": round(share(due, found), 6),
        "right": {form: float(score) for form, score in right.items()},
    }


def _entries(told: Decompiled) -> int:
    return int(sum(np.count_nonzero(each.sure) for each in told.maps.values()))


def _bound(model: Model, texts: list[str], point: str, head: int) -> Array:
    _, cache = model.run_with_cache(texts, point)
    return cache[point][:, :, head].flatten(0, 1).double().numpy()


# ---------------------------------------------------------------- learned networks


def heads(folder: Path) -> Iterator[dict[str, Any]]:
    """Every head of an encoder in semes: what is explained, and what is won back."""
    program = _program()
    for name, model, questions, answers in _learned(folder):
        fitted, held_out = questions[:FITTED], questions[FITTED : FITTED + HELD_OUT]
        problems = [Problem(*each) for each in zip(held_out, answers[FITTED:], strict=False)]
        for block, head in product(range(BLOCKS), range(HEADS)):
            found = decompile_head(model, program, fitted, held_out, block, head)
            losses = {form: _loss(each, problems) for form, each in found.networks.items()}
            yield {
                "network": name, "head": f"layer {block} head {head}",
                "semes": len(found.told.names), "entries": _entries(found.told),
                "explained": {form: round(each, 3) for form, each in found.explained.items()},
                "loss": {form: round(each, 5) for form, each in losses.items()},
                "recovered": {form: round(found.recovered(losses, form), 3)
                              for form in found.explained},
            }  # fmt: skip


@torch.no_grad()
def _loss(model: LearnedModel, problems: list[Problem]) -> float:
    batch = as_batch(problems, torch.device("cpu"), model.vocabulary)
    network: Any = model.network
    return Learned(network, Settings(kind="tp"), model.vocabulary).loss(*batch).item()


def probes(folder: Path) -> Iterator[dict[str, Any]]:
    """Semes told of residuals by ridge, beside values drawn for characters."""
    reverse = progtf.compile(progtf.load(ROOT / "examples" / "algorithms" / "reverse.seme"))
    texts = [text for text in CASES["algorithms/reverse"]() if text]
    semes = semes_of(reverse, texts)[2][:, : len(reverse.semes)]
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(semes.shape[1],) * 2))[0]
    yield _probes("reverse, compiled and turned", semes @ turn, reverse, texts)
    program = _program()
    for name, model, questions, _ in _learned(folder):
        some = questions[: FITTED + HELD_OUT]
        points = [f"encoder.blocks.{block}.hook_resid_post" for block in range(BLOCKS)]
        for block, (_, rows) in enumerate(seen(model, points, some)):
            yield _probes(f"{name}, layer {block}", rows, program, some)


def _probes(name: str, rows: Array, program: Model, texts: list[str]) -> dict[str, Any]:
    """The mean of all semes that vary, and some of them; fitted on the first half of texts."""
    number, names, semes = semes_of(program, texts)
    kinds = [one for text in texts for one in ("<bos>", *text, "<eos>")]
    count = len(program.semes)
    told = probed(rows, semes[:, :count], names[:count], kinds, number < len(texts) // 2)
    every = {each.seme: each for each in told if not np.isnan(each.control)}
    scores = np.array([[each.explained, each.control] for each in every.values()])
    return {
        "network": name, "counted": len(every), "mean": scores.mean(axis=0).round(3).tolist(),
        "least": round(float(scores[:, 0].min()), 3),
        "semes": {seme: [round(every[seme].explained, 3), round(every[seme].control, 3)]
                  for seme in SHOWN if seme in every},
    }  # fmt: skip


# ---------------------------------------------------------------- swaps of what probes find


def swaps(folder: Path) -> Iterator[dict[str, Any]]:
    """Interchange of subspaces where semes are found, in networks that may not know of them."""
    program = _program()
    meaning = progtf.load(ROOT / "examples" / "math" / "place_value.seme")
    for name, model, questions, _ in _learned(folder):
        some = zip(questions[FITTED::2], questions[FITTED + 1 :: 2], strict=False)
        bases, sources = zip(*[sorted(pair, key=len) for pair in [*some][:PAIRS]], strict=True)
        _, names, semes = semes_of(program, questions[:FITTED])
        for seme, block in product(("asked", "hit"), range(BLOCKS)):
            point = f"encoder.blocks.{block}.hook_resid_post"
            ((_, rows),) = seen(model, [point], questions[:FITTED])
            for way, directions in _ways(rows, semes[:, names.index(seme)]).items():
                place = Subspace(point, torch.from_numpy(directions))
                found = progtf.interchange(model, meaning, bases, sources, seme, subspace=place)
                yield {
                    "network": name, "seme": seme, "layer": block, "subspace": way,
                    "dimensions": directions.shape[1], "pairs": found.counted,
                    "agreement": round(found.agreement, 3), "random": round(found.control, 3),
                }  # fmt: skip


def _ways(rows: Array, values: Array) -> dict[str, Array]:
    """Orthonormal directions in which a seme is told, and in which residuals move with it."""
    classes = (values[:, None] == np.unique(values)).astype(float)
    centred, classes = rows - rows.mean(axis=0), classes - classes.mean(axis=0)
    across = centred.T @ centred
    ridge = 1e-4 * np.trace(across) / len(across) * np.eye(len(across))
    told = np.linalg.solve(across + ridge, centred.T @ classes)
    moved = centred.T @ classes
    count = classes.shape[1] - 1  # they add up to 0
    return {"probe": _span(told, count), "means": _span(moved, count)}


def _span(directions: Array, count: int) -> Array:
    return np.linalg.svd(directions, full_matrices=False)[0][:, :count]


PARTS = {"turned": turned, "heads": heads, "probes": probes, "swaps": swaps}

if __name__ == "__main__":
    main()
