"""All text comes through one door, `progtf/texts.py`: nobody else decodes it or cuts its lines."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "progtf"
DOOR = "texts.py"
ALLOWED = {  # what stands where, and why
    "exact/kernel/proof.py": ("decode", "the kernel needs the standard library alone"),
    "analysis/report.py": ("decode", "an encoding of what is written"),
    "bounded.py": ("open", "the bytes of whole files, of which the door makes texts"),
    "cli/pages.py": ("read_text", "the notebooks that come with the package"),
    "cli/streams.py": ("open stdin", "closed streams are opened, and handed to the door"),
    "cli/texts.py": ("decode read_text", "names of files; a program's text is the door's"),
    "cli/run.py": ("read_text", "a program's text, which is the door's"),
    "cli/site.py": ("read_text", "as said"), "cli/page_body.py": ("read_text", "as said"),
    "cli/formatting.py": ("read_text", "as said"),
    "cli/checking.py": ("read_text", "as said"),
    "cli/chapter.py": ("read_text splitlines", "as said; lines of a fence that it gave"),
    "cli/task.py": ("read_text", "a task's text, which is the door's"),
    "cli/editors.py": ("stdin", "the language server's protocol"),
    "extras.py": ("read_text", "what pip notes of a package that it installed"),
    "cli/solve.py": ("read_text", "numbers of a text, not a file"),
    "tasks/word_problems/own/draw.py": ("read_text", "as said"),
    "tasks/word_problems/own/table.py": ("read_text", "the door's own"),
    "widgets/figures.py": ("read_text", "a program's text, which is the door's"),
    "building/load.py": ("read_text", "as said"), "views/site.py": ("read_text", "as said"),
    "training/config.py": ("read_text", "the door's own"),
    "lsp/server.py": ("read_text", "as said"),
    "notation/files.py": ("read_text", "calls the door, with a program's messages"),
    "notation/grammar.py": ("read_text", "the grammar that comes with the package"),
    "views/page.py": ("read_text decode", "the package's own pages, and digests in base64"),
    "views/serve.py": ("stdin", "a protocol between processes, JSON in ASCII"),
    "lsp/judge.py": ("stdin", "as said"),
    "tasks/word_problems/solving.py": ("stdin", "as said"),
    "data/layout.py": ("decode getincrementaldecoder open read_text", "what the door cleaned"),
    "data/text.py": ("decode", "lines in bulk, of what the door cleaned"),
    "data/lines.py": ("open", "files that may be compressed, handed to the door"),
    "data/growing.py": ("decode splitlines open", "notes that it wrote itself"),
    "data/tokens.py": ("charmap_decode", "numbers of characters"),
    "data/originals.py": ("open", "archives, whose files are known by their bytes"),
    "data/fetching.py": ("open", "addresses, as said"),
    "data/cache.py": ("open", "a file of its own"), "data/digest.py": ("open", "digests of bytes"),
    "cli/data.py": ("open", "whether a file is a cache"),
    "content.py": ("open", "digests of bytes"),
    "records.py": ("decode open", "lines with checksums that it wrote itself"),
    "sealed.py": ("decode", "digests that it wrote itself"),
    "nn/published_file.py": ("open", "weights"),
    "weights/folder.py": ("decode splitlines", "weights, messages"),
    "training/networks.py": ("decode splitlines", "numbers to texts, messages"),
    "training/checkpoint.py": ("splitlines", "messages"),
    "training/questions.py": ("decode", "a note that it wrote itself, numbers to texts"),
    "training/subject.py": ("decode", "a network's decoder"),
    "training/swaps.py": ("decode", "numbers to texts"), "training/solve.py": ("decode", "as said"),
    "training/sizes.py": ("read_text", "what the system says of memory"),
    "nn/encoder_decoder.py": ("decode", "a network's decoder"),
    "network/network.py": ("decode", "as said"),
    "views/still.py": ("decode", "base64 of pictures that it drew"),
    "widgets/base.py": ("open", "a widget's channel to its front-end"),
    "widgets/export.py": ("decode", "an encoding of what is written"),
    "running/native/library.py": ("decode", "the engine in C"),
    "notation/table.py": ("csv", "cells of lines that the door gave"),
    "data/pairs.py": ("csv", "as said"),
    "atomic.py": ("open fdopen", "files that are written"),
}  # fmt: skip
BY_HAND = {
    "open", "fdopen", "read_text", "readlines", "splitlines", "decode", "charmap_decode",
    "getincrementaldecoder", "TextIOWrapper", "normalize",
}  # fmt: skip
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def by_hand(path):
    """What a module does with texts and files by itself."""
    for node in ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in BY_HAND:
                yield name
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdin"):
                yield "stdin"
            case ast.Import(names=names) if any(each.name == "csv" for each in names):
                yield "csv"


@pytest.mark.parametrize("path", FILES)
def test_nobody_else_reads_texts(path):
    if path != DOOR:
        assert {*by_hand(path)} <= {*ALLOWED.get(path, ("", ""))[0].split()}, path


def test_what_is_allowed_is_done():
    for path, (allowed, why) in ALLOWED.items():
        assert {*allowed.split()} == {*by_hand(path)}, path
        assert why, path
