"""Programs that Hypothesis writes: heads, roles, rules, clocks, looks, null keys, both stacks."""

import re

import numpy as np
import pytest
from hypothesis import event, reject
from hypothesis import strategies as st

from progtf import SemeError, parse_program
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.trace import Trace

FLAGS = ("a", "b", "c", "d")
NUMBERS = {"n": (0, 3), "m": (-2, 2)}
SEMES = (*FLAGS, *NUMBERS)
TOKENS = ("x", "y", "z", "w")
LENGTH = 7
coefficients = st.sampled_from([-2, -1, 1, 2, 3])
flags = st.sampled_from(FLAGS)
semes = st.sampled_from(SEMES)


@st.composite
def vectors(draw) -> str:
    """A vector that keeps to the declared ranges."""
    terms = [f"+{name}" for name in FLAGS if draw(st.booleans())]
    for name, (low, high) in NUMBERS.items():
        value = draw(st.integers(low, high))
        terms += [f"{value:+d}{name}"] if value else []
    return " ".join(terms) or "0"


@st.composite
def forms(draw) -> str:
    """A sum of one or two semes and perhaps a number."""
    names = draw(st.lists(semes, min_size=1, max_size=2, unique=True))
    text = " + ".join(f"{abs(draw(coefficients))}{name}" for name in names)
    constant = draw(st.integers(-2, 2))
    return text if constant == 0 else f"{text} {'+' if constant > 0 else '-'} {abs(constant)}"


atoms = st.one_of(
    flags,
    flags.map(lambda name: f"!{name}"),
    st.builds(
        lambda form, sign, value: f"{form} {sign} {value}",
        forms(), st.sampled_from(["=", "!=", ">=", "<=", ">", "<"]), st.integers(0, 3),
    ),
)  # fmt: skip
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(lambda a, b: f"({a} & {b})", inner, inner),
        st.builds(lambda a, b: f"({a} | {b})", inner, inner),
        st.builds(lambda a: f"!({a})", inner),
    ),
    max_leaves=3,
)


@st.composite
def maps(draw, targets: tuple[str, ...], *, bias: bool = True) -> str:
    """An affine map onto all of ``targets``."""
    entries: list[str] = []
    for target in targets:
        for name in draw(st.lists(semes, min_size=1, max_size=2, unique=True)):
            entries.append(f"{draw(coefficients)}{name}>{target}")
        if bias and draw(st.booleans()):
            entries.append(f"{draw(coefficients):+d}{target}")
    return ", ".join(entries)


@st.composite
def heads(draw, number: int, *, causal: bool, cross: bool) -> list[str]:
    """One head with a random way of addressing."""
    features = ("f", "g")[: draw(st.integers(0, 2))]
    lines = [f"head h{number}:", "  sharpness: 4096"]
    looks = ["all", "before", "upto", "self"] + ([] if causal else ["after", "notself"])
    if cross:
        lines.append("  from: encoder")
    else:
        lines.append(f"  look: {draw(st.sampled_from(looks))}")
    if features:
        lines += [f"  query: {draw(maps(features))}", f"  key: {draw(maps(features))}"]
    if not features or draw(st.booleans()):
        lines += [
            f"  querypos: {draw(st.integers(-3, 3)):+d}",
            f"  keypos: {draw(st.integers(-2, 2)):+d}",
        ]
    if draw(st.booleans()):
        # No sum of both clocks' hands, such as 1.702, lies near a whole number and .4 or .6.
        lines.append(f"  else: 0 below {draw(st.integers(-3, 6))}.4")
    targets = tuple(draw(st.lists(semes, min_size=1, max_size=2, unique=True)))
    lines.append(f"  value: {draw(maps(targets))}")
    if draw(st.booleans()):
        lines.append(f"  role: {draw(maps(targets))}")
    return lines


@st.composite
def rules(draw) -> str:
    """One rule of a feed-forward block."""
    target, kind = draw(semes), draw(st.integers(0, 4))
    match kind:
        case 0:
            return f"{target}: {draw(conditions)}"
        case 1:
            gate = " & ".join(draw(st.lists(flags, min_size=1, max_size=2)))
            return f"{target}: {draw(forms())} when {gate}"
        case 2:
            return f"{target}: {draw(forms())} mod {draw(st.integers(2, 4))}"
        case 3:
            return f"+{target} -2{draw(semes)} when {draw(conditions)}"
        case _:
            return f"{target}: {draw(st.sampled_from(['sign', 'abs']))}({draw(forms())})"


@st.composite
def layers(draw, number: int, *, causal: bool = False, memory: bool = False) -> list[str]:
    """One layer: up to two heads, up to two rules."""
    lines = [f"layer l{number}:"]
    if not memory and draw(st.integers(0, 4)) == 0:
        lines.append("  repeat: 2")
    for place in range(draw(st.integers(0, 2))):
        lines += [
            "  " + line
            for line in draw(heads(place, causal=causal, cross=memory and draw(st.booleans())))
        ]
    written = draw(st.lists(rules(), max_size=2))
    if written or not any("head" in line for line in lines):
        lines += ["  feedforward:", *("    " + rule for rule in written or [draw(rules())])]
    return lines


@st.composite
def programs(draw, kind: str = "encoder") -> str:
    """A whole program over four words, at most seven long."""
    binding = draw(st.sampled_from(["hadamard", "outer"]))
    norm = draw(st.sampled_from(["none", "round"]))
    lines = [
        "model:",
        f"  kind: {kind}",
        f"  length: {LENGTH} -> 3",
        f"  binding: {binding}",
        f"  norm: {norm}",
    ]
    lines += [
        "semes:",
        f"  {' '.join(FLAGS)}",
        *(f"  {n}: {lo}..{hi}" for n, (lo, hi) in NUMBERS.items()),
    ]
    lines += ["clocks: /8 /64", "lexicon:"]
    lines += [f"  {token}: {draw(vectors())}" for token in TOKENS]
    everything = " ".join(f"+{name}" for name in SEMES)
    lines += [f"  all: {everything}"]
    if kind != "encoder":
        lines += [f"  <bos>: {draw(vectors())}", f"  <eos>: {draw(vectors())}"]
    lines += ["encoder:"]
    for number in range(draw(st.integers(1, 2))):
        lines += ["  " + line for line in draw(layers(number))]
    if kind == "seq2seq":
        lines += ["decoder:", *("  " + line for line in draw(layers(9, causal=True, memory=True)))]
        lines += [
            "output:",
            *(
                f"  {token}: {draw(forms())} + {place}.{place}"
                for place, token in enumerate((*TOKENS, "<eos>"))
            ),
        ]
    return "\n".join(lines) + "\n"


def built(text: str, allowed: tuple[str, ...] = ("too-many-cases",)) -> Program:
    """The program; one that is refused is a failure, or a discarded example if that is allowed."""
    try:
        return parse_program(text)
    except SemeError as error:
        refused = {d.code for d in error.diagnostics}
        event(f"refused: {sorted(refused)}")
        if not refused <= {*allowed}:
            pytest.fail(f"{text}\n{error}")
        reject()


ROUND = ("left", "seen")
NAMES = (*FLAGS, *ROUND)


@st.composite
def joined_flags(draw, names: tuple[str, ...]) -> str:
    """One to three flags or comparisons joined."""
    flag = st.sampled_from(names)
    number = st.sampled_from([f"{n} {sign} {v}" for n in "nk" for sign in "<>=" for v in range(4)])
    atom = st.one_of(flag, flag.map(lambda name: f"!{name}"), number)
    joined = draw(st.sampled_from([" & ", " | "]))
    return joined.join(draw(st.lists(atom, min_size=1, max_size=3)))


@st.composite
def bodies(draw, *, looks: bool, kind: str = "encoder") -> list[str]:
    """A layer of a loop that keeps semes to their ranges."""
    lines = [f"  layer {draw(st.sampled_from(['one', 'two']))}:"]
    if looks:
        at, source = draw(st.integers(-2, 2 if kind == "encoder" else 0)), draw(flags)
        lines += ["    head:", f"      at: {at:+d}", f"      value: {source}>left, k>near"]
        lines += ["      from: encoder"] * (kind == "seq2seq" and draw(st.integers(0, 2)) == 0)
    rules = {
        f"set {name}": draw(joined_flags(NAMES)) for name in FLAGS if draw(st.integers(0, 2)) == 0
    }
    if draw(st.booleans()):
        rules["set n"] = f"n + {draw(st.sampled_from(['1', 'k', '3']))} mod 4 when {draw(flags)}"
    if looks and draw(st.booleans()):
        rules["set k"] = f"near{draw(st.sampled_from(['', ' div 1']))} when {draw(flags)}"
    rules |= (
        {"seen": draw(joined_flags(FLAGS))} if not any("seen" in line for line in lines) else {}
    )
    return [*lines, "    feedforward:", *(f"      {name}: {rule}" for name, rule in rules.items())]


@st.composite
def loop_lines(draw, kind: str = "encoder") -> list[str]:
    """One or two loops, of which something may hear that they do not end."""
    lines: list[str] = []
    for name in ("first", "second")[: draw(st.integers(1, 2))]:
        no, most = draw(st.sampled_from(["", "no "])), draw(st.integers(1, 6))
        until = draw(st.sampled_from((*FLAGS, f"{name}.seen")))
        when = draw(st.sampled_from(["", "", " when a", " when b & c"]))
        lines.append(f"  loop {name} up to {most} until {no}{until}{when}:")
        lines += ["    semes:", f"      {name}.left {name}.seen", f"      {name}.near: 0..3"]
        looks = draw(st.sampled_from([[True], [True, False], [True, True]]))
        body = [line for each in looks for line in draw(bodies(looks=each, kind=kind))]
        lines += ["  " + re.sub(r"\b(left|seen|near)\b", rf"{name}.\1", line) for line in body]
        if draw(st.booleans()):
            lines += ["  layer hear:", "    feedforward:", f"      told: {name}.unfinished"]
    return lines


@st.composite
def given_tokens(draw, before: str = "") -> list[str]:
    """The lexicon of programs with loops; ``before``: what stands before the names of semes."""
    lines = ["lexicon:"]
    for token in TOKENS:
        flags = "".join(f" +{before}{name}" for name in FLAGS if draw(st.booleans()))
        numbers = (f"+{draw(st.integers(0, 3))}{before}{name}" for name in "nk")
        lines.append(f"  {token}: {' '.join(numbers)}{flags}")
    return [*lines, f"  all: {' '.join(f'+{before}{name}' for name in (*FLAGS, 'n', 'k'))}"]


REGISTERS = ["semes:", f"  {' '.join(FLAGS)}", "  n: 0..3", "  k: 0..3"]


@st.composite
def loops(draw) -> str:
    """A program with one or two loops."""
    norm = draw(st.sampled_from(["none", "none", "round"]))
    lines = ["model:", f"  length: {LENGTH}", f"  norm: {norm}", *REGISTERS, "  told"]
    return "\n".join([*lines, *draw(given_tokens()), "encoder:", *draw(loop_lines())]) + "\n"


@st.composite
def written_in_loops(draw) -> str:
    """A program whose decoder has one or two loops, and whose encoder, if there is one, may."""
    kind = draw(st.sampled_from(["decoder", "seq2seq"]))
    lines = ["model:", f"  kind: {kind}", f"  length: {LENGTH + 2} -> 4"]
    lines += [f"  norm: {draw(st.sampled_from(['none', 'none', 'round']))}", *REGISTERS, "  told"]
    lines += draw(given_tokens())
    if kind == "seq2seq":
        _, *tokens = draw(given_tokens())
        lines += [f"  <bos>: {tokens[0].partition(':')[2]}", "  <eos>: 0", "encoder:"]
        lines += ["  layer only:", "    feedforward:", f"      told: {draw(flags)}"]
    lines += ["decoder:", *draw(loop_lines(kind)), "output:"]
    for place, token in enumerate((*TOKENS, "<eos>")):
        lines.append(f"  {token}: {draw(forms_of('nk'))} + {draw(flags)} + {place}.{place}")
    return "\n".join(lines) + "\n"


@st.composite
def forms_of(draw, names: str) -> str:
    """A multiple of one of some numbers."""
    return f"{draw(coefficients)}{draw(st.sampled_from(names))}"


ASKING = ("one", "two")


@st.composite
def used_loops(draw) -> tuple[str, str]:
    """A program that uses a file with loops once or twice, each when a word asks for it; the file.

    A text may ask for neither, for one or for both.
    """
    uses = ASKING[: draw(st.integers(1, 2))]
    lines = [f'use "part.seme" as {name} when asks.{name}' for name in uses]
    lines += ["model:", "  kind: seq2seq", f"  length: {LENGTH} -> 2"]
    lines += ["  layers: auto"] * draw(st.booleans())
    lines += ["semes:", f"  {' '.join(f'in.{name}' for name in FLAGS)}", "  in.n: 0..3"]
    lines += ["  in.k: 0..3", "  told begin any", "  out: 0..6", "  got: 0..6", "  heard: 0..2"]
    lines += [f"  says.{name} asks.{name}" for name in uses]
    heading, *tokens = draw(given_tokens("in."))
    tokens += [f"  {name}: +says.{name}" if name in uses else f"  {name}: 0" for name in ASKING]
    lines += [heading, *(f"{line} +any" for line in tokens)]
    lines += ["  <bos>: +begin", "  <eos>: +0told", "encoder:", "  layer ask:"]
    for name in uses:
        lines += ["    head:", f"      where: says.{name}", f"      value: says.{name}>asks.{name}"]
    lines += ["decoder:", "  layer:", "    head:", "      from: encoder", "      where: any"]
    lines += ["      value: out>got, told>heard", "output:", "  <eos>: 0.3begin + got"]
    lines += ["  x: 0.4begin + 2heard", "  y: begin"]
    copies = [f"    {name}: in.{name}" for name in (*FLAGS, "n", "k")]
    part = [*REGISTERS, "layer begin:", "  feedforward:", *copies]
    part += [line.removeprefix("  ") for line in draw(loop_lines())]
    part += ["layer end:", "  feedforward:", "    out: n"]
    return "\n".join(lines) + "\n", "\n".join(part) + "\n"


asking_inputs = st.lists(
    st.sampled_from((*TOKENS, "all", *ASKING, *ASKING)), min_size=1, max_size=LENGTH - 2
).map(" ".join)


inputs = st.lists(st.sampled_from((*TOKENS, "all")), min_size=1, max_size=LENGTH).map(" ".join)


@st.composite
def used_in_decoders(draw) -> tuple[str, str]:
    """As `used_loops`, but the file has its loops in the decoder, which asks place by place."""
    kind, uses = draw(st.sampled_from(["decoder", "seq2seq"])), ASKING[: draw(st.integers(1, 2))]
    lines = [f'use "part.seme" as {name} when asks.{name}' for name in uses]
    lines += ["model:", f"  kind: {kind}", f"  length: {LENGTH + 2} -> 4"]
    lines += ["  layers: auto"] * draw(st.booleans())
    lines += ["semes:", f"  {' '.join(f'in.{name}' for name in FLAGS)}", "  in.n: 0..3"]
    lines += ["  in.k: 0..3", "  told", "  out: 0..6"]
    lines += [f"  says.{name} asks.{name}" for name in uses]
    heading, *tokens = draw(given_tokens("in."))
    tokens += [f"  {name}: +says.{name}" if name in uses else f"  {name}: 0" for name in ASKING]
    ask = [line for name in uses for line in ("    head:", f"      where: says.{name}",
           f"      value: says.{name}>asks.{name}")]  # fmt: skip
    lines += [heading, *tokens]
    if kind == "seq2seq":
        first = tokens[0].partition(":")[2]
        lines += [f"  <bos>:{first}", "  <eos>: 0", "encoder:", "  layer ask:", *ask]
        ask = [line for name in uses for line in ("    head:", "      from: encoder",
               f"      where: asks.{name}", f"      value: asks.{name}>asks.{name}")]  # fmt: skip
    lines += ["decoder:", "  layer ask:", *ask, "output:"]
    for place, token in enumerate((*TOKENS, "<eos>", "one")):
        lines.append(f"  {token}: {draw(coefficients)}out + in.{draw(flags)} + {place}.{place}")
    copies = [f"    {name}: in.{name}" for name in (*FLAGS, "n", "k")]
    part = ["layer begin:", "  feedforward:", *copies]
    part += [line.removeprefix("  ") for line in draw(loop_lines(kind))]
    part += ["layer end:", "  feedforward:", "    out: n"]
    copied = ["encoder:", "  layer copy:", "    feedforward:", *(f"  {c}" for c in copies)]
    encoder = copied if kind == "seq2seq" else []
    part = [*REGISTERS, *encoder, "decoder:", *(f"  {line}" for line in part)]
    return "\n".join(lines) + "\n", "\n".join(part) + "\n"


def keeps_its_promises(interpreter, text):
    """Whether a network may be held against the interpreter on a text.

    Beside what the interpreter checks, a network needs all semes within their ranges, also behind
    closed gates, which leak there.
    """
    program, trace = interpreter.program, Trace()
    try:
        (given,) = interpreter.read([text])
        broken = interpreter.readout(given, trace).broken
    except InputError:
        return True
    semes = program.space.names[: program.semes]
    low, high = (
        np.array([getattr(program.space.ranges[name], end) for name in semes])
        for end in ("low", "high")
    )
    streams = [step.residual[:, : program.semes] for step in trace.steps]
    inside = all(((low <= rows) & (rows <= high)).all() for rows in streams)
    return not broken and inside
