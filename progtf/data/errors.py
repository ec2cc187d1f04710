"""What is wrong with somebody's data, said so that they can mend it."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class DataError(ValueError):
    """A mistake in a file, a folder or a name that a person gave.

    Reads `PATH:LINE: what is wrong there`, and `help: what to do` on a line of its own.

    Args:
        message: What is wrong; stands alone.
        path: The file or folder, if there is one. A member of an archive is `ARCHIVE:MEMBER`.
        line: Counted from 1.
        help: What to do about it.
    """

    def __init__(
        self,
        message: str,
        path: Path | str | None = None,
        line: int | None = None,
        help: str = "",  # noqa: A002
    ) -> None:
        self.message, self.path, self.line, self.help = message, path, line, help
        super().__init__(self._rendered())

    def _rendered(self) -> str:
        place = "".join(f"{part}:" for part in (self.path, self.line) if part is not None)
        advice = f"\n  help: {self.help}" if self.help else ""
        return f"{place} {self.message}{advice}".strip()


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns `did you mean ...?` with the known name most like `name`, or nothing."""
    found = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean `{found[0]}`?" if found else ""


class Told:
    """What of somebody's data is passed over while the rest goes on, to be told.

    Attributes:
        refused: Records that are none, and why; the first `MOST` of them.
        count: How many there are.
        doubtful: What is taken though it may be wrong.
        passed: Files that are no texts.
        strict: Whether the first mistake ends the reading.
    """

    MOST = 1000

    def __init__(self, *, strict: bool = False) -> None:
        self.refused: list[DataError] = []
        self.doubtful: list[DataError] = []
        self.passed: list[str] = []
        self.count = 0
        self.strict = strict

    def refuse(self, error: DataError) -> None:
        """Notes a record that is none.

        Raises:
            DataError: This one, where nobody goes on.
        """
        if self.strict:
            raise error
        self.count += 1
        if len(self.refused) < self.MOST:
            self.refused.append(error)

    def doubt(self, error: DataError) -> None:
        """Notes what may be wrong; as `refuse`."""
        if self.strict:
            raise error
        self.doubtful.append(error)

    def pass_over(self, name: Path | str) -> None:
        """Notes a file that is no text."""
        if not self.strict:
            self.passed.append(str(name))


STRICT = Told(strict=True)
"""Of those who cannot go on without what is wrong: who trains, who builds a cache."""
