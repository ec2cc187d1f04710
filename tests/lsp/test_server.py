"""The language server is spoken to as an editor does, by its protocol."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PROGRAM = """\
semes: noun black 𝔸
lexicon:
  dog: +noun +𝔸
  black: +black
encoder:
  layer one:
    feedforward:
      black: noun & 𝔸 & !black
examples:
  dog -> dog: +noun +𝔸 +black
"""
WRONG = PROGRAM.replace("-> dog: +noun", "-> dog: -noun")


class Editor(LanguageClient):
    """A client that keeps what it is told."""

    def __init__(self):
        super().__init__("editor", "1")
        self.told = asyncio.Queue()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def tell(said):
            self.told.put_nowait(said)

    async def diagnostics(self):
        return (await asyncio.wait_for(self.told.get(), 60)).diagnostics

    def write(self, uri, version, text):
        whole = types.TextDocumentContentChangeWholeDocument(text)
        which = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        self.text_document_did_change(types.DidChangeTextDocumentParams(which, [whole]))


@asynccontextmanager
async def editing(file):
    """A server, and a file that is open in an editor."""
    editor = Editor()
    await editor.start_io(sys.executable, "-m", "progtf", "lsp")
    await editor.initialize_async(types.InitializeParams(types.ClientCapabilities()))
    editor.initialized(types.InitializedParams())
    opened = types.TextDocumentItem(file.as_uri(), "seme", 1, file.read_text())
    editor.text_document_did_open(types.DidOpenTextDocumentParams(opened))
    try:
        yield editor
    finally:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "program.seme"
    file.write_text(PROGRAM)
    return file


def session(file, work):
    """What an editor's work comes to."""

    async def whole():
        async with editing(file) as editor:
            return await work(editor, types.TextDocumentIdentifier(file.as_uri()))

    with ThreadPoolExecutor(1) as apart:  # a browser of other tests has a loop in this thread
        return apart.submit(lambda: asyncio.run(whole())).result()


def at(line, word, text=PROGRAM):
    """The position of a word; columns are counted in UTF-16 units."""
    before = text.split("\n")[line][: text.split("\n")[line].index(word)]
    return types.Position(line, len(before.encode("utf-16-le")) // 2)


def test_names_are_explained_found_renamed_and_completed(file):
    async def work(editor, opened):
        assert list(await editor.diagnostics()) == []
        place = at(7, "𝔸")
        said = await editor.text_document_hover_async(types.HoverParams(opened, place))
        goes = await editor.text_document_definition_async(types.DefinitionParams(opened, place))
        new = await editor.text_document_rename_async(types.RenameParams(opened, place, "alpha"))
        more = await editor.text_document_completion_async(types.CompletionParams(opened, place))
        return said, goes, new, more

    said, goes, new, more = session(file, work)
    assert "seme, declared in line 1" in said.contents.value
    assert goes.range == types.Range(types.Position(0, 18), types.Position(0, 20))
    places = [(e.range.start.line, e.range.start.character) for e in new.changes[file.as_uri()]]
    assert sorted(places) == [(0, 18), (2, 14), (7, 20), (9, 21)]
    assert {"noun", "black", "𝔸"} <= {each.label for each in more}


def test_what_is_refused_is_told_in_words(file):
    async def work(editor, opened):
        await editor.diagnostics()
        asked = types.RenameParams(opened, at(7, "noun"), "black")
        with pytest.raises(Exception, match="`black` is the name of something else"):
            await editor.text_document_rename_async(asked)

    session(file, work)


def test_mistakes_are_marked_while_one_types_and_go_when_they_are_mended(file):
    async def work(editor, opened):
        await editor.diagnostics()
        editor.write(opened.uri, 2, PROGRAM.replace("noun & ", "nuon & "))
        marked = await editor.diagnostics()
        editor.write(opened.uri, 3, PROGRAM)
        return marked, await editor.diagnostics()

    marked, mended = session(file, work)
    assert [(each.code, each.range.start.line) for each in marked] == [("unknown-seme", 7)]
    assert "did you mean `noun`?" in marked[0].message
    assert list(mended) == []


def test_what_mends_a_mistake_is_offered_where_it_stands(file):
    wrong = PROGRAM.replace("dog: +noun", "dog: +𝔸x +nuon", 1)
    quick = types.CodeActionKind.QuickFix

    async def work(editor, opened):
        await editor.diagnostics()
        editor.write(opened.uri, 2, wrong)
        told = await editor.diagnostics()

        async def offered(word, **more):
            place = types.Range(at(2, word, wrong), at(2, word, wrong))
            context = types.CodeActionContext(told, **more)
            asked = types.CodeActionParams(opened, place, context)
            return await editor.text_document_code_action_async(asked)

        few = {"only": [types.CodeActionKind.Refactor]}
        return [await offered("𝔸x"), await offered("nuon"), await offered("dog"),
                await offered("𝔸x", **few), await offered("𝔸x", only=[quick])]  # fmt: skip

    unknown, misspelt, right, others, asked = session(file, work)
    assert "Declare 𝔸x" in [each.title for each in unknown]
    assert [each.title for each in misspelt] == ["Write noun", "Declare nuon"]
    assert list(right) == list(others) == []
    assert asked == unknown
    written, declared = (
        mended(wrong, each.edit.changes[file.as_uri()]) for each in (misspelt[0], unknown[-1])
    )
    assert written == wrong.replace("nuon", "noun")
    assert declared == wrong.replace("black 𝔸", "black 𝔸 𝔸x", 1)
    assert {each.kind for each in (*unknown, *misspelt)} == {quick}
    assert unknown[-1].diagnostics[0].code == "unknown-seme"


def mended(text, edits):
    """A text with one edit in it; columns are counted in UTF-16 units."""
    (edit,) = edits
    start, end, new = edit.range.start, edit.range.end, edit.new_text
    lines = text.split("\n")
    line = lines[start.line].encode("utf-16-le")
    before, behind = line[: 2 * start.character], line[2 * end.character :]
    lines[start.line] = before.decode("utf-16-le") + new + behind.decode("utf-16-le")
    return "\n".join(lines)


def test_when_nobody_types_examples_are_run_and_the_program_is_proven(file):
    async def work(editor, opened):
        await editor.diagnostics()
        first = await editor.diagnostics()
        right = await editor.text_document_code_lens_async(types.CodeLensParams(opened))
        editor.write(opened.uri, 2, WRONG)
        await editor.diagnostics()
        second = await editor.diagnostics()
        wrong = await editor.text_document_code_lens_async(types.CodeLensParams(opened))
        return first, right, second, wrong

    first, right, second, wrong = session(file, work)
    assert list(first) == []
    assert [lens.command.title for lens in right] == ["check: exact", "examples: 1 of 1"]
    assert [lens.command.title for lens in wrong] == ["check: exact", "examples: 0 of 1"]
    assert [(each.code, each.range.start.line) for each in second] == [("example-fails", 9)]


def test_texts_are_formatted_folded_outlined_and_coloured(file):
    async def work(editor, opened):
        await editor.diagnostics()
        editor.write(opened.uri, 2, PROGRAM.replace("dog: +noun +𝔸\n", "dog:   +noun+𝔸\n", 1))
        spacing = types.FormattingOptions(tab_size=2, insert_spaces=True)
        return (
            await editor.text_document_formatting_async(
                types.DocumentFormattingParams(opened, spacing)
            ),
            await editor.text_document_folding_range_async(types.FoldingRangeParams(opened)),
            await editor.text_document_document_symbol_async(types.DocumentSymbolParams(opened)),
            await editor.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(opened)
            ),
        )

    formatted, folded, outlined, coloured = session(file, work)
    assert "dog:   +noun +𝔸\n" in formatted[0].new_text
    assert (1, 3) in [(fold.start_line, fold.end_line) for fold in folded]
    assert [symbol.name for symbol in outlined] == [
        "semes: noun black 𝔸", "lexicon", "encoder", "examples"
    ]  # fmt: skip
    assert coloured.data[:10] == (0, 7, 4, 0, 1, 0, 5, 5, 0, 1)


def test_a_server_answers_its_client_before_it_imports_what_reads_programs():
    code = "import sys, progtf.lsp.features; print({'lark', 'numpy', 'torch'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
