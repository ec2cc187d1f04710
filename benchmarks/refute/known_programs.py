"""Programs that are there: known ones with other numbers, and those that the tests write."""

import re
from functools import lru_cache
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks.refute.chance import LARGE, ODD, SIZES, Chance
from progtf.notation.spell import number
from tests.exact import wrong
from tests.network.programs import programs as tested

ROOT = Path(__file__).parents[2]
BLOCK = 32
SLOW = ("signed_difference", "gates_after_a_mean")
_NUMBER = re.compile(r"(?<![\w.\[/{])-?\d[\d]*(?:\.\d+)?(?![\w.\]/}:])")


@lru_cache(maxsize=4)
def borrowed(seed: int, block: int) -> list[str]:
    """Programs that the tests of the network try."""
    texts: list[str] = []
    kinds = st.sampled_from(("encoder", "encoder", "seq2seq")).flatmap(tested)

    @settings(
        max_examples=4 * BLOCK, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @hypothesis.seed(1000 * seed + block)
    @given(kinds)
    def gather(text: str) -> None:
        texts.append(text)

    gather()
    return [texts[-1 - k % len(texts)] for k in range(BLOCK)]


@lru_cache(maxsize=1)
def known() -> list[str]:
    """Programs that have been hard to prove, and small examples."""
    files = sorted((ROOT / "tests/data/certificates").glob("*.seme"))
    files = [file for file in files if file.stem not in SLOW] * 3 + files
    for folder in ("article", "attention", "binding"):
        files += sorted((ROOT / "examples" / folder).glob("*.seme"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    texts += [text for name, text in sorted(vars(wrong).items()) if name.isupper()] * 5
    return [text.partition("\nexamples:")[0] + "\n" for text in texts if " from " not in text]


def mutated(chance: Chance) -> str:
    """A known program with some other numbers."""
    text = chance.pick(known())
    share = chance.pick((0.0, 0.1, 0.3, 0.6))

    def changed(found: re.Match[str]) -> str:
        return _other(chance, found[0]) if chance.often(share) else found[0]

    lines = text.splitlines()
    return "\n".join(
        line if line.strip().startswith(("clocks", "for ", "#")) else _NUMBER.sub(changed, line)
        for line in lines
    )


def _other(chance: Chance, text: str) -> str:
    value = float(text)
    if abs(value) > 1000:
        return number(chance.pick((value + 1, value - 1, value * 3, value / 2, *LARGE)))
    if value == int(value):
        return number(chance.pick((value + 1, value + 2, 2 * value, value, *map(float, SIZES))))
    return number(chance.pick((*ODD, value * 1.1)))
