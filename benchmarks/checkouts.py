"""Two checkouts side by side, as before and after another form of the network.

    python -m benchmarks.checkouts --before PATH                   # against this checkout
    python -m benchmarks.checkouts --before PATH --after PATH --rounds 3 --only form step
    python -m benchmarks.checkouts --before PATH --only load calls examples edits edits_all

Every measurement is a process of its own in either checkout, turn by turn, with the same questions;
medians are printed. Seconds are CPU time on one thread and do not contain what Python takes to
import; those of commands are wall time and do. A peak is the most memory of the process so far.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

import torch

import progtf

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS, BATCH, SECONDS = 256, 128, 3  # SECONDS of answering at least
ALL = (
    "arithmetic__add_or_sub arithmetic__add_or_sub_in_base arithmetic__add_sub_multiple"
    " arithmetic__mul arithmetic__nearest_integer_root algebra__linear_1d"
    " algebra__sequence_next_term measurement__time numbers__place_value numbers__round_number"
    " probability__swr_p_level_set probability__swr_p_sequence"
)
LOADING = Path(__file__).with_name("bench_loading.py")
LOADS = ("load", "calls", "examples", "edits", "edits_all")
"""What that file measures of both checkouts; only where it is asked for."""
COMMANDS = {"help": ["--help"], "run": ["run", "examples/a_or_an.seme", "an apple"]}

Pairs = Sequence[Sequence[str]]  # questions and their answers
Values = dict[str, float]


def form(program: str, pairs: Pairs) -> Values:
    """From the text to answers and to a folder, and from there back."""
    progtf.compile(progtf.load("examples/a_or_an.seme"))  # imports what there is to import
    texts = [question for question, _ in pairs]
    values: Values = {}
    loaded = timed(values, "load, s", lambda: progtf.load(program))
    model = timed(values, "compile, s", lambda: progtf.compile(loaded, "float32"))
    timed(values, "first answer, s", lambda: model.answers(texts[:1]))
    values["peak, 1 question, MiB"] = peak()
    model.answers(texts[:BATCH])
    values[f"peak, {BATCH} questions at once, MiB"] = peak()
    with tempfile.TemporaryDirectory() as folder:
        progtf.save_model(model, folder)
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        values["folder, bytes"] = sum(file.stat().st_size for file in files)
        timed(values, "load_model, s", lambda: progtf.load_model(folder))
    return values


def step(program: str, pairs: Pairs) -> Values:
    """Training every weight there is."""
    model = progtf.compile(progtf.load(program))
    trained = [weight for weight in model.parameters() if weight.is_floating_point()]
    for weight in trained:
        weight.requires_grad_()
    return steps(model, trained, pairs[:16], 3)


def hybrid(program: str, pairs: Pairs) -> Values:
    """Training what is marked in the program."""
    from progtf.training import begin, trainable  # noqa: PLC0415  others need no memory for them

    model = begin(progtf.compile(progtf.load(program)))
    return steps(model, trainable(model), pairs[:64], 21)


def speed(program: str, pairs: Pairs) -> Values:
    """Answering all questions, as often as it takes to be worth timing."""
    model = progtf.compile(progtf.load(program))
    texts = [question for question, _ in pairs]
    model.answers(texts[:BATCH])
    answers, count, start = [], 0, time.process_time()
    while time.process_time() < start + SECONDS:
        answers, count = model.answers(texts), count + len(texts)
    values = {"a second": count / (time.process_time() - start)}
    right = sum(answer.text == due for answer, (_, due) in zip(answers, pairs, strict=True))
    return values | {f"right, of {len(texts)}": right}


def steps(model, trained, pairs: Pairs, count: int) -> Values:
    """The median of some steps after one that does not count; none moves a weight."""
    source = model.batch([model.reader.read(question) for question, _ in pairs])
    target = model.batch([["<bos>", *answer] for _, answer in pairs])
    optimiser = torch.optim.SGD(trained, lr=0.0)
    seconds: list[float] = []
    for _ in range(1 + count):
        start = time.process_time()
        optimiser.zero_grad()
        model(source, target).square().mean().backward()
        optimiser.step()
        seconds.append(time.process_time() - start)
    return {"training step, s": median(seconds[1:]), "peak of training, MiB": peak()}


def timed(values, name, action):
    """What the action gives; its seconds are noted."""
    start = time.process_time()
    result = action()
    values[name] = time.process_time() - start
    return result


def peak() -> float:
    """The most memory of this process so far."""
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


MEASUREMENTS = {  # what is measured of which program, and the questions in tests/data
    "form": (form, "math/all", ALL),
    "step": (step, "math/all", ALL),
    "hybrid": (hybrid, "hybrid/add_or_sub", "arithmetic__add_or_sub"),
    "all": (speed, "math/all", ALL),
    "mul": (speed, "math/mul", "arithmetic__mul arithmetic__mul_big"),
    "sort": (
        speed,
        "math/sort",
        "interpolate/comparison__sort extrapolate/comparison__sort_more",
    ),
    "add_or_sub": (speed, "math/add_or_sub", "arithmetic__add_or_sub arithmetic__add_or_sub_big"),
    "translation": (speed, "language/translation", "translation"),
}


def measure(name: str) -> None:
    """Prints the values of one measurement of the checkout that Python was started in."""
    assert Path(progtf.__file__).is_relative_to(Path.cwd()), f"{progtf.__file__} is measured"
    torch.set_num_threads(1)
    action, program, _ = MEASUREMENTS[name]
    print(json.dumps(action(f"examples/{program}.seme", json.load(sys.stdin))))


def pairs_of(name: str) -> Pairs:
    """Questions from this checkout with their answers, a file after the other, over and over."""
    data, files = ROOT / "tests" / "data", MEASUREMENTS[name][2].split()
    if name == "translation":
        lines = (data / "language" / "translation.tsv").read_text("utf-8").splitlines()
        return [line.split("\t")[:2] for line in lines[1:]][:QUESTIONS]
    texts = [(data / "math" / f"{file}.txt").read_text("utf-8").splitlines() for file in files]
    turns = zip(*(zip(lines[::2], lines[1::2], strict=True) for lines in texts), strict=False)
    return list(islice(cycle([pair for turn in turns for pair in turn]), QUESTIONS))


def values_of(name: str, checkout: Path, compiled: str, more: Sequence[str] = ()) -> Values:
    """One measurement of one checkout; what Python compiles goes to a folder elsewhere.

    Args:
        name: of a measurement, of one of loading, or of a command.
        checkout: whose `progtf` is imported.
        compiled: a folder for what Python compiles.
        more: words for what measures loading.
    """
    command, given = ["-m", "progtf", *COMMANDS.get(name, ())], ""
    if name in LOADS:  # -P: nothing is imported from the folder of this file
        command = ["-P", str(LOADING), "--measure", name, *more]
    elif name not in COMMANDS:
        command, given = ["-P", __file__, "--measure", name], json.dumps(pairs_of(name))
    places = {"PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": compiled}
    settings = {"PYTHONDONTWRITEBYTECODE": "", "OMP_NUM_THREADS": "1"}
    start = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=checkout,
        env=os.environ | places | settings,
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    return {"command, s": seconds} if name in COMMANDS else json.loads(ran.stdout.splitlines()[-1])


def compared(
    name: str, sides: dict[str, Path], rounds: int, compiled: str, more: Sequence[str] = ()
) -> dict:
    """The values of every round on both sides, their medians and the ratio, which are printed."""
    runs: dict[str, list[Values]] = {side: [] for side in sides}
    for number in range(rounds):
        for side in list(sides) if number % 2 else list(reversed(sides)):
            runs[side].append(values_of(name, sides[side], compiled, more))
    table = {}
    for value in runs["before"][0]:
        row = {side: [values[value] for values in own] for side, own in runs.items()}
        before, after = median(row["before"]), median(row["after"])
        label, ratio = f"{name}: {value}", after / before if before else float("nan")
        print(f"{label:40}{shown(before):>13}{shown(after):>13}{ratio:>8.3f}", flush=True)
        table[label] = row | {"medians": [before, after], "ratio": ratio}
    return table


def shown(value: float) -> str:
    """A number in the table."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def main(arguments: Sequence[str] = ()) -> None:
    """Compares as the command line says."""
    names = [*MEASUREMENTS, *COMMANDS]
    choices = [*names, *LOADS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--before", type=Path, help="a checkout")
    parser.add_argument("--after", type=Path, default=ROOT, help="another; this one if none")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=choices, default=names, metavar="NAME")
    parser.add_argument("--edits", default="200", help="how many, of `edits` and `edits_all`")
    parser.add_argument("--json", type=Path, help="a file for the values of every round")
    parser.add_argument("--measure", choices=MEASUREMENTS, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.measure:
        measure(asked.measure)
        return
    if asked.before is None:
        print("no --before: there is nothing to compare this checkout with")
        return
    sides = {"before": asked.before.resolve(), "after": asked.after.resolve()}
    for side in sides.values():
        if not (side / "progtf").is_dir():
            parser.error(f"{side} is no checkout of progtf")
    table = {}
    print(f"{f'medians of {asked.rounds}':40}{'before':>13}{'after':>13}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as compiled:
        for side in sides.values():  # Python compiles before anything is timed
            values_of("run", side, compiled)
        for name in asked.only:
            table |= compared(name, sides, asked.rounds, compiled, ["--edits", asked.edits])
    if asked.json:
        asked.json.write_text(json.dumps(table, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
