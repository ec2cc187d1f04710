"""bf16 training throughput at the published size on a GPU: ``python -m benchmarks.gpu_step``.

Prints the measured ceiling of bf16 matrix multiplication, tokens a second and the share of the
ceiling by batch size, with and without ``torch.compile``, which attention kernel serves, and how
many days 1.7 M steps of 1024 questions would take; the paper took 25 on four V100.
"""

import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.reference import ragged, train_step
from progtf.nn import PUBLISHED_RECIPE, TPTransformer

SOURCE, TARGET = 60, 16
BATCHES = (64, 128, 256, 512, 1024, 2048)
PAPER_STEPS, PAPER_BATCH, PAPER_DAYS = 1_700_000, 1024, 25


def seconds_each(run, rounds=20, warm_up=5):
    """Wall seconds of one run, the queue drained on both sides."""
    for _ in range(warm_up):
        run()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(rounds):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / rounds


def ceiling(size=8192):
    """Floating-point operations a second of one large bf16 product."""
    left, right = torch.randn(2, size, size, device="cuda", dtype=torch.bfloat16)
    return 2 * size**3 / seconds_each(lambda: left @ right)


def operations(model, source_length, target_length):
    """Of one question's step: 6 a weight and position read, and 12 d_model a score and head set."""
    weights = {
        side: sum(p.numel() for p in getattr(model, side).parameters() if p.dim() > 1)
        for side in ("encoder", "decoder")
    }
    shape = model.shape
    cross_sources = sum(
        group.src.weight.numel() for block in model.decoder for group in block.cross.layer
    )
    read = 6 * (
        weights["encoder"] * source_length
        + (weights["decoder"] - cross_sources) * target_length
        + cross_sources * source_length
        + shape.n_symbols * shape.d_model * target_length
    )
    scores = shape.n_encoder * source_length**2 + shape.n_decoder * (
        target_length**2 / 2 + target_length * source_length
    )
    return read + 12 * shape.d_model * scores


def kernels(model, title, source, target):
    """Which attention kernels can serve the whole model, each tried alone."""
    for backend in (
        SDPBackend.FLASH_ATTENTION,
        SDPBackend.EFFICIENT_ATTENTION,
        SDPBackend.CUDNN_ATTENTION,
    ):
        try:
            with sdpa_kernel(backend), autocast():
                model(source, target)
            verdict = "serves the whole model"
        except RuntimeError as error:
            verdict = f"refused: {str(error).splitlines()[0]}"
        print(f"  {title}, {backend.name}: {verdict}")


def autocast():
    return torch.autocast("cuda", dtype=torch.bfloat16)


def throughput(model, batch, limit):
    """Prints one row: questions and tokens a second, share of the ceiling, peak memory."""
    source, target = ragged(batch, SOURCE).cuda(), ragged(batch, TARGET, seed=1).cuda()
    optimiser = PUBLISHED_RECIPE.optimiser(model)

    def step():
        train_step(model, optimiser, source, target, autocast())

    torch.cuda.reset_peak_memory_stats()
    seconds = seconds_each(step)
    share = batch * operations(model, SOURCE, TARGET - 1) / seconds / limit
    tokens = batch * (SOURCE + TARGET - 1) / seconds
    peak = torch.cuda.max_memory_allocated() / 2**30
    days = PAPER_STEPS * PAPER_BATCH / (batch / seconds) / 86_400
    print(
        f"  batch {batch:5} {seconds * 1e3:8.1f} ms {batch / seconds:9.0f} questions/s"
        f" {tokens:11.0f} tokens/s {share:6.1%} of the ceiling {peak:6.1f} GiB {days:6.2f} days",
        flush=True,
    )


def main() -> None:
    if not torch.cuda.is_available():
        print("no GPU here: nothing was measured")
        return
    torch.manual_seed(0)
    limit = ceiling()
    print(f"{torch.cuda.get_device_name()}: bf16 ceiling {limit / 1e12:.0f} TFLOP/s")
    print(f"days are for {PAPER_STEPS:,} steps of {PAPER_BATCH}; the paper: {PAPER_DAYS} on 4 V100")
    model = TPTransformer.published().cuda()
    target = ragged(64, TARGET, seed=1).cuda()
    kernels(model, "padded", ragged(64, SOURCE).cuda(), target)
    kernels(model, "of one length", ragged(64, SOURCE).clamp(min=4).cuda(), target)
    for title, runner in (("eager", model), ("torch.compile", torch.compile(model))):
        print(title)
        for batch in BATCHES:
            throughput(runner, batch, limit)


if __name__ == "__main__":
    main()
