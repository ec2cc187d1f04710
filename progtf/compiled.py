"""Programs that were read or compiled once, kept by the content of all that they were read from.

The text of a program tells which files were looked for, and what these hold tells what it is. So
a note of the files is kept by the text, and the rest by the content of the files: a copy of a
program elsewhere, in a folder or a package, is the same program. Kept are the program, for whoever
looks into it; what answers its texts (`Ready`); and its weights, for the network.
"""

import hashlib
import json
import lzma
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from progtf.bounded import read_bytes
from progtf.cache import Cache, Reading, library
from progtf.collector import collector_paused
from progtf.content import key_of
from progtf.notation.diagnostics import Diagnostic, Source, errors
from progtf.notation.grammar import grammar_text
from progtf.notation.render import SemeError
from progtf.notation.sought import Seen, Sought, Told, shown
from progtf.once import once
from progtf.program.answering import Input
from progtf.program.asleep import Asleep
from progtf.program.model import Program
from progtf.program.outcome import Judge, Outcome, Proof
from progtf.program.packed import PackedError, packed, unpacked
from progtf.program.tokens import InputError
from progtf.terminal import plain
from progtf.texts import text_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from progtf.weights.ready import First, Ready
    from progtf.weights.weights import Weights

LARGEST = 16 * 2**20
"""What has more bytes is not kept: some of it would leave no room for others."""
READING = ("notation", "building", "program")
"""The rooms that make a program of a text."""
ANSWERING = (*READING, "running")
PROVING = (*ANSWERING, "weights", "exact")

_GIVING = Lock()
Read = tuple[Program, tuple[Diagnostic, ...]]
"""A program, and what is doubtful in it."""

FAST = 1
"""Names and places repeat so much that zlib leaves a tenth without looking far."""


class Place:
    """A program that lies somewhere, and what is kept of it.

    All that one of these gives is made of the same content of the program's files: of that which
    lay there when it first gave something. What others wrote meanwhile is for who comes next.

    Args:
        path: where its text lies, as messages name it.
        text: its bytes, which are what is read: the file may be another one by then.
        kept: where things are kept.
    """

    def __init__(self, path: Path, text: bytes, kept: Cache) -> None:
        self.path, self.text, self.kept = path, text, kept
        self._digest = hashlib.sha256(text).hexdigest()
        self._given: dict[Path, str] | None = None

    def read(self) -> Read:
        """The program and what is doubtful in it, as it was kept, or read anew.

        Raises:
            SemeError: with all errors of the program.
        """
        found = self.program() or self.anew()
        _places(found[0])["here"] = self
        return found

    def asleep(self) -> Program:
        """The program; if it is kept, it is made when somebody looks at it.

        Raises:
            SemeError: with all errors of the program.
        """
        data = None if self.seen is None else self.kept.read(self._key("program", READING))
        if data is None or self.seen is None:
            return self.read()[0]
        self._gives(self.seen.sought)
        _ = self._files  # as they are called now
        again = partial(self.again, lambda: (self._program(data) or self.anew())[0])
        program = Asleep(str(self.path), self.seen.sought, again)
        _places(program)["here"] = self
        return program

    def anew(self) -> Read:
        """The same, as its text is, whatever is kept; from then on it is.

        Raises:
            SemeError: with all errors of the program.
        """
        program, found = self.analysed()
        if program is None:
            raise SemeError(errors(found))
        return program, found

    def again(self, read: Callable[[], Program]) -> Program:
        """The program, whose parts may have answered before, when it is asked for as a whole.

        Raises:
            InputError: if parts did, and a file that it uses is another one by now.
        """
        program = read()
        if not self._gives(program.sought):
            raise InputError(
                f"{self.path}: a file that it uses has changed meanwhile: load it again"
            )
        return program

    def _gives(self, sought: Sought) -> bool:
        """Whether something was made of the same content as all that was given before."""
        with _GIVING:  # threads may share a program
            if self._given is None:
                self._given = {**sought.contents}
        return self._given == sought.contents

    def analysed(self) -> tuple[Program | None, tuple[Diagnostic, ...]]:
        """The same; None where it has mistakes, which are told beside."""
        from progtf.building.load import analyse  # noqa: PLC0415  what is kept needs no grammar
        from progtf.notation.files import as_text  # noqa: PLC0415  as said

        name, why, began = str(self.path), self.why, time.perf_counter()
        program, found = analyse(as_text(self.text, name), name, self.path.parent)
        if program is not None:
            self.keep(program, found)
            took = round(time.perf_counter() - began, 2)
            self.kept.note(self._where, Reading(time.time(), took, why, self._state))
        return program, found

    @property
    def why(self) -> str:
        """Why nothing that is kept is of use, as far as the last reading tells."""
        last = self.kept.readings.get(self._where)
        if last is None:
            return "it was not read before"
        now = self._state
        for name, what in (("progtf", "progtf"), ("", "its text")):
            if last.state.get(name) != now[name]:
                return f"{what} has changed"
        for name, digest in now.items():
            before = last.state.get(name, "")
            if before != digest:
                how = "is new" if not before else "is gone" if not digest else "has changed"
                return f"{name} {how}"
        return "what was kept of it is gone"

    @property
    def _where(self) -> str:
        return str(self.path.absolute())

    @property
    def _state(self) -> dict[str, str]:
        """The digests of what it is read from, by name."""
        places = [] if self.seen is None else self.seen.key[0]
        files = {way if root == "program" else f"{root}/{way}": d for (root, way), _, d in places}
        return {"progtf": library(*READING), "": self._digest, **files}

    def keep(self, program: Program, warnings: Sequence[Diagnostic]) -> None:
        """Keeps a program by all files that were looked for to read it.

        Nothing is kept if one of them is no longer what was read.
        """
        if not self._gives(program.sought):
            Place(self.path, self.text, self.kept).keep(program, warnings)
            return
        if not self.kept.keeps:
            self.seen = self.seen if self.seen and self.seen.still(program.sought) else None
            return
        names = program.sought.names(self.path.parent)
        seen = Seen.of(names, self.path)
        self.seen = seen if seen.still(program.sought) else None
        if self.seen is not None:
            self.kept.write(self._names_key, json.dumps(names).encode())
            self.put("program", (program, tuple(warnings)), READING)

    def program(self) -> Read | None:
        """The program and what is doubtful in it, as if it had been read; None: it is not kept."""
        return (
            None
            if self.seen is None
            else self._program(self.kept.read(self._key("program", READING)))
        )

    def _program(self, data: bytes | None) -> Read | None:
        found = self._unpacked(_opened(data))
        if found is None or self.seen is None or not self._gives(self.seen.sought):
            return None
        program, warnings = found
        return replace(program, name=str(self.path), sought=self.seen.sought), warnings

    def get(self, name: str, rooms: Sequence[str] = ANSWERING) -> Any:
        """Parts of the program that are kept under a name; None: nothing.

        Args:
            name: what they are called.
            rooms: whose sources made them.
        """
        return self._unpacked(self.held(name, rooms))

    def _unpacked(self, data: bytes | None) -> Any:
        try:
            return None if data is None else unpacked(data, self._text)
        except PackedError:  # nobody's
            return None

    def put(self, name: str, parts: Any, rooms: Sequence[str] = ANSWERING) -> None:
        """Keeps parts of the program."""
        if self.kept.keeps and self.seen is not None:
            files = (*map(_called, self.seen.files), "")
            self.hold(name, packed(parts, {self._text(each): each for each in files}), rooms)

    def held(self, name: str, rooms: Sequence[str]) -> bytes | None:
        """The bytes that are kept under a name."""
        if self.seen is None:
            return None
        found = _opened(self.kept.read(self._key(name, rooms)))
        return found if found is not None and self._gives(self.seen.sought) else None

    def hold(self, name: str, data: bytes, rooms: Sequence[str]) -> None:
        """Keeps bytes, if they are not too many."""
        small = zlib.compress(data, FAST)
        if self.seen is not None and self._gives(self.seen.sought) and len(small) <= LARGEST:
            self.kept.write(self._key(name, rooms), small)

    @cached_property
    def seen(self) -> Seen | None:
        """What lies where its files were looked for; None: where that was is not kept."""
        names = self.kept.read(self._names_key, own_first=True)  # of what lies here
        return None if names is None else Seen.of(json.loads(names), self.path)

    def _text(self, called: str) -> Source:
        """The text of a file, by where it was found; of the program itself by ""."""
        if not called:
            return Source(str(self.path), text_of(self.text))
        assert self.seen is not None
        name, data = self._files[called]
        return Source(name, text_of(data))

    @cached_property
    def _files(self) -> dict[str, tuple[str, bytes]]:
        files = {} if self.seen is None else self.seen.files
        return {_called(told): (shown(full), data) for told, (full, data) in files.items()}

    @property
    def _names_key(self) -> str:
        return key_of("names", library(*READING), grammar_text(), self._digest)

    def _key(self, name: str, rooms: Sequence[str]) -> str:
        assert self.seen is not None
        return key_of(name, library(*rooms), grammar_text(), self._digest, self.seen.key)


@dataclass(frozen=True)
class Judged:
    """Holds what is assumed of a program against each text, as `progtf.outcomes.Kept`; the program
    is read when something is assumed.
    """

    place: Place

    def __call__(self, given: Input, outcome: Outcome) -> Outcome:
        """The outcome of an answer: where a text breaks an assumption nothing is proven."""
        return self._judge(given, outcome) if outcome.held else outcome

    @cached_property
    def _judge(self) -> Judge:
        from progtf.outcomes import Kept  # noqa: PLC0415  proofs take their time

        return Kept(self.place.again(lambda: self.place.read()[0]))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._judge.__reduce__()  # type: ignore[return-value]


def load(path: str | Path, learn: str = "", lexicon: str = "") -> Program:
    """The program in a ``.seme`` file.

    A program that was read before, here or by the command line, is not read again, as long as the
    file and all that it uses have the content that they had (docs/checking.md).

    Args:
        path: the file.
        learn: the lines of a ``learn:`` block in place of the file's own.
        lexicon: lines of a ``lexicon:`` block, in place of what it says of these tokens.

    Raises:
        SemeError: with all errors of the file.
        OSError: if it cannot be read.
    """
    path = Path(path)
    if learn or lexicon:
        from progtf.building import load as home  # noqa: PLC0415  what is kept needs no grammar

        return home.load(path, learn, lexicon)
    return Place(path, read_bytes(path), Cache.of_user()).asleep()


def place_of(program: Program) -> Place | None:
    """Where a program was read, and what is kept of it; None of one that was made otherwise."""
    return _places(program).get("here")


@once
def _places(_: Program) -> dict[str, Place]:
    """What `place_of` knows of a program, which whoever reads it says."""
    return {}


def _opened(data: bytes | None) -> bytes | None:
    try:
        return None if data is None else opened(data)
    except (zlib.error, lzma.LZMAError):  # nobody's
        return None


def opened(data: bytes) -> bytes:
    """What was made small: quickly by zlib, as here, or by lzma, as what is shipped."""
    return lzma.decompress(data) if data.startswith(_XZ) else zlib.decompress(data)


_XZ = b"\xfd7zXZ"


def _called(told: Told) -> str:
    return ":".join(told)


@cache
def _json() -> "TypeAdapter[First]":
    from pydantic import TypeAdapter  # noqa: PLC0415  only who compiles waits

    from progtf.weights.ready import First  # noqa: PLC0415  as said

    return TypeAdapter(First)


class Compiled:
    """The weights of a program, as they were kept, and the parts of them that answer.

    Args:
        place: the program.
        dtype: the format that was asked for; None: the one in which it is proven.
    """

    def __init__(self, place: Place, dtype: str | None) -> None:
        self.place, self._name = place, f"weights {dtype or 'as proven'}"

    def ready(self, read: Callable[[], Program], prove: "Callable[[Program], Weights]") -> "Ready":
        """The weights as whoever answers has them; what is not kept is made, and kept.

        Args:
            read: finds the program.
            prove: makes its weights, with what is proven of them found out.
        """
        from progtf.weights.ready import First, Ready, flags_of  # noqa: PLC0415  numbers are slow

        def whole() -> "Weights":
            found = self.weights()
            if found is None:
                found = prove(read() if first is None else self.place.again(read))
                self.keep(found)
            return found

        first = self._first()
        if first is not None:
            proof = Proof.of(first.outcome, Judged(self.place))
            return Ready(whole, first, proof, self)
        weights = whole()
        if flags := flags_of(weights):
            told = First(weights.layout, weights.dtype, weights.outcome, flags)
            self.place.hold(f"{self._name}, first", _json().dump_json(told), PROVING)
        return Ready.of(weights, self)

    def _first(self) -> "First | None":
        data = self.place.held(f"{self._name}, first", PROVING)
        if data is None:
            return None
        try:
            with collector_paused():
                first = _json().validate_json(data)
        except ValueError:  # nobody's
            return None
        return replace(first, layout=replace(first.layout, name=plain(str(self.place.path))))

    def part(self, name: str) -> "Weights | None":
        """A part of the weights; None: it is not kept."""
        data = self.place.held(f"{self._name}, {name}", PROVING)
        if data is None:
            return None
        from progtf.weights.folder import FolderError, unpacked  # noqa: PLC0415  as above

        try:
            return unpacked(data, part=True)
        except FolderError:  # nobody's
            return None

    def keep_part(self, name: str, weights: "Weights") -> None:
        """Keeps a part of the weights of a program that was kept before."""
        from progtf.weights.folder import packed  # noqa: PLC0415  as above

        if self.place.kept.keeps:
            self.place.hold(f"{self._name}, {name}", packed(weights), PROVING)

    def weights(self) -> "Weights | None":
        """The weights, with what is proven of them; None: they are not kept."""
        data = self.place.held(self._name, PROVING)
        if data is None:
            return None
        from progtf.weights.folder import FolderError, unpacked  # noqa: PLC0415  numbers are slow

        try:
            weights = unpacked(data, judge=Judged(self.place))
        except FolderError:  # nobody's
            return None
        name = plain(str(self.place.path))
        if weights.layout.name == name or weights.proof is None:
            return weights
        return replace(weights, layout=replace(weights.layout, name=name)).proven(weights.proof)

    def keep(self, weights: "Weights") -> None:
        """Keeps the weights of a program that was kept before."""
        from progtf.weights.folder import packed  # noqa: PLC0415  as above

        if self.place.kept.keeps:
            self.place.hold(self._name, packed(weights), PROVING)
