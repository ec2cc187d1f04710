"""The interpreter against the reference: random programs, no tolerance.

    python -m benchmarks.refute.meanings --seed 1 --programs 1000
    python -m benchmarks.refute.meanings --seed 1 --programs 1000 --drafts

Programs are derived from the grammar; with `--drafts` they are those that certificates are asked
for. Each text is asked alone and in a list, with the engine in C and without. A difference is named
unless ours says that the text breaks a promise of the program: what an answer means then is said
nowhere.
"""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.refute.chance import Chance
from benchmarks.refute.constructs import constructs
from benchmarks.refute.grammar import derived
from benchmarks.refute.inputs import Inputs
from benchmarks.refute.programs import written
from progtf.building.load import analyse, flat_program
from progtf.program.answers import Answer
from progtf.program.interface import interface_of
from progtf.program.tokens import InputError
from progtf.reference import Reference, RefusedError
from progtf.running.interpret import Interpreter

TEXTS, ODD = 12, 4


@dataclass(frozen=True)
class Difference:
    """A text that is answered in two ways."""

    place: int
    text: str
    meant: str
    said: str
    promises: str


def compared(
    source: str, place: int, folder: Path, chance: Chance, seen: Counter[str]
) -> Iterator[Difference]:
    """The texts on which interpreter and reference differ, of one program."""
    program, _ = analyse(source, str(folder / f"program_{place}.seme"), folder)
    if program is None or program.hybrid:
        seen["refused or learned"] += 1
        return
    interpreter = Interpreter(program)
    inputs = Inputs(program, chance)
    if not inputs.words:
        seen["without words"] += 1
        return
    texts = [inputs.text(words) for words in inputs.first(TEXTS)][:TEXTS]
    texts += [_odd(text, chance) for text in texts[: ODD if program.lexicon else 0]]
    try:
        reference = Reference(flat_program(source, program.name, folder), interface_of(program))
        found = [reference.ask(text) for text in texts]
    except RefusedError:
        seen["the network only"] += 1
        return
    seen["programs"] += 1
    seen.update(f"with {name}" for name in constructs(program))
    answers = interpreter.try_answers(texts)
    slowly = Interpreter(program, native=False)
    for text, (meant, promises), said in zip(texts, found, answers, strict=True):
        seen["texts"] += 1
        for other, who in (interpreter, "alone"), (slowly, "without C"):
            (again,) = other.try_answers([text])
            if _all(again) != _all(said):
                yield Difference(place, text, _all(said), _all(again), f"{who} another answer")
        broken = said.broken if isinstance(said, Answer) else ()
        seen["broken"] += bool(broken)
        seen["in fractions"] += isinstance(said, Answer) and said.fractions
        wanted, got = _told(meant), _told(said)
        refused = isinstance(said, InputError)
        if refused and " wants " in str(said):
            continue  # it names what is broken, and what an answer would mean is said nowhere
        named = bool(promises) == bool(broken) or refused
        if (wanted != got and not broken) or (promises and not named):
            told = f"reference {[*map(str, promises)][:2]}, ours {[*map(str, broken)][:2]}"
            yield Difference(place, text, wanted, got, told)


def _odd(text: str, chance: Chance) -> str:
    """With an end inside, with an unknown word, or longer than a program takes."""
    words = text.split(" ")
    place = chance.randrange(len(words) + 1)
    return " ".join(
        [*words[:place], chance.pick(("<bos>", "<eos>", "?", text, "x")), *words[place:]]
    )


def _all(answer: Answer | InputError) -> str:
    broken = sorted(map(str, answer.broken)) if isinstance(answer, Answer) else []
    return f"{_told(answer)} {broken}"


def _told(answer: Answer | InputError) -> str:
    return answer.text if isinstance(answer, Answer) else f"error: {answer}"


def main() -> None:
    """Compares, and says what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--drafts", action="store_true", help="not derived from the grammar")
    parser.add_argument("--most", type=int, default=20, help="how many differences are shown")
    asked = parser.parse_args()
    seen, shown = Counter[str](), 0
    opened = TemporaryDirectory()
    folder = Path(opened.name)
    for place in range(asked.first, asked.first + asked.programs):
        seed = asked.seed
        source = written(seed, place) if asked.drafts else derived(seed, place, folder)
        chance = Chance(f"{asked.seed} {place} texts")
        try:
            differences = [*compared(source, place, folder, chance, seen)] if source else []
        except Exception:  # noqa: BLE001  it is said, and the others are tried
            told = "".join(traceback.format_exc().splitlines(keepends=True)[-3:])
            differences = [Difference(place, "", "an answer", told, "it ended in a traceback")]
        seen["programs that differ"] += bool(differences)
        seen["texts that differ"] += len(differences)
        for each in differences[:1] if shown < asked.most else ():
            shown += 1
            print(f"--- program {each.place}, text {each.text!r}")
            print(f"    meant {each.meant!r}\n    said  {each.said!r}\n    {each.promises}")
    for name, count in sorted(seen.items()):
        print(f"{count:8,} {name}")
    opened.cleanup()
    sys.exit(bool(seen["texts that differ"]))


if __name__ == "__main__":
    main()
