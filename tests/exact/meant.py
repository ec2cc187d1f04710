# ruff: noqa: E501  programs on a line each
"""Programs whose networks answered otherwise than is meant, though they were called exact.

Each is a program, a number format and texts; `tests/data/certificates/meant/` has those that others
wrote, and here are more of each kind.
"""

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "certificates" / "meant"
GIVEN = {
    "clip_two_writers": ("float32", "k"),
    "close_classes": ("float32", "k"),
    "close_scores_match": ("float64", "k m"),
    "close_scores_raw": ("float32", "k n"),
    "decoder_queries": ("float32", "k"),
    "distance_mean": ("float32", "n n n"),
    "falls_slack": ("float64", "k"),
    "match_distance": ("float32", "n k n o n o"),
    "minus_zero": ("float64", "bb bb"),
    "negative_gate": ("float32", "k"),
    "null_tie": ("float32", "n n"),
    "range_without_zero": ("float32", "n"),
    "sharpness_overflow": ("float32", "n"),
    "spelled_twice": ("float32", "DOG"),
    "tiny_range": ("float32", "k"),
    "two_ends": ("float32", "n n"),
    "where_not_bos": ("float32", "k n n"),
}
BIG = """
layer two:
  feedforward:
    z: 16777213y + 3b
layer three:
  feedforward:
    q: z - 8388609
"""
ENDS = """\
semes:
  begin end a y b
  z: 0..16777216
  q: -8388609..8388607
lexicon:
  <bos>: +begin +a
  <eos>: +end
  n: +b
  k: +a
layer one:
  head odd:
"""
ONE_TOKEN = {
    "not_begin": "where: !begin\n    value: a>y",
    "not_end": "where: !end\n    value: a>y",
    "begin_not_end": "where: begin & !end\n    value: a>y",
    "raw_negative": "query: +f\n    key: -begin>f\n    value: a>y",
    "two_features": "query: +f +g\n    key: begin>f, end>g\n    value: a>y",
    "end_before": "query: +f\n    key: end>f\n    look: upto\n    value: a>y",
    "null_on_match": "query: +f\n    key: begin>f\n    else: 0 below 1\n    value: begin>y",
    "null_on_half": "query: +f\n    key: {1/2}begin>f\n    else: 0 below 0.5\n    value: begin>y",
    "null_on_sum": "query: +f\n    key: begin>f, begin>f\n    else: 0 below 2\n    value: begin>y",
    "null_below": "query: +f\n    key: begin>f\n    else: 0 below 0\n    value: begin>y",
    "queries": "normalize: queries\n    query: begin>f\n    key: +f\n    value: a>y",
    "written_begin": "where: begin\n    value: a>y",
}
RANGES = {
    "gate_closed": "a: 0..5\n  go\n  u: 0..5\n  x: 0..5\n  z: 0..18|k: +5a +go\n  n: +5a|u: a|x: u + a|z: x when !go",
    "gate_two": "a: 0..5\n  go\n  u: 0..5\n  x: 0..5\n  z: 0..18|k: +5a\n  n: +5a +go|u: a|x: u + a|z: 3x when go",
    "gate_difference": "a: 0..5\n  go\n  u: 0..5\n  x: 0..5\n  z: -9..18|k: +5a\n  n: +go|u: a|x: -u|z: 2x + 5 when go",
    "twice": "a\n  go\n  u\n  x\n  z: 0..18|k: +a|x: a|x: a|z: clip(7x, 0, 7)",
    "abs": "a\n  go\n  u\n  x: -1..1\n  z: 0..18|k: +a|x: -a|x: -a|z: abs(5x)",
    "low_end": "a: 3..9\n  go\n  u: 0..9\n  x: 0..9\n  z: 0..30|k: +3a\n  n: +go|u: 0|x: 0|z: 3a",
    "low_end_gated": "a: 3..9\n  go\n  u: 0..9\n  x: 0..9\n  z: 0..30|k: +3a\n  n: +go|u: 0|x: 0|z: 3a when go",
    "high_end": "a: -9..-5\n  go\n  u: 0..9\n  x: 0..9\n  z: 0..90|k: -5a\n  n: +go|u: 0|x: 0|z: 9 + a when go",
    "reversed": "a: 1..9\n  go\n  u: 0..9\n  x: 0..9\n  z: 0..90|k: +5a\n  n: +go|u: 0|x: 0|z: 10 - a when go",
    "not_reversed": "a: 1..9\n  go\n  u: 0..9\n  x: 0..9\n  z: 0..90|k: +5a\n  n: +go|u: 0|x: 0|z: 10 - a when !go",
    "tiny": "a: 0..0.0000001 step 0.00000001\n  go\n  u: 0..0.0000001 step 0.00000001\n  x: 0..0.0000001 step 0.00000001\n  z: 0..1000|k: +0.0000001a\n  n: +go|u: a|x: u + a|z: 1000000000x when go",
    "tiny_flag": "a: 0..0.0000001 step 0\n  go\n  u: 0..0.0000001 step 0\n  x: 0..0.0000001 step 0\n  z: 0..1000|k: +0.0000001a\n  n: +go|u: a|x: u + a|z: 1000000000x when go",
    "fine_flag": "a: 0..0.9999999 step 0.9999999\n  go\n  u: 0..1\n  x: 0..1\n  z: 0..1000|k: +0.9999999a\n  n: +go|u: a|x: u|z: 1000x when go",
}
CLOSE = {
    "raw": ("query: +f\n    key: a>f, 1.0000000001b>f", "k n"),
    "raw_third": ("query: +f\n    key: {1/3}a>f, 0.33333333333333b>f", "k n"),
    "raw_fine": ("query: +f\n    key: 0.1a>f, 0.10000000000000001b>f", "k n"),
    "highest": ("highest: 1.00000001a + b", "k n"),
    "match": ("match: q ~ a, 1.0000000000001q ~ b", "k n"),
}
SPELLED = (
    "capitals > loud",
    "capitals > loud, loud",
    'contains "O" > loud',
    'count "O" > loud',
    'count "D" > loud',
)
DISTANCES = (
    "look: before\n    where: noun",
    "look: upto\n    where: noun",
    "look: after\n    where: noun",
    "where: noun",
    "look: before",
)
STEPS = (
    ("0..3.999998 step 0.9999995", "3.999998", "0.9999995"),
    ("0..3.99996 step 0.99999", "3.99996", "0.99999"),
    ("0..3.999996 step 0.999999", "3.999996", "0.999999"),
    ("0..2 step 0.5", "2", "0.5"),
    ("0..3.99999996 step 0.99999999", "3.99999996", "0.99999999"),
)


def cases() -> Iterator[tuple[str, str, str, list[str]]]:
    """A name, a program, a format and texts."""
    for name, (dtype, text) in GIVEN.items():
        yield name, (FOLDER / f"{name}.seme").read_text(encoding="utf-8"), dtype, [text]
    for name, head in ONE_TOKEN.items():
        texts = ["n n", "k n n", "n <bos> n", "<bos>", "n <eos> k k", "k k k", "n"]
        for dtype in ("float32", "float64"):
            yield f"one_{name}_{dtype}", f"{ENDS}    {head}{BIG}", dtype, texts
    for name, given in RANGES.items():
        semes, tokens, *rules = given.split("|")
        layers = "".join(
            f"layer l{n}:\n  feedforward:\n    {rule}\n" for n, rule in enumerate(rules)
        )
        text = f"semes:\n  {semes}\nlexicon:\n  {tokens}\n  o: 0\n{layers}"
        yield f"range_{name}", text, "float32", ["k", "n", "o", "k n o"]
    for name, (head, words) in CLOSE.items():
        semes = "semes:\n  a b q\n  y: 0..1\nlexicon:\n  k: +a +q\n  n: +b +q\n"
        yield (
            f"close_{name}",
            f"{semes}layer one:\n  head h:\n    {head}\n    value: a>y\n",
            "float64",
            [words],
        )
    for number, mark in enumerate(SPELLED):
        text = (FOLDER / "spelled_twice.seme").read_text(encoding="utf-8")
        yield (
            f"spelled_{number}",
            text.replace("capitals > loud", mark),
            "float32",
            ["DOG", "dog", "DOGS DOOG"],
        )
    for number, look in enumerate(DISTANCES):
        text = (FOLDER / "distance_mean.seme").read_text(encoding="utf-8")
        text = text.replace("look: before\n    where: noun", look)
        yield f"distance_{number}", text, "float32", ["n n n", "n o n", "o n o n n o", "n"]
    for number, (values, begin, fall) in enumerate(STEPS):
        text = (FOLDER / "falls_slack.seme").read_text(encoding="utf-8")
        text = text.replace("0..3.999998 step 0.9999995", values).replace(
            "+3.999998rest", f"+{begin}rest"
        )
        yield (
            f"falls_{number}",
            text.replace("rest - 0.9999995", f"rest - {fall}"),
            "float64",
            ["k"],
        )
    for number, factor in enumerate(
        ("1.00000001", "1.0000000000000001", "1.0000001", "{1000001/1000000}", "0.99999999")
    ):
        text = (FOLDER / "close_classes.seme").read_text(encoding="utf-8")
        for dtype in ("float32", "float64"):
            yield (
                f"classes_{number}_{dtype}",
                text.replace("1.00000001a", f"{factor}a"),
                dtype,
                ["k", "k t0"],
            )
    for number, (kind, sharp) in enumerate(
        (
            ("float32", "1e+38"),
            ("float32", "1e+37"),
            ("float64", "1e+38"),
            ("float32", "1e+30"),
            ("bfloat16", "1e+38"),
        )
    ):
        text = (FOLDER / "sharpness_overflow.seme").read_text(encoding="utf-8")
        yield f"overflow_{number}", text.replace("1e+38", sharp), kind, ["n", "k n"]
    yield from nobody_there()


def nobody_there() -> Iterator[tuple[str, str, str, list[str]]]:
    """Sources that divide themselves among readers at a place where none stands."""
    for place in ("-2", "+1", "-1"):
        semes = (
            "model:\n  length: 9\nsemes:\n  p[0..2]\n  t: 0..100\nlexicon:\n  y: +p[1]\n  w: 0\n"
        )
        head = f"    match: 2p ~ p\n    normalize: queries\n    querypos: {place}\n    value: +t\n"
        text = f"{semes}layer one:\n  head h:\n{head}"
        yield f"nobody_there_{place}", text, "float32", ["w w w w w w w", "y w w", "w y y w"]
