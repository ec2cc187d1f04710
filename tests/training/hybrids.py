"""Hybrids that Hypothesis writes: generated programs with marks, learned heads and ``learn:``."""

import re
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.network.programs import SEMES, TOKENS, forms, programs

MAP = ("query", "key", "value", "role", "out", "mat1", "bias1", "mat2", "bias2")
WORDS = (*TOKENS, "all", "<bos>", "<eos>")
ENTRY = re.compile(r"[+-]?\d*(\D.*)")
NORMS = ("none", "split", "layer")
ENDINGS = ("", "classify:\n  pool: max\n  A: {}\n  otherwise: B\n", "output:\n  x: {}\n  y: 0.5\n")
RAW = """\
  layer raw:
    head out:
      at: -1
      value: a>f, 2n>g
      out: f>b, 3g>c, -2m
    feedforward:
      mat1: a>u, -2b>u, n>v
      bias1: 1u
      mat2: u>c, 2v>d
      bias2: -1n
"""


@dataclass(frozen=True)
class Text:
    """A hybrid, and the program that it is as long as nothing is learned."""

    hybrid: str
    written: str


@st.composite
def entries(draw, label: str, given: list[str]) -> Text:
    """Some entries, a few with marks; ``?a>b`` counts nothing as yet."""
    hybrid, written = [], []
    for entry in given:
        mark, names = draw(st.sampled_from(["", "", "~", "?"])), ENTRY.match(entry)[1]
        hybrid.append({"": entry, "~": f"~{entry.lstrip('+')}", "?": f"?{names}"}[mark])
        written.append(f"+0{names}" if mark == "?" else entry)
    return Text(f"{label}: {', '.join(hybrid)}", f"{label}: {', '.join(written)}")


@st.composite
def lines(draw, line: str, unmarked: tuple[str, ...]) -> Text:
    """A line, with marks where they may stand."""
    label, _, rest = line.partition(": ")
    name = label.strip()
    if name in MAP and name not in unmarked:
        return draw(entries(label, rest.split(", ")))
    if name in WORDS and rest.startswith(("+", "-")):
        return draw(entries(label, rest.split()))
    return Text(line, line)


@st.composite
def mixed_heads(draw, head: list[str]) -> Text:
    """A head whose filler is learned; perhaps its role, or its query, as well."""
    pad = " " * 6
    rest = [
        line for line in head if not line.startswith((f"{pad}value", f"{pad}role", f"{pad}out"))
    ]
    hybrid = [*rest, f"{pad}value: ?{draw(st.sampled_from(['', '3']))}"]
    hybrid += [f"{pad}role: ?"] * draw(st.booleans())
    if any(line.startswith(f"{pad}key:") for line in rest) and draw(st.booleans()):
        hybrid = [f"{pad}query: ?" if "query:" in line else line for line in hybrid]
    return Text("\n".join(hybrid), "\n".join([*rest, f"{pad}value: 0a>a"]))


@st.composite
def pieces(draw, piece: list[str], unmarked: tuple[str, ...]) -> Text:
    """A head, or another line, with something learned in it."""
    if piece[0].startswith("    head") and draw(st.integers(0, 3)) == 0:
        return draw(mixed_heads(piece))
    return joined([draw(lines(line, unmarked)) for line in piece])


def joined(parts: list[Text]) -> Text:
    """Texts, one below the other."""
    return Text("\n".join(p.hybrid for p in parts), "\n".join(p.written for p in parts))


def in_pieces(text: str) -> list[list[str]]:
    """The lines of a program, those of a head together."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        inside = found[-1] and found[-1][0].startswith("    head") and line.startswith(" " * 6)
        found = [*found[:-1], [*found[-1], line]] if inside else [*found, [line]]
    return found[1:]


@st.composite
def learning(draw, kind: str) -> str:
    """A ``learn:`` block: its layers stand beside written ones, behind them, or with a gap."""
    reads = draw(st.lists(st.sampled_from(SEMES), unique=True))
    found = ["learn:", "  semes: 4"]
    found += [f"  reads: {', '.join(reads) or 0}"] * draw(st.booleans())
    found += ['  tokens: "kl"'] * draw(st.booleans())
    for stack in ("encoder", "decoder")[: 2 if kind == "seq2seq" else 1]:
        first = draw(st.integers(1, 4))
        last, heads = draw(st.integers(first, 4)), draw(st.sampled_from([1, 2]))
        found += [f"  {stack}: layers {first}..{last} heads {heads} filter 3"]
    return "\n".join([*found, f"  protect: {draw(st.sampled_from(['yes', 'yes', 'no']))}"])


@st.composite
def hybrids(draw, kind: str | None = None, *, marks: bool = True) -> Text:
    """A whole hybrid; without ``marks`` no layer has something written and learned in one part."""
    kind = kind or draw(st.sampled_from(["encoder", "seq2seq"]))
    text = draw(programs(kind)).replace("norm: none", f"norm: {draw(st.sampled_from(NORMS))}")
    encoder, decoder, rest = text.replace("lexicon:\n", "lexicon:\n  unknown: +b\n").partition(
        "decoder:\n"
    )
    text = encoder + RAW * draw(st.booleans()) + decoder + rest
    if kind == "encoder":
        text += draw(st.sampled_from(ENDINGS)).format(draw(forms()))
    unmarked = ("value", "role", "out") if "binding: outer" in text else ()
    whole = Text(text, text)
    if marks:
        whole = joined([draw(pieces(piece, unmarked)) for piece in in_pieces(text)])
    return Text(f"{whole.hybrid}\n{draw(learning(kind))}\n", f"{whole.written}\n")
