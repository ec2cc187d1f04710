"""Whether published sets are here, and what brings them."""

from progtf.published import NAMED, brings, data_folder


def missing(*names: str) -> str:
    """What is said of sets, or of other folders of data, that are not here; "" if all are."""
    absent = [name for name in names if not _is_here(name)]
    if not absent:
        return ""
    known = all(name in NAMED for name in absent)
    how = f"`progtf data get {' '.join(absent)}` brings it"
    said = how if known else brings(data_folder() / absent[0])
    return f"no {', '.join(absent)} in {data_folder()}: {said}"


def _is_here(name: str) -> bool:
    """Whether a folder has files of a set."""
    folder, files = (NAMED[name].folder, NAMED[name].files) if name in NAMED else (name, ("*",))
    return any(path for each in files for path in (data_folder() / folder).glob(each))
