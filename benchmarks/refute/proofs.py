"""The kernel's proofs against networks: random programs, in every number format.

    python -m benchmarks.refute.proofs --seed 1 --programs 1000
    python -m benchmarks.refute.proofs --seed 1 --programs 1000 --drafts

A proof is false if a network answers a text otherwise than the interpreter, and the text breaks no
condition of the proof. Programs are derived from the grammar; with `--drafts` they are those that
certificates are asked for. Each text is asked alone and in a list.
"""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import progtf
from benchmarks.refute.chance import Chance
from benchmarks.refute.grammar import derived
from benchmarks.refute.inputs import Inputs
from benchmarks.refute.programs import written
from progtf.building.load import analyse
from progtf.exact import FORMATS, proving
from progtf.exact.kept import broken
from progtf.exact.kernel.network import FINE
from progtf.exact.kernel.numbers import NotProven
from progtf.program.answers import Answer
from progtf.program.formats import FormatError
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter

TEXTS, SECONDS = 12, 1.0


@dataclass(frozen=True)
class Refuted:
    """A text that a proven network answers otherwise, though it keeps all conditions."""

    dtype: str
    text: str
    meant: str
    got: str


def refuted(program: Program, texts: list[str], seen: Counter[str]) -> Iterator[Refuted]:
    """The texts on which a proven network and the interpreter differ, in every format."""
    meant = Interpreter(program)
    due = [_told(each) for each in meant.try_answers(texts)]
    for dtype in FORMATS:
        try:
            made = proving.proof_of(program, dtype)
        except (NotProven, FormatError):
            continue
        seen[f"proven in {dtype}"] += 1
        network = progtf.compile(program, dtype)
        together = [_told(each) for each in network.try_answers(texts)]
        for text, wanted, listed in zip(texts, due, together, strict=True):
            if wanted is None:
                continue
            seen["texts"] += 1
            alone = _told(network.try_answers([text])[0])
            got = next((got for got in (listed, alone) if not _same(got, wanted)), wanted)
            if got is wanted:
                continue
            if broken(meant, meant.read([text])[0], made.held):
                seen["texts that break a condition"] += 1
            else:
                yield Refuted(dtype, text, wanted.text, got.text if got else "nothing")


def _told(answer: Answer | InputError) -> Answer | None:
    return answer if isinstance(answer, Answer) else None


def _same(got: Answer | None, due: Answer) -> bool:
    """Whether two answers are the same; of those in numbers, as far as a proof says (`FINE`)."""
    if got is None or due.residual is None or got.residual is None:
        return got is not None and (got.text == due.text or _near(got.score, due.score))
    return got.residual.shape == due.residual.shape and bool(
        (abs(got.residual - due.residual) <= FINE).all()
    )


def _near(got: float | None, due: float | None) -> bool:
    return got is not None and due is not None and abs(got - due) <= FINE


def main() -> None:
    """Tries, and says which proofs are false."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--drafts", action="store_true", help="not derived from the grammar")
    asked = parser.parse_args()
    proving.MOST_SECONDS = SECONDS  # claims that are not needed may stay
    seen, opened = Counter[str](), TemporaryDirectory()
    folder = Path(opened.name)
    for place in range(asked.first, asked.first + asked.programs):
        source = written(asked.seed, place) if asked.drafts else derived(asked.seed, place, folder)
        program, _ = analyse(source, str(folder / f"program_{place}.seme"), folder)
        if program is None or program.hybrid:
            continue
        inputs = Inputs(program, Chance(f"{asked.seed} {place} texts"))
        if not inputs.words:
            continue
        seen["programs"] += 1
        texts = [inputs.text(words) for words in inputs.first(TEXTS)][:TEXTS]
        try:
            found = [*refuted(program, texts, seen)]
        except Exception:  # noqa: BLE001  it is said, and the others are tried
            seen["tracebacks"] += 1
            print(f"--- program {place}\n{traceback.format_exc()[-600:]}")
            continue
        seen["programs with a false proof"] += bool(found)
        for each in found[:1]:
            print(f"--- program {place} in {each.dtype}, text {each.text!r}")
            print(f"    meant {each.meant!r}\n    got   {each.got!r}")
    for name, count in sorted(seen.items()):
        print(f"{count:8,} {name}")
    opened.cleanup()
    sys.exit(bool(seen["programs with a false proof"] + seen["tracebacks"]))


if __name__ == "__main__":
    main()
