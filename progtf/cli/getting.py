"""``progtf data get``: published sets, brought from their homes."""

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
THERE_ARE = f"there are {', '.join(NAMED)}; `progtf data get --list` says what they are"


def bring(name: str, source: str) -> str:
    """Brings a set; returns where it lies, in words.

    Args:
        name: Of the set.
        source: A folder, an archive or an address; "" for its home.

    Raises:
        DataError: There is no such set, or it cannot be had.
        OSError: The data folder cannot be written.
    """
    wanted = named(name)
    sizes = [each.size for each in originals_of(name)]
    total = None if source or None in sizes else sum(filter(None, sizes))
    prepare = PREPARE.get(name, prepared.as_they_are)
    with progress_bar(total) as report:
        got = get(wanted, prepare, source, report, lambda text: warn(f"note: {text}"))
    before = "" if got.new else ", which were there"
    return f"{name}: {got.files} files in {got.folder}{before}; licence: {wanted.licence}"


def named(name: str) -> DataSet:
    """The set of a name.

    Raises:
        DataError: There is none.
    """
    if name in NAMED:
        return NAMED[name]
    raise DataError(f"no set is called `{name}`", help=nearest(name.lower(), NAMED) or THERE_ARE)


def list_sets() -> None:
    """Says which sets there are, and where they come to."""
    table = Table()
    for column in ("set", "MB", "licence", "home", "what needs it", "here"):
        table.add_column(column, overflow="fold", no_wrap=column == "home")
    for each in SETS:
        here = "yes" if is_here(each) else ""
        row = (each.name, f"{each.size:.1f}", each.licence, each.home.removeprefix("https://"))
        table.add_row(*row, each.wanted, here)
    print_table(table)
    say(f"They come to {data_folder()}.")
