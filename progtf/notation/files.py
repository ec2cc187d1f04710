"""Reads what a program uses: library files, files beside it, tables of its lexicon.

The only part of the notation that touches the disk. A program may read below its own folder, from
the library that comes with progtf, and tables also below the data folder and from installed
packages; nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from progtf.bounded import is_other, read_bytes
from progtf.extras import not_installed
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, Mistake, Source, Span, reporting
from progtf.notation.did_you_mean import nearest
from progtf.notation.parser import parse_all
from progtf.notation.render import SemeError
from progtf.notation.sought import LIBRARY, Sought, package_folder, shown
from progtf.published import brings, data_folder
from progtf.texts import NotTextError, normal, passed_over, text_of

MOST_PARSED = 128  # files


Parsed = tuple[s.File, tuple[Diagnostic, ...]]


@dataclass(frozen=True)
class Files:
    """What was read, by (name of the using text, path as written there).

    ``parsed``: every file that is used, by where it lies, with what is wrong with its lines;
    ``sought``: every place that was looked at, and what lay there;
    ``whole``: files with their parts, by name, as they are asked for when all is read.
    """

    used: dict[tuple[str, str], s.File] = field(default_factory=dict[tuple[str, str], s.File])
    tables: dict[tuple[str, str], Source] = field(default_factory=dict[tuple[str, str], Source])
    parsed: dict[Path, Parsed] = field(default_factory=dict[Path, Parsed])
    sought: Sought = field(default_factory=Sought)
    whole: dict[str, tuple[s.File, ...]] = field(default_factory=dict[str, tuple[s.File, ...]])

    def of(self, use: s.UseFile) -> s.File | None:
        """The file that a line uses, None if it could not be read."""
        return self.used.get((use.span.source.name, use.path))

    def under(self, prefix: str | None, user: s.File) -> dict[str, s.File]:
        """The files that ``user`` uses under one prefix, and their parts, by their names."""
        files = self._used_by(user, prefix) if prefix is not None else ()
        return {each.name: each for file in files for each in self._with_parts(file)}

    def _with_parts(self, file: s.File) -> tuple[s.File, ...]:
        """A file, and what it uses of the folder that is called as it is, without its ending."""
        if file.name not in self.whole:
            self.whole[file.name] = tuple(self._parts(file))
        return self.whole[file.name]

    def _parts(self, file: s.File) -> Iterator[s.File]:
        places = {parsed.name: path for path, (parsed, _) in self.parsed.items()}
        folder = places[file.name].with_suffix("")
        todo, seen = [file], {file.name}
        while todo:
            each = todo.pop()
            yield each
            for used in self.shared_by(each):
                if used.name not in seen and folder in places[used.name].parents:
                    seen.add(used.name)
                    todo.append(used)

    def shared_by(self, user: s.File) -> Iterator[s.File]:
        """The files that ``user`` uses without a prefix."""
        return self._used_by(user, None)

    def _used_by(self, user: s.File, prefix: str | None) -> Iterator[s.File]:
        for statement in user.spoken(main=False):
            if isinstance(statement, s.UseFile) and statement.prefix == prefix:
                file = self.of(statement)
                yield from () if file is None else (file,)

    def size(self) -> int:
        """How many characters there are in all of them."""
        texts = [file.span.source.text for file in self.used.values()]
        return sum(map(len, texts)) + sum(len(table.text) for table in self.tables.values())


def read_text(path: Path, name: str = "") -> str:
    """The text of a file, called ``name`` in messages.

    Raises:
        SemeError: if it is not in UTF-8.
        OSError: if it cannot be read, is no ordinary file, or has more than 64 MiB.
    """
    return as_text(read_bytes(path), name or str(path))


def as_text(data: bytes, name: str) -> str:
    """The text of a file's bytes, as ``texts`` has it.

    Raises:
        SemeError: if it is none.
    """
    try:
        return text_of(data)
    except NotTextError as error:
        span = Span(Source(name, error.text), error.line, error.column, error.column + 1)
        raise SemeError([messages.encoding(span)]) from None


def library() -> list[Path]:
    """The files of the library, parts of others too."""
    return sorted(LIBRARY.rglob("*.seme"))


def library_name(path: Path) -> str:
    """A file of the library as programs name it."""
    return f"std/{path.relative_to(LIBRARY).as_posix()}"


def library_with(circuit: str) -> str:
    """The file of the library that defines a circuit, as programs name it; "" if none does."""
    opening = f"\ncircuit {circuit}("
    found = (path for path in library() if opening in read_text(path))
    return next((library_name(path) for path in found), "")


def gather(file: s.File, folder: Path | None) -> tuple[Files, tuple[Diagnostic, ...]]:
    """Reads the files that ``file`` uses, and those that they use.

    Args:
        file: a parsed text.
        folder: where it lies; None for a text without a place, which may use the library only.
    """
    files, found = Files(), list[Diagnostic]()
    own = () if folder is None else ((folder / Path(file.span.source.name).name).resolve(),)
    _gather(file, folder, files, found, own)
    return files, tuple(found)


def _gather(
    file: s.File,
    folder: Path | None,
    files: Files,
    found: list[Diagnostic],
    above: tuple[Path, ...],
) -> None:
    for statement in file.spoken(main=len(above) < 2):
        with reporting(found.append):
            match statement:
                case s.UseFile():
                    _read_used(statement, folder, files, found, above)
                case s.Block(keyword="lexicon" | "output", arguments=(str(path), *_)):
                    _read_table(path, statement.span, folder, files)
                case s.Let(value=s.ColumnOf(path=path, span=span)):
                    _read_table(path, span, folder, files)
                case _:
                    pass


@lru_cache(MOST_PARSED)
def parsed_once(source: Source) -> Parsed:
    """The syntax of a text that many programs use, and what is wrong with its lines."""
    return parse_all(source)


def _read_used(
    use: s.UseFile,
    folder: Path | None,
    files: Files,
    found: list[Diagnostic],
    above: tuple[Path, ...],
) -> None:
    path = _find(use.path, folder, use.span, files.sought, table=False)
    if path in above:
        why = f"the files use each other: {' -> '.join(p.name for p in (*above, path))}"
        raise Mistake(messages.use_refused(use.span, use.path, why))
    if (use.span.source.name, use.path) in files.used:
        return
    if path not in files.parsed:
        files.parsed[path] = parsed_once(_read(path, use.path, use.span, files))
    parsed, problems = files.parsed[path]
    found += problems
    files.used[use.span.source.name, use.path] = parsed
    _gather(parsed, path.parent, files, found, (*above, path))


def _read_table(path: str, span: Span, folder: Path | None, files: Files) -> None:
    key = (span.source.name, path)
    if key not in files.tables:
        full = _find(path, folder, span, files.sought, table=True)
        files.tables[key] = _read(full, path, span, files)


def _find(path: str, folder: Path | None, span: Span, sought: Sought, *, table: bool) -> Path:
    """The file that a program means, if it may read it."""
    if path.startswith("std/"):
        root, inside = LIBRARY, path.removeprefix("std/")
        sought.places.add(root / inside)
        return _below(root, inside, path, span)
    roots = [folder] if folder is not None else []
    if table:
        roots.append(data_folder())
    for root in roots:
        sought.places.add((root / path).absolute())
        lies = _as_it_lies(root, path)
        if _is_file(root / lies):
            sought.places.add((root / lies).absolute())
            return _below(root, lies, path, span)
    package = _package(path, sought) if table else None
    if package is not None:
        sought.places.add(package.parent / path)
        return _below(package.parent, path, path, span)
    why = not_installed(path.partition("/")[0]) if table else None
    if why is not None:
        raise Mistake(messages.use_refused(span, path, why))
    if folder is None:
        why = "a text without a file can only use `std/...`"
        raise Mistake(messages.use_refused(span, path, why))
    return _below(folder, path, path, span)


def _package(path: str, sought: Sought) -> Path | None:
    """The folder of the installed package that a path begins with."""
    name, slash, _ = path.partition("/")
    if not slash or not name.isidentifier():
        return None
    sought.packages.add(name)
    return package_folder(name)


def _below(root: Path, inside: str, path: str, span: Span) -> Path:
    try:
        full = (root / inside).resolve()
    except (OSError, ValueError, RuntimeError):
        why = "no file can be called so"
        raise Mistake(messages.use_refused(span, path, why)) from None
    if not full.is_relative_to(root.resolve()):
        why = "files are read below the program's folder and from `std/` only"
        raise Mistake(messages.use_refused(span, path, why))
    is_folder = _is_folder(full)
    if is_folder or is_other(full):
        why = "it is a folder" if is_folder else "it is no ordinary file, and not read"
        raise Mistake(messages.use_refused(span, path, why))
    if not _is_file(full):
        known = [str(p.relative_to(root)) for p in beside(root)]
        hint = brings(data_folder() / inside) or nearest(inside, known)
        raise Mistake(messages.use_refused(span, path, "there is no such file", hint=hint))
    return full


def beside(folder: Path) -> Iterator[Path]:
    """The programs and tables in a folder; not what systems and editors leave there."""
    for path in folder.glob("*.*"):
        if path.suffix.lower() in (".seme", ".tsv", ".csv") and not passed_over(path):
            yield path


def _as_it_lies(root: Path, path: str) -> str:
    """A path as the disk spells it: macOS packs names in which accents stand apart."""
    if path.isascii() or _is_file(root / path):
        return path
    found = root
    for part in Path(path).parts:
        try:
            names = [each.name for each in found.iterdir()] if found.is_dir() else []
        except OSError:
            names = []
        found /= next((name for name in names if normal(name) == normal(part)), part)
    return str(found.relative_to(root)) if found.is_relative_to(root) else path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _read(full: Path, path: str, span: Span, files: Files) -> Source:
    try:
        return Source(shown(full), as_text(files.sought.read(full), shown(full)))
    except SemeError as error:
        raise Mistake(error.diagnostics[0]) from None
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise Mistake(messages.use_refused(span, path, why)) from None
