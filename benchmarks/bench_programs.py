"""Programs: load, check and compile place_value; run a small example; import the package.

Each figure is a median; ratios are against `torch.nn.Transformer` of the smallest size that can be
made, run on the same tokens in the same process.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

import progtf

PLACE_VALUE = Path("examples/math/place_value.seme")
SMALL = Path("examples/article/attention_with_positions.seme")
IMPORT = "import time; t = time.perf_counter(); import progtf; print(time.perf_counter() - t)"


def median_ms(action: Callable[[], object], rounds: int) -> float:
    """The median wall time of an action in milliseconds."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def import_ms(rounds: int = 7) -> float:
    """The median time of `import progtf` in a new process, in milliseconds."""
    runs = [
        subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
        for _ in range(rounds)
    ]
    return 1000 * statistics.median(float(run.stdout) for run in runs)


def main() -> None:
    """Prints one line a figure."""
    text = PLACE_VALUE.read_text(encoding="utf-8")
    small = progtf.compile(progtf.load(SMALL))
    large = progtf.compile(progtf.load(PLACE_VALUE))
    encoder = nn.TransformerEncoderLayer(8, 1, 16, batch_first=True).eval()
    tokens = torch.zeros(1, 4, 8)
    with torch.no_grad():
        peer = median_ms(lambda: encoder(tokens), 200)
        words = median_ms(lambda: small.run("black dog white cat"), 200)
    question = "What is the ten billions digit of 123456789012?"
    whole = median_ms(lambda: progtf.compile(progtf.parse_program(text), "float32"), 9)
    print(f"import progtf                              {import_ms():8.1f} ms   (aim: under 300)")
    print(f"place_value: parse, check, compile         {whole:8.1f} ms   (aim: under 500)")
    print(f"run a small example, text to text          {words:8.2f} ms   (aim: under 3)")
    print(f"  of torch's TransformerEncoderLayer       {words / peer:8.2f} times its {peer:.2f} ms")
    one = median_ms(lambda: large.run(question), 50)
    print(f"run place_value on one question            {one:8.2f} ms")
    batch = [question] * 256
    seconds = median_ms(lambda: large.run(batch), 5) / 1000
    print(f"run place_value in batches                 {256 / seconds:8.0f} questions/s")


if __name__ == "__main__":
    main()
