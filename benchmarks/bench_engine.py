"""A computer in a network that writes its trace, by all that runs it, beside firebrand's.

`examples/machines/subleq.seme` has one instruction, of which three tokens are written; firebrand's
computer is a RISC-V, of whose instructions ten are. Both count in nested loops, once in as little
memory as that takes and once in a thousand words. Of each there are tokens and instructions, and
turns of the innermost loop, which are the same work for both. All in CPU time, turn by turn.

Of our tokens the reading of the memory is a part. Firebrand's are without it, and without what its
engine makes of the weights each time.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice, pairwise, zip_longest
from shutil import which
from statistics import mean, median
from time import process_time
from typing import Protocol

import progtf
from benchmarks import rv32, subleq
from benchmarks.figures import ROOT, Figure, Found, Missing
from benchmarks.timing import Times, interleaved, one_thread, ratio
from progtf.building.load import flat_program
from progtf.program.answering import Answering
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.reference import Reference
from progtf.running.interpret import Interpreter
from progtf.running.native.engine import engine_of

LONG = True
PROGRAM = ROOT / "examples/machines/subleq.seme"
FEW = (8, 10)
"""Turns of the loops that all run: 101 instructions, 304 tokens."""
MANY = (8, 98, 999)
"""Turns of the loops that engines in C run: 2.9 million tokens, of which `TOKENS` are written."""
TOKENS = 1_000_000
WORDS = 1000
SEED = 20261130
ROUNDS = 3
LAP, LAPS = 1000, 10
"""Tokens that are timed together, and so many times: behind the first ones, and at the end."""

NUMPY, ENGINE, FIREBRAND = "numpy", "the engine in C", "firebrand in C"
HALF, NOTHING = "half of its tokens", "none of its tokens"
BY_CONSTRUCTION = "promised: exact by construction"
IN_RANGES = "promised: exact by construction, in declared ranges"
VERSION = "0.0.1"
Writes = Callable[[str], Iterator[str]]
"""The tokens of an answer to a text, as they come."""


@dataclass(frozen=True)
class Memory:
    """What is in memory.

    Attributes:
        title: in words.
        words: how many there are, random ones behind the loops; 0: what the loops need.
    """

    title: str
    words: int

    def of(self, turns: Sequence[int]) -> list[int]:
        """With such loops."""
        return subleq.filled(subleq.nest(turns), self.words, random.Random(SEED))


MEMORIES = Memory("loops", 0), Memory(f"loops in {WORDS:,} words", WORDS)


@dataclass(frozen=True)
class Runner:
    """What runs the computer.

    Attributes:
        promise: what is known of its answers.
        words: of how many it can read in a minute.
    """

    name: str
    promise: str
    writes: Writes
    words: int = WORDS


@dataclass(frozen=True)
class Run:
    """Many tokens by an engine in C.

    Attributes:
        promise: what is known of them.
        done: how many tokens, instructions and turns.
        seconds: which that takes, round by round.
        ends: tokens at the end, and those at the beginning.
        grown: how many times as long the former take.
    """

    promise: str
    done: dict[str, float]
    seconds: list[float]
    ends: tuple[str, str]
    grown: list[float]


class Side(Protocol):
    """An engine in C that writes many tokens."""

    name: str

    def contenders(self) -> Mapping[str, Callable[[], object]]:
        """What is timed."""
        ...

    def run(self, times: Times[str]) -> Run:
        """What is found by it."""
        ...


def figures() -> Iterator[Found]:
    """A few hundred tokens by all that run them, and then many by the engines in C."""
    program = progtf.load(PROGRAM)
    found = [by_reference(program), by_numpy(program), by_network(program), by_engine(program)]
    runners = [each for each in found if isinstance(each, Runner)]
    left_out = no_peer()
    for memory in MEMORIES:
        yield from few(memory, [each for each in runners if each.words >= memory.words])
    count = min(TOKENS, program.lengths[1])
    for memory in MEMORIES:
        sides: list[Side] = [Ours(each, memory, count) for each in runners if each.name == ENGINE]
        if left_out is None:
            sides.append(Peer(memory, count))
        yield from many(f"{memory.title}, {count:,} tokens", sides)
    yield from (each for each in found if isinstance(each, Missing))
    yield Missing(f"the reference, {MEMORIES[-1].title}: it takes minutes to read them")
    if left_out is not None:
        yield left_out


def by_reference(program: Program) -> Runner:
    """The meaning of a program, in fractions."""
    flat = flat_program(PROGRAM.read_text(encoding="utf-8"), program.name, PROGRAM.parent)
    reference = Reference(flat, interface_of(program))
    return Runner("the reference", BY_CONSTRUCTION, whole(reference), words=0)


def by_numpy(program: Program) -> Runner:
    """The interpreter without C."""
    return Runner(NUMPY, BY_CONSTRUCTION, whole(Interpreter(program, native=False)))


def by_engine(program: Program) -> Runner | Missing:
    """The interpreter with C."""
    if engine_of(program) is None:
        return Missing(f"{ENGINE}: it is not built, or leaves {PROGRAM.name} to numpy")
    return Runner(ENGINE, BY_CONSTRUCTION, Interpreter(program).stream)


def by_network(program: Program) -> Runner | Missing:
    """What the program compiles to, if that answers."""
    try:
        one_thread()
        model = progtf.compile(program)
        model.run(subleq.text(subleq.nest([1])))
    except (ModuleNotFoundError, progtf.SemeError, InputError, RuntimeError) as error:
        return Missing(f"the network: {error}")
    outcome = model.outcome
    proven = f"certified by check in {outcome.dtype}" if outcome.exact else f"nothing; {outcome}"
    return Runner("the network", f"promised: {proven}", whole(model))


def no_peer() -> Missing | None:
    """Why firebrand is left out; None: it is not."""
    try:
        found = version("firebrand")
    except PackageNotFoundError:
        return Missing(f"firebrand is not installed: pip install firebrand=={VERSION}")
    if found != VERSION:
        return Missing(f"firebrand is {found}: pip install firebrand=={VERSION}")
    return None if which("cc") else Missing("firebrand's engine needs a C compiler, `cc`")


def whole(answering: Answering) -> Writes:
    """The tokens of a whole answer, which are there when the last one is."""
    return lambda text: iter(answering.run(text).split())


def few(memory: Memory, runners: Sequence[Runner]) -> Iterator[Figure]:
    """Few loops by each, turn by turn, and how many times as fast as numpy each is."""
    words = memory.of(FEW)
    asked, right = subleq.text(words), [*subleq.trace(words)]
    runs = {each.name: partial(written, each.writes, asked, len(right)) for each in runners}
    promises = {each.name: each.promise + apart(runs[each.name](), right) for each in runners}
    times = interleaved(runs, ROUNDS, warm_up=0)
    title = f"{memory.title}, {len(right):,} tokens"
    for name, seconds in times.items():
        rate = len(right) / median(seconds)
        instructions = rate / subleq.WIDTH
        yield Figure(f"{title}: {name}, tokens", rate, "a second", promises[name], SEED)
        yield Figure(f"{title}: {name}, instructions", instructions, "a second", seed=SEED)
        if name != NUMPY and NUMPY in times:
            faster = ratio(times[NUMPY], seconds)
            yield Figure(f"{title}: {name}, beside", faster, "times as fast", NUMPY, SEED)


def written(writes: Writes, asked: str, count: int) -> list[str]:
    """So many tokens of an answer."""
    return [*islice(writes(asked), count)]


def apart(said: Sequence[object], right: Sequence[object]) -> str:
    """Behind a promise: from where on what was written is wrong; nothing where it is right."""
    pairs = enumerate(zip_longest(said, right), start=1)
    wrong = next((place for place, (one, other) in pairs if one != other), None)
    return "" if wrong is None else f"; WRONG from token {wrong:,} on"


def many(title: str, sides: Sequence[Side]) -> Iterator[Figure]:
    """Many tokens by each, turn by turn: how fast, how that changes, and the ratio of two."""
    contenders = {name: run for side in sides for name, run in side.contenders().items()}
    times = interleaved(contenders, ROUNDS, warm_up=0)
    runs = {side.name: side.run(times) for side in sides}
    for name, run in runs.items():
        for what, count in run.done.items():
            promise = run.promise if what == "tokens" else ""
            rate = count / median(run.seconds)
            yield Figure(f"{title}: {name}, {what}", rate, "a second", promise, SEED)
        last, first = run.ends
        yield Figure(f"{title}: {name}, {last}", median(run.grown), "times as long", first, SEED)
    if runs.keys() == {ENGINE, FIREBRAND}:
        ours, other = runs[ENGINE], runs[FIREBRAND]
        for what, count in ours.done.items():
            faster = ratio(other.seconds, ours.seconds) * count / other.done[what]
            yield Figure(
                f"{title}: {ENGINE}, {what}, beside", faster, "times as fast", FIREBRAND, SEED
            )


class Ours:
    """What writes tokens as they come, here the engine in C."""

    def __init__(self, runner: Runner, memory: Memory, count: int) -> None:
        words = memory.of(MANY)
        right = [*islice(subleq.trace(words), count)]
        self.name, self._count = runner.name, count
        self._tokens = partial(runner.writes, subleq.text(words))
        self._promise = runner.promise + apart([*islice(self._tokens(), count)], right)
        self._turned = subleq.turned(MANY, right)
        self._laps: list[list[float]] = []

    def contenders(self) -> Mapping[str, Callable[[], object]]:
        """All tokens, whose laps are kept."""
        return {self.name: lambda: self._laps.append(laps(self._tokens(), self._count))}

    def run(self, times: Times[str]) -> Run:
        """Tokens at the end against those at the beginning, behind a lap that does not count."""
        count, much = self._count, f"{LAPS * LAP:,}"
        done = {"tokens": count, "instructions": count / subleq.WIDTH, "turns": self._turned}
        grown = [mean(each[-LAPS:]) / mean(each[1 : LAPS + 1]) for each in self._laps]
        ends = f"the last {much}", f"the first {much}, behind {LAP:,}"
        return Run(self._promise, done, times[self.name], ends, grown)


def laps(tokens: Iterator[str], count: int) -> list[float]:
    """Of so many tokens, the seconds of each lap."""
    marks = [process_time()]
    for _ in range(count // LAP):
        for _ in islice(tokens, LAP):
            pass
        marks.append(process_time())
    return [later - before for before, later in pairwise(marks)]


class Peer:
    """Firebrand's engine in C, which gives tokens when all are written."""

    name = FIREBRAND

    def __init__(self, memory: Memory, count: int) -> None:
        self._count = count
        self._computer = rv32.Computer(MANY, count, memory.words, random.Random(SEED))
        right = [*islice(rv32.trace(MANY), count)]
        self._promise = IN_RANGES + apart(self._computer.write(count), right)
        self._turned = rv32.turned(MANY, right)

    def contenders(self) -> Mapping[str, Callable[[], object]]:
        """All tokens, half of them, and none: what it takes to begin."""
        much = {FIREBRAND: self._count, HALF: self._count // 2, NOTHING: 0}
        return {name: partial(self._computer.write, count) for name, count in much.items()}

    def run(self, times: Times[str]) -> Run:
        """The second half against the first."""
        count = self._count
        done = {"tokens": count, "instructions": count / rv32.WIDTH, "turns": self._turned}
        trios = [*zip(times[FIREBRAND], times[HALF], times[NOTHING], strict=True)]
        seconds = [whole - begun for whole, _, begun in trios]
        grown = [(whole - half) / (half - begun) for whole, half, begun in trios]
        ends = "the second half", "the first half"
        return Run(self._promise, done, seconds, ends, grown)
