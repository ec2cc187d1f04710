"""Written programs on a GPU: ``python -m benchmarks.gpu_answers``, or with names of some of them.

Every math program answers kept questions on a processor and on the GPU, there also where the
process allows coarser products (TF32, bfloat16), and must answer the same; then how many a second.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from statistics import median

import torch

from benchmarks.bench_answers import BATCH, LATER, MODULES, asked, compiled
from progtf.network.model import Model

ROUNDS = 5
WIDE = 1024
"""Questions of the larger batch."""


@contextmanager
def coarse() -> Iterator[None]:
    """TF32 products and bfloat16 around everything: what a training script may have set."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def said(
    model: Model, texts: list[str], around: AbstractContextManager[None]
) -> list[tuple[str, float]]:
    """The answers, each with the gap between the best score and the second."""
    with around:
        return [(answer.text, answer.gap or 0.0) for answer in model.answers(texts)]


def apart(answers: list[tuple[str, float]], due: list[tuple[str, float]]) -> str:
    """Whether they are the same, and how far gaps are from those that are due."""
    if [text for text, _ in answers] != [text for text, _ in due]:
        return "OTHER"
    most = max(abs(gap - other) for (_, gap), (_, other) in zip(answers, due, strict=True))
    return f"same, gaps within {most:.0e}"


def rate(model: Model, texts: list[str]) -> float:
    """Questions a second, the median of some rounds; answers come as text, so all is waited for."""
    took = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        model.answers(texts)
        took.append(time.perf_counter() - start)
    return len(texts) / median(took[1:])


def row(name: str, module: str) -> bool:
    """Prints what one program does; whether all ways gave the same answers."""
    texts = asked(module)
    here, there = compiled(f"math/{name}"), compiled(f"math/{name}").to("cuda")
    due = said(here, texts, nullcontext())
    verdicts = [apart(said(there, texts, around), due) for around in (nullcontext(), coarse())]
    there.batch_size = WIDE
    rates = rate(here, texts), rate(there, texts), rate(there, texts * (WIDE // BATCH))
    speeds = " ".join(f"{each:8.0f}" for each in rates)
    print(f"  {name:22} {len({*texts}):4}: {'; '.join(verdicts)}; a second {speeds}", flush=True)
    return "OTHER" not in verdicts


def main() -> None:
    known = MODULES | LATER
    chosen = sys.argv[1:] or [*known]
    if unknown := [name for name in chosen if name not in known]:
        sys.exit(f"no program is called {', '.join(unknown)}; there are {', '.join(known)}")
    if not torch.cuda.is_available():
        print("no GPU here: nothing was measured")
        return
    print(
        f"{torch.cuda.get_device_name()}; the same on the GPU? and with TF32 and bfloat16 around?"
    )
    print(f"a second: on the processor and on the GPU in batches of {BATCH}, there of {WIDE}")
    same = [row(name, known[name]) for name in chosen]
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
