"""``progtf run``: what a program says about texts."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

import typer

from progtf.cache import Cache
from progtf.cli import typed
from progtf.cli.chains import taken, tell_steps
from progtf.cli.digits import Digits, with_digits
from progtf.cli.messages import FIRST_PRINTED, TWO_TOKENS, Kind, UserError, say, warn
from progtf.cli.outcome import NoCache, Settled, kept, tell
from progtf.cli.sources import read_answering, read_inside, read_interpreter, read_program
from progtf.cli.streams import lines_of_stdin
from progtf.cli.texts import read_text
from progtf.cli.workers import Carried, Each, Workers, shared_by
from progtf.notation.spell import counted
from progtf.numbers import EXACT, as_data, plain, score
from progtf.program.answers import TIED, Answer, EndlessError
from progtf.program.asked import REFUSED, Answered, nearest_kinds
from progtf.program.tokens import InputError, Reader

if TYPE_CHECKING:
    from progtf.network.model import Model
    from progtf.program.arrays import Array
    from progtf.reference import Reference
    from progtf.running.interpret import Interpreter
    from progtf.training.networks import LearnedModel

CHUNK = 512
Runner: TypeAlias = "Model | Interpreter | Reference | LearnedModel"
Engine = Literal["network", "interpreter", "reference"]


def run(  # noqa: PLR0913  options of a command
    file: Annotated[
        Path, typer.Argument(help="A `.seme` program, a compiled folder or a checkpoint.")
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]...", help="Inputs; `-` reads them from stdin, one a line."),
    ] = None,
    *,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a JSON object for each input: output, who answered, scores, semes.",
        ),
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="SEMES",
            help="Show the values of some semes at every token after every layer: `place,rank`.",
        ),
    ] = None,
    margins: Annotated[
        bool,
        typer.Option(
            help="Show by how much answers were safe: the smallest gap between logits, between "
            "what attention reads and the rest, and between a number and a threshold."
        ),
    ] = False,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Show every step of a program that asks again what it wrote, and what each "
            "replaces.",
        ),
    ] = False,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            help="A file that is one more input, behind all others; its line ends are blanks.",
        ),
    ] = None,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Print what a decoder writes token by token, as it comes: millions of them.",
        ),
    ] = False,
    digits: Digits = None,
    engine: Annotated[
        Engine | None,
        typer.Option(
            help="Who answers: the `interpreter`, which computes what is written, exactly, checks "
            "what the program promises, and needs no torch; the `network` that the program "
            "compiles to; or the `reference`, which computes in fractions, slowly. Without it the "
            "interpreter; of a folder, of a program that leaves something to training or attends "
            "softly, and beside `--dtype`, the network."
        ),
    ] = None,
    dtype: Settled = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse a text that breaks what the program promises; of a network, answers that "
            "are not proven to be exact.",
        ),
    ] = False,
    no_cache: NoCache = False,
    workers: Workers = None,
) -> None:
    """Run a program on texts: one line of output for every input, in order.

    A written program is answered by the interpreter, which computes exactly what is written; what
    is learned, attends softly, or lies compiled in a folder by the network. An input that the
    program cannot take gives an empty line, a message on stderr with its number, and status 1
    at the end. So does an answer that does not end, but that its line has the text so far. With
    `--json` both are objects with an `error`. A text that breaks what the program promises is
    answered, and stderr names the promise; with `--strict` it is refused, as an input that the
    program cannot take. Of a network that is not proven to be exact stderr says so first; with
    `--strict` it is refused, with the status that `progtf check` has.

    What a program with `again:` writes is asked again, until its answer stands there. `--steps`
    prints each text before it, with marks under what the next one replaces, and a question below
    the text that asked it; `--json` has them all.

    Examples:
        progtf run examples/math/place_value.seme "What is the tens digit of 1234?"

        progtf run examples/math/place_value.seme - < questions.txt

        progtf run examples/machines/subleq.seme --file memory.txt --stream
    """
    inputs = _inputs(texts, files or [])
    kind: Kind = "line" if texts and "-" in texts else "text"
    if engine in ("interpreter", "reference") and dtype is not None:
        raise UserError(f"--engine {engine} computes exactly; leave --dtype out")
    if as_json and (trace is not None or margins):
        raise UserError("--json prints answers; leave --trace and --margins out")
    others = as_json or steps or trace is not None or margins or workers is not None
    if stream and (others or engine in ("network", "reference") or dtype is not None):
        raise UserError(
            "--stream prints tokens of the interpreter as they come; leave --json, --steps, "
            "--trace, --margins, --workers, --dtype and other engines out"
        )
    if steps and (as_json or trace is not None or margins):
        raise UserError(
            "--json, --trace and --margins show all steps by themselves; leave --steps out"
        )
    inside = trace is not None or margins
    runner = _runner(file, dtype, kept(no_cache=no_cache), engine, inside=inside)
    tell(file, runner.outcome, strict=strict)
    with_digits(runner, digits)
    if inside:
        from progtf.cli.inspect import print_margins, print_traces  # noqa: PLC0415  rich is slow

        seen, texts = cast("Model | Interpreter", runner), list(inputs)
        failed = trace is not None and print_traces(seen, texts, trace, kind)
        failed |= margins and print_margins(file, seen, texts, kind)
    elif stream:
        from progtf.cli.streaming import print_streams  # noqa: PLC0415  chosen here

        failed = print_streams(file, runner, inputs, kind, strict=strict)
    else:
        with shared_by(workers) as each:
            shown = _Shown(runner, digits, engine) if as_json else None
            kinds = _Kinds(file, kept(no_cache=no_cache))
            failed = _print_answers(
                runner, inputs, kind, each, shown, kinds, strict=strict, steps=steps
            )
    if failed:
        sys.exit(1)


def _inputs(texts: list[str] | None, files: Sequence[Path]) -> Iterator[str]:
    if not texts and not files:
        raise UserError("no input: give texts after the file, or `-` to read them from stdin")
    for text in texts or ():
        if text[:2] == "--" and text[2:3].isalpha() and "--" not in sys.argv:
            hint = "a text that begins so stands behind `--`, as in `progtf run FILE -- TEXT`"
            raise UserError(f"there is no option {text.partition('=')[0]}; {hint}")
        if text == "-":
            yield from _lines_of_stdin()
        else:
            yield text
    for each in files:
        yield read_text(each).removesuffix("\n").replace("\n", " ")


def _lines_of_stdin() -> Iterator[str]:
    empty = True
    for line in lines_of_stdin():
        empty = False
        yield line.text
    if empty:
        warn("nothing was read from stdin: it was empty")


def _runner(
    file: Path,
    dtype: str | None,
    cache: Cache,
    engine: Engine | None,
    *,
    inside: bool,
) -> Runner:
    """What answers; only a program, or its weights, can be looked ``inside``."""
    if engine in ("interpreter", "reference") and file.is_dir():
        raise UserError(f"the {engine} needs the program's text, not a compiled folder")
    if engine == "reference":
        if inside:
            raise UserError("--engine reference answers; leave --trace and --margins out")
        return _reference(file)
    read = read_inside if inside else read_answering
    return read(file, dtype, cache, engine)


def _reference(file: Path) -> "Reference":
    from progtf.building.load import flat_program  # noqa: PLC0415  chosen here
    from progtf.program.interface import interface_of  # noqa: PLC0415  as said
    from progtf.reference import Reference, RefusedError  # noqa: PLC0415  as said

    program = read_program(file)
    flat = flat_program(read_text(file), program.name, file.parent)
    try:
        return Reference(flat, interface_of(program))
    except RefusedError as error:
        raise UserError(f"{file}: {error}") from None


def _print_answers(
    runner: Runner,
    inputs: Iterable[str],
    kind: Kind,
    each: Each,
    shown: "_Shown | None",
    kinds: "_Kinds",
    *,
    strict: bool,
    steps: bool,
) -> bool:
    """Prints a line for every input; whether any of them could not be answered."""
    failed, number, refused, proven = False, 0, 0, runner.outcome.exact
    reader: Reader | None = getattr(runner, "reader", None)
    with _progress() as come_further:
        for texts, answers in each(Carried(runner).beside, _chunks(inputs)):
            for text, answer in zip(texts, answers, strict=True):
                number += 1
                place = f"{kind} {number}"
                said, error = _so_far(answer)
                if said is not None and proven and not said.outcome.exact:
                    warn(f"{place}: {said.outcome}")
                    if strict:
                        said, error = None, InputError("--strict asks for exact answers")
                if error is not None:
                    failed = True
                    warn(f"{place}: {error}")
                if said is None:
                    refused += 1
                else:
                    _doubt(place, said)
                    for guess in () if reader is None else typed.guesses(reader, text):
                        warn(f"{place}: {guess}")
                    kinds.tell(place, text, said)
                if steps:
                    tell_steps(text, said, error)
                if shown is not None:
                    say(json.dumps(shown.of(text, said, error), ensure_ascii=False))
                else:
                    say("" if said is None else said.text.replace("\n", "\\n"))
            sys.stdout.flush()
            come_further("lines", len(texts))
    kinds.tell_all()
    if refused and number > 1:
        warn(f"{refused} of {number} inputs refused")
    return failed


def _so_far(tried: Answer | InputError) -> tuple[Answer | None, InputError | None]:
    """An answer, and why there is none: of one that does not end both."""
    if isinstance(tried, EndlessError):
        return tried.answer, tried
    return (None, tried) if isinstance(tried, InputError) else (tried, None)


def _chunks(inputs: Iterable[str]) -> Iterator[list[str]]:
    stream = iter(inputs)
    while chunk := list(islice(stream, CHUNK)):
        yield chunk


def _progress() -> AbstractContextManager[Callable[[str, int], None]]:
    """A bar where somebody waits at a terminal and the answers go elsewhere."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        return nullcontext(lambda _name, _more: None)
    from progtf.cli.progress import progress_bar  # noqa: PLC0415  rich is slow

    return progress_bar(None)


def _doubt(place: str, answer: Answer) -> None:
    """What makes an answer doubtful, said on stderr; of a chain step by step."""
    for number, step in enumerate(answer.steps, start=1):
        _doubt_of(f"{place}: step {number}", step.answer)
    if not answer.steps:
        _doubt_of(place, answer)


def _doubt_of(place: str, answer: Answer) -> None:
    if (left := answer.outside) is not None:
        warn(
            f"{place}: `{left.seme}` is {plain(left.value)} at token {left.position + 1}, "
            f"`{left.token}`, outside its range {plain(left.low)}..{plain(left.high)}: "
            "the answer may be wrong"
        )
    if answer.tie:
        warn(f"{place}: {_tied(answer)} {FIRST_PRINTED}")


def _tied(answer: Answer) -> str:
    if answer.scores is None:
        return TWO_TOKENS
    best = max(answer.scores.values()) - TIED
    return " and ".join(f"`{name}`" for name, score in answer.scores.items() if score >= best)


class _Kinds:
    """What kinds of question a program of parts answers, told of a text that it has no answer to.

    Args:
        file: the program; of a folder nothing is told.
        cache: where it was understood.
    """

    NEAREST, NAMED, TOLD = 3, 40, 20

    def __init__(self, file: Path, cache: Cache) -> None:
        self.file, self.cache, self.count = file, cache, 0

    @cached_property
    def known(self) -> tuple[Answered, ...]:
        """The kinds that there are."""
        if self.file.is_dir():
            return ()
        return read_interpreter(self.file, self.cache).ready.first.answers

    def tell(self, place: str, text: str, answer: Answer) -> None:
        """The questions that it answers and that are nearest to a text without an answer."""
        if not answer.text.startswith(REFUSED) or not self.known:
            return
        self.count += 1
        if self.count > self.TOLD:
            return
        near = nearest_kinds(text, self.known)[: self.NEAREST]
        shown = ", ".join(f"`{question}` ({kind.name})" for kind, question in near)
        warn(f"{place}: no answer; nearest to it are questions such as {shown}")

    def tell_all(self) -> None:
        """All kinds, once, if a text had no answer; and how many had none, if not all were told."""
        if self.count > self.TOLD:
            warn(f"{self.count:,} inputs have no answer")
        if self.count:
            names = ", ".join(kind.name for kind in self.known[: self.NAMED])
            more = ", ..." if len(self.known) > self.NAMED else ""
            warn(f"{counted(len(self.known), 'kind')} of question are answered: {names}{more}")


class _Shown:
    """Answers as JSON.

    What is declared whole is an int, as it is printed; other numbers have all of their digits, or
    as many as ``digits`` says. None is -0, and none is infinite: the gap of an answer without a
    second one is left out.
    """

    def __init__(self, runner: Runner, digits: int | None, engine: Engine | None) -> None:
        self.digits, speaker = digits, getattr(runner, "speaker", None)
        meant = runner.outcome.verdict == "by meaning"
        vectors = speaker is None or speaker.interface.takes_vectors
        self.reader: Reader | None = None if vectors else getattr(runner, "reader", None)
        self.engine = engine or ("interpreter" if meant else "network")
        self.semes = () if speaker is None else speaker.interface.space[: len(speaker.semes)]
        self.noise = EXACT if speaker is None else speaker.style.noise

    def of(self, text: str, answer: Answer | None, error: InputError | None) -> dict[str, Any]:
        """What is printed of an input: of one that is refused there is no output, but an error."""
        shown: dict[str, Any] = {"input": text, "output": None if answer is None else answer.text}
        shown["engine"] = self.engine
        if error is not None:
            shown["error"] = str(error)
        if told := [*taken(answer, error)]:
            shown["steps"] = told
        if answer is None:
            return shown
        outcome = answer.outcome
        shown["outcome"] = {
            "verdict": outcome.verdict,
            "dtype": outcome.dtype,
            "assumptions": len(outcome.assumptions),
        }
        if answer.broken:
            told = [asdict(each) for each in answer.broken]
            shown["broken"] = [
                {k: v for k, v in each.items() if k != "reads" and (k != "step" or v)}
                for each in told
            ]
        if answer.score is not None:
            shown["score"] = self._score(answer.score)
        if answer.scores is not None:
            shown["scores"] = {name: self._score(each) for name, each in answer.scores.items()}
        if answer.gap is not None and math.isfinite(answer.gap):
            shown["gap"] = self._score(answer.gap)
        if answer.tie:
            shown["tie"] = True
        if answer.outside is not None:
            shown["outside"] = asdict(answer.outside)
        if answer.because:
            shown["because"] = [asdict(reason) for reason in answer.because]
        tokens = self._tokens(text, answer)
        if tokens:
            shown["tokens"] = tokens
        return shown

    def _tokens(self, text: str, answer: Answer) -> list[dict[str, Any]]:
        """The words of a text with their places, and what they hold where that is the answer."""
        reader = self.reader
        tokens = [] if reader is None else typed.as_data(reader, typed.typed_in(reader, text))
        if answer.residual is None:
            return tokens
        if len(tokens) != len(answer.tokens):
            tokens = [{"token": token} for token in answer.tokens]
        semes = ({"semes": self._vector(row)} for row in answer.residual)
        return [token | vector for token, vector in zip(tokens, semes, strict=True)]

    def _vector(self, row: "Array") -> dict[str, float]:
        numbers = (
            (seme.name, as_data(value, whole=seme.whole, digits=self.digits, noise=self.noise))
            for seme, value in zip(self.semes, row.tolist(), strict=False)
            if value
        )
        return {name: number for name, number in numbers if number}

    def _score(self, value: float) -> float:
        return as_data(value if self.digits is None else float(score(value, self.digits)))
