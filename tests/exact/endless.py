"""Programs with ``<eos>`` that never end an answer, and such that do, by what decides it."""

WORDS = """
model:
  kind: {kind}
  length: 3 -> 3
semes: a b c end
lexicon:
  x: +a
  y: +b
  z: +c
"""
REST = """decoder:
  layer l:
{decoder}
output:
{output}
"""
DECODER = WORDS.replace("{kind}", "decoder") + REST
SEQ2SEQ = WORDS.replace("{kind}", "seq2seq") + "  <bos>: 0\n{lexicon}\n{encoder}\n" + REST


def _indented(text: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" for line in text.splitlines())


def _program(kind: str, decoder: str, output: str, lexicon: str = "", encoder: str = "") -> str:
    return kind.format(
        decoder=_indented(decoder, 4), output=_indented(output, 2), lexicon=_indented(lexicon, 2),
        encoder=encoder,
    ).replace("\n\n", "\n")  # fmt: skip


RULE = "feedforward:\n  b: !a"
READ = "head h:\n  from: encoder\n  value: a>b"
NEXT = "feedforward:\n  b: 2a\n  c: 2b\n  a: 2c"
NEVER = {
    "a constant above": _program(SEQ2SEQ, RULE, "y: 1\n<eos>: 0"),
    "the same constant, which comes first": _program(SEQ2SEQ, RULE, "y: 1\n<eos>: 1"),
    "far below": _program(SEQ2SEQ, RULE, "y: 0\nz: 1\n<eos>: -7"),
    "a seme that is written too faintly": _program(
        SEQ2SEQ, "feedforward:\n  end: 0.25 when !a", "y: 0.5\n<eos>: end"
    ),
    "a seme that is taken away": _program(
        SEQ2SEQ, "feedforward:\n  end: -1 when !a", "y: 0\n<eos>: end - 0.5"
    ),
    "no token of the output": _program(SEQ2SEQ, RULE, "y: 1\nz: b", "<eos>: +end"),
    "one of two always holds": _program(
        SEQ2SEQ, "feedforward:\n  b: a\n  c: !a", "y: b\nz: c\n<eos>: 0.5"
    ),
    "words in a circle": _program(SEQ2SEQ, NEXT, "x: a + 0.75\ny: b\nz: c\n<eos>: 0.5"),
    "one word for ever": _program(SEQ2SEQ, RULE, "y: 2b + 1\nz: c\n<eos>: 2c"),
    "a seme of the input alone": _program(
        SEQ2SEQ, READ, "y: b + 1\nz: c\n<eos>: end", "<eos>: +end"
    ),
    "what the input never has": _program(
        SEQ2SEQ, "head h:\n  from: encoder\n  value: end>c", "y: 0.5\n<eos>: c - 0.75end", "w: -end"
    ),
    "a first word that is always said again": _program(
        SEQ2SEQ, "feedforward:\n  end: b & c", "y: 0.5\nz: c\n<eos>: end"
    ),
    "a decoder below a constant": _program(DECODER, RULE, "y: 1\n<eos>: 0"),
    "a decoder and a tie": _program(DECODER, RULE, "y: 1\nz: 0\n<eos>: 1"),
    "a decoder that says its last word": _program(
        DECODER, "feedforward:\n  end: c", "x: a\ny: b\nz: c\n<eos>: end"
    ),
    "a decoder in a circle": _program(DECODER, NEXT, "x: a\ny: b\nz: c\n<eos>: 0.5"),
    "a decoder that needs a word it never says": _program(
        DECODER, "feedforward:\n  end: !a & !b & !c", "x: a\ny: b\nz: c\n<eos>: end"
    ),
    "a decoder that waits for two words at once": _program(
        DECODER, "feedforward:\n  end: 2 when a & b", "x: a\ny: b\nz: c\n<eos>: end"
    ),
    "a decoder that scores by its lexicon": DECODER.replace("output:\n{output}\n", "")
    .replace("  z: +c", "  z: +c\n  <eos>: +end")
    .format(decoder=_indented(RULE, 4)),
    "a decoder with a lexicon that ends": _program(DECODER, RULE, "y: 1\nz: b").replace(
        "  z: +c", "  z: +c\n  <eos>: +end"
    ),
}
ENDS = {
    "a constant above": _program(SEQ2SEQ, RULE, "y: 0\n<eos>: 1"),
    "a tie in which it comes first": _program(SEQ2SEQ, RULE, "<eos>: 1\ny: 0.5b + 0.5"),
    "behind the first word": _program(SEQ2SEQ, "feedforward:\n  end: b", "y: 0.5\n<eos>: end"),
    "for some inputs": _program(SEQ2SEQ, READ, "y: 0.5\n<eos>: b"),
    "a decoder behind one word": _program(
        DECODER, "feedforward:\n  end: 2c", "x: a\ny: b\nz: c\n<eos>: end"
    ),
    "a decoder at once": _program(DECODER, RULE, "y: 0\n<eos>: 1"),
}
