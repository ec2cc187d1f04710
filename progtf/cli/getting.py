"""``progtf data get``: published sets, brought from their homes."""

from collections.abc import Sequence

from rich.table import Table

from progtf.cli.messages import say, warn
from progtf.cli.progress import progress_bar
from progtf.data import prepared
from progtf.data.errors import DataError, nearest
from progtf.data.getting import Prepare, get, is_here
from progtf.data.originals import originals_of
from progtf.published import NAMED, SETS, DataSet, data_folder
from progtf.tables import print_table
from progtf.tasks.comprehension.prepared import squad

PREPARE: dict[str, Prepare] = {
    "scan": prepared.scan,
    "cogs": prepared.cogs,
    "squad": squad,
    "blimp-words": prepared.blimp_words,
}
"""Of sets that have more, or are called otherwise, than their homes."""


def bring(names: Sequence[str], source: str) -> None:
    """Brings sets, and says of each where it lies.

    Args:
        names: Of sets.
        source: A folder, an archive or an address; "" for their homes.

    Raises:
        DataError: There is no such set, or it cannot be had.
        OSError: The data folder cannot be written.
    """
    if not names:
        known = ", ".join(NAMED)
        raise DataError(f"name what to get: {known}", help="`--list` says what they are")
    for wanted in [_named(name) for name in dict.fromkeys(names)]:
        _bring(wanted, source)


def _named(name: str) -> DataSet:
    if name in NAMED:
        return NAMED[name]
    advice = nearest(name, NAMED) or f"there are {', '.join(NAMED)}"
    raise DataError(f"no set is called `{name}`", help=advice)


def _bring(wanted: DataSet, source: str) -> None:
    sizes = [each.size for each in originals_of(wanted.name)]
    total = None if source or None in sizes else sum(filter(None, sizes))
    with progress_bar(total) as report:
        got = get(
            wanted, PREPARE.get(wanted.name, prepared.as_they_are), source, report,
            lambda text: warn(f"note: {text}"),
        )  # fmt: skip
    before = "" if got.new else ", which were there"
    say(f"{wanted.name}: {got.files} files in {got.folder}{before}; licence: {wanted.licence}")


def list_sets() -> None:
    """Says which sets there are, and where they come to."""
    table = Table()
    for column in ("set", "MB", "licence", "home", "what needs it", "here"):
        table.add_column(column, overflow="fold")
    for each in SETS:
        here = "yes" if is_here(each) else ""
        row = (each.name, f"{each.size:.1f}", each.licence, each.home.removeprefix("https://"))
        table.add_row(*row, each.wanted, here)
    print_table(table)
    say(f"They come to {data_folder()}.")
