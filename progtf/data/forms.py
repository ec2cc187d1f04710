"""What a file of questions is: its content says so, and where that is silent its name."""

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from progtf.data.errors import DataError
from progtf.data.lines import opened
from progtf.texts import TooLongError, lines_in

Form = Literal[
    "tabs", "commas", "in and out", "pairs in JSON",
    "minimal pairs", "passages", "SQuAD", "word problems", "archive", "",
]  # fmt: skip
ACCEPTED = (
    "what is read: a folder or .tar.gz of SPLIT/MODULE.txt files; pairs in .tsv (question, tab,"
    " answer, perhaps tab, category), .csv (the same with commas), .txt (`IN: question OUT:"
    ' answer`) or .jsonl ({"question": ..., "answer": ...}); passages in .jsonl or SQuAD\'s own'
    " .json; word problems in .jsonl; each also as .gz"
)
HEADS = ("question", "answer", "category")
"""How the columns of pairs are called, where a first line says it."""
_HEAD = 2**16
"""Bytes that are looked at."""
_TAR = slice(257, 262)
_KEYS: Mapping[str, Form] = {  # the first one that a record has
    "context": "passages",
    "data": "SQuAD",
    "numbers": "word problems",
    "sentence_good": "minimal pairs",
    "question": "pairs in JSON",
    "answer": "pairs in JSON",
    "text": "word problems",
}
_NAMES: Mapping[str, Form] = {
    ".tsv": "tabs", ".tab": "tabs", ".csv": "commas", ".txt": "in and out",
    ".jsonl": "word problems", ".ndjson": "word problems", ".json": "SQuAD",
}  # fmt: skip


def form_of(path: Path) -> Form:
    """Returns what a file is; "" for what is not read, and for a folder."""
    if not path.is_file():
        return _by_name(path)
    try:
        with opened(path) as file:
            head = file.read(_HEAD)
        if head[_TAR] == b"ustar":
            return "archive"
        read = [line.text for line in lines_in(BytesIO(head)) if not line.wrong]
    except (DataError, TooLongError):
        return _by_name(path)
    whole = read if len(head) < _HEAD or len(read) < 2 else read[:-1]
    lines = [line for line in whole if line.strip()]
    return _of_json(lines) or _of_lines(lines, path) or _by_name(path)


def _of_json(lines: Sequence[str]) -> Form:
    for line in lines:
        if line.lstrip()[0] in "{[" and isinstance(said := _said(line), dict):
            return _of_record(said)
    text = "\n".join(lines).lstrip()
    if text[:1] not in ("{", "["):
        return ""
    if isinstance(said := _said(text), list) and said and isinstance(said[0], dict):
        return _of_record(said[0])
    if isinstance(said, dict):
        return _of_record(said)
    keys = [key for key in _KEYS if f'"{key}"' in text]  # it is cut off where no more was read
    if '"paragraphs"' in text or '"data"' in text:
        return "SQuAD"
    return _KEYS[keys[0]] if keys and said is None and len(lines[0]) < _HEAD // 2 else ""


def _said(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_record(said: Mapping[str, Any]) -> Form:
    for key, form in _KEYS.items():
        if key in said:
            return form
    return ""


def _of_lines(lines: Sequence[str], path: Path) -> Form:
    if any(line.startswith("IN: ") and " OUT: " in line for line in lines):
        return "in and out"
    if _by_name(path) == "commas":  # a cell of which may have a tab
        return "tabs" if lines and "\t" in lines[0] and "," not in lines[0] else ""
    if any("\t" in line for line in lines):
        return "tabs"
    return "commas" if lines and is_heading(lines[0].split(",")) else ""


def is_heading(cells: Sequence[str]) -> bool:
    """Whether cells name the columns of pairs."""
    named = tuple(cell.strip().strip('"').lower() for cell in cells)
    return len(named) > 1 and named == HEADS[: len(named)]


def _by_name(path: Path) -> Form:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".tar", ".tgz")):
        return "archive"
    return _NAMES.get(name[name.rfind(".") :], "") if "." in name else ""
