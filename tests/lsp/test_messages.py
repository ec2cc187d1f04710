"""The language server answers every request, a bad one by its error, and survives any header."""

import json
import os
import subprocess
import sys
from urllib.parse import quote, unquote_to_bytes

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")


def framed(body):
    """A message with its header."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def request(number, method, params=None):
    return framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def hover(params):
    return request(2, "textDocument/hover", params)


PLACE = {"textDocument": {"uri": "file:///x.seme"}, "position": {"line": 0, "character": 0}}
START = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
END = request(99, "shutdown") + framed({"jsonrpc": "2.0", "method": "exit"})
HEADERS = {
    "-1": b"Content-Length: -1\r\n\r\n", "huge": b"Content-Length: 99999999999\r\n\r\n",
    "beyond numbers": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    "a word": b"Content-Length: abc\r\n\r\n", "nothing": b"Content-Length: \r\n\r\n",
    "0": b"Content-Length: 0\r\n\r\n", "missing": b"Content-Type: x\r\n\r\n{}",
    "empty": b"\r\n\r\n",
    "junk": b"\x00\xff\xfe junk\r\n\r\n", "a long line": b"x" * 100_000 + b"\r\n\r\n",
    "too short": b"Content-Length: 1\r\n\r\n{}",
}  # fmt: skip
BODIES = {
    "no JSON": b"{nope", "a list": [], "a number": 1, "nothing": None, "a text": "x",
    "nested": b"[" * 100_000, "no UTF-8": b"\xff\xff", "no version": {"id": 2, "method": "x"},
    "another version": {"jsonrpc": "1.0", "id": 2, "method": "x"},
    "a list as id": {"jsonrpc": "2.0", "id": [1], "method": "x"},
    "no method": {"jsonrpc": "2.0", "id": 2}, "a number as method": {"jsonrpc": "2.0", "method": 1},
    "a number as params": {"jsonrpc": "2.0", "id": 2, "method": "x", "params": 5},
}  # fmt: skip
REQUESTS = {
    "an unknown method": request(2, "nothing/here", {}), "no params": hover(None),
    "other params": hover({"x": 1}), "a list of params": hover([1]),
    "a place far away": hover(PLACE | {"position": {"line": 10**30, "character": -5}}),
    "a place in words": hover(PLACE | {"position": "here"}),
    "a strange address": hover(PLACE | {"textDocument": {"uri": "\x00://["}}),
    "no address": hover(PLACE | {"textDocument": {"uri": 5}}),
    "an unopened file": hover(PLACE), "an escape": request(2, "\x1b[2J", {}),
    "a rename": request(2, "textDocument/rename", PLACE | {"newName": 5}),
    "lenses": request(2, "textDocument/codeLens", {}),
}  # fmt: skip


def notice(method, params=None):
    return framed({"jsonrpc": "2.0", "method": method, "params": params})


def about(uri, **more):
    return {"textDocument": {"uri": uri, **more}}


def opening(uri, text="semes: a\n"):
    return notice("textDocument/didOpen", about(uri, languageId="seme", version=1, text=text))


def messages(said):
    """What the server says to bad messages; it ends well, and tells no line of its own."""
    line = [sys.executable, "-m", "progtf", "lsp"]
    done = subprocess.run(line, input=said, capture_output=True, timeout=120, check=False)
    out, found = done.stdout, []
    while out:
        header, _, rest = out.partition(b"\r\n\r\n")
        size = int(header.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        found.append(json.loads(rest[:size]))
        out = rest[size:]
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"raceback" not in done.stdout
    for each in found:
        assert each.get("error", {}).get("code") != INTERNAL, each
    return found


INTERNAL, UNTIMELY, REFUSED, EARLY = -32603, -32600, -32803, -32002


def answers(said):
    """What is said, by number, to messages between start and end."""
    return {each.get("id"): each for each in messages(START + said + END)}


def test_any_headers_and_bodies_are_survived():
    said = b"".join([*HEADERS.values(), *map(framed, BODIES.values())])
    found = answers(said)
    assert "result" in found[1]
    assert "result" in found[99]
    assert "error" in found[None]


@pytest.mark.parametrize("header", ["-1", "huge", "missing", "junk", "too short"])
def test_a_header_is_survived(header):
    assert "result" in answers(HEADERS[header])[99]


def test_every_request_is_answered_a_bad_one_by_its_error():
    numbered = [
        framed(json.loads(said.partition(b"\r\n\r\n")[2]) | {"id": number})
        for number, said in enumerate(REQUESTS.values(), start=10)
    ]
    found = answers(b"".join(numbered))
    for number, name in enumerate(REQUESTS, start=10):
        assert number in found, name
        if name not in ("an unopened file", "a strange address", "a place far away"):
            assert "error" in found[number], name


def test_pipes_that_close_end_the_server():
    for said in (b"", START[:30], START, START + b"Content-Length: 99\r\n\r\n{"):
        done = subprocess.run(
            [sys.executable, "-m", "progtf", "lsp"], input=said, capture_output=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


@pytest.fixture
def files(tmp_path):
    """Addresses of what is no program that could be read, and why."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "to a pipe").symlink_to("pipe")
    (tmp_path / "to a folder").symlink_to("folder")
    (tmp_path / "itself").symlink_to("itself")
    (tmp_path / "bytes").write_bytes(b"\xff\x80")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 2**31)
    here = {
        "pipe": "no ordinary file", "folder": "a folder lies", "zero": "no ordinary file",
        "to a pipe": "no ordinary file", "to a folder": "a folder lies",
        "itself": "too many levels", "bytes": "not written in UTF-8", "huge": "67,108,864 bytes",
        "missing": "no such file", "missing/below": "no such file", "bytes/below": "not a dir",
        "x" * 5000: "name too long", "\ud800": "can be called so", "%00": "can be called so",
    }  # fmt: skip
    there = {
        "file:///dev/zero": "no ordinary file", "file:///dev/stdin": "no ordinary file",
        "file:///dev/tty": "no ordinary file", "file:///": "a folder lies",
        "file://": "a folder lies", "untitled:one": "not open", "http://x/y": "not open",
        "": "not open", "http://[": "can be called so", "\0://x": "can be called so",
    }  # fmt: skip
    return {f"{tmp_path.as_uri()}/{name}": why for name, why in here.items()} | there


ASKED = ("hover", "definition", "completion", "codeLens", "documentSymbol", "formatting")


def test_what_is_not_open_and_cannot_be_read_is_refused_in_words(files):
    said, asked = [], {}
    for uri in files:
        for method in ASKED:
            number = 100 + len(asked)
            params = about(uri) | {"position": PLACE["position"], "options": OPTIONS}
            said.append(request(number, f"textDocument/{method}", params))
            asked[number] = uri, method
    found = answers(b"".join(said))
    for number, (uri, method) in asked.items():
        error = found[number]["error"]
        assert (error["code"], files[uri] in error["message"]) == (REFUSED, True), (method, error)


OPTIONS = {"tabSize": 2, "insertSpaces": True}


def test_what_is_not_open_is_read_from_the_disk(tmp_path):
    (tmp_path / "one.seme").write_text("semes: a\n")
    asked = about((tmp_path / "one.seme").as_uri()) | {"position": {"line": 0, "character": 7}}
    assert "declared in line 1" in str(answers(hover(asked))[2]["result"])


METHODS = (
    *(f"textDocument/{name}" for name in ASKED), "shutdown", "nothing/here", "workspace/symbol",
    "textDocument/rename",
)  # fmt: skip


@pytest.mark.parametrize("good", [True, False])
def test_a_request_before_the_start_or_behind_the_end_is_answered_by_an_error_of_its_own(good):
    more = {"position": PLACE["position"], "options": OPTIONS, "newName": "b", "query": ""}
    params = about("file:///x") | more if good else [5]
    early, late = (
        [request(number, method, params) for number, method in enumerate(METHODS, first)]
        for first in (100, 200)
    )
    said = messages(
        b"".join([*early, opening("file:///x"), START, request(2, "initialize", NOTHING),
                  request(99, "shutdown"), *late, request(3, "initialize", NOTHING),
                  opening("file:///x"), notice("exit")])
    )  # fmt: skip
    found = {each.get("id"): each for each in said}
    for number, method in enumerate(METHODS):
        assert found[100 + number]["error"]["code"] == EARLY, method
        assert found[200 + number]["error"]["code"] == UNTIMELY, method
    assert found[2]["error"]["code"] == found[3]["error"]["code"] == UNTIMELY
    assert "result" in found[1]
    assert "result" in found[99]
    assert all(each.get("method") in (None, "window/showMessage") for each in said)


NOTHING = {"processId": None, "rootUri": "http://[", "rootPath": "//x", "capabilities": {}}

NOTICES = {
    "a change": notice(
        "textDocument/didChange",
        about("file:///q", version=2) | {"contentChanges": [{"text": "x"}]},
    ),
    "an end": notice("textDocument/didClose", about("file:///q")),
    "a save": notice("textDocument/didSave", about("file:///q")),
    "a notebook": notice(
        "notebookDocument/didChange",
        {"notebookDocument": {"uri": "file:///q", "version": 1}, "change": {}},
    ),
    "half a character": opening("file:///\ud800"),
    "half a character, ended": notice("textDocument/didClose", about("file:///\ud800")),
    "half a character, changed": notice(
        "textDocument/didChange",
        about("file:///\ud800", version=2) | {"contentChanges": [{"text": "x"}]},
    ),
    "brackets": opening("http://["),
    "a byte 0": opening("file:///%00"),
    "half a character inside": opening("file:///q1", 'semes: \ud800\nuse "\ud800"\n'),
    "a device": opening("file:///dev/zero", 'use "null"\n'),
    "a cancelled nothing": notice("$/cancelRequest", {"id": 77}),
    "folders": notice(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": "http://[", "name": "x"}], "removed": []}},
    ),
}  # fmt: skip


def test_notices_about_what_is_not_open_or_cannot_be_tell_nothing_of_the_server():
    said = messages(START + b"".join(NOTICES.values()) + hover(PLACE) + END)
    assert {1, 2, 99} <= {each.get("id") for each in said}
    told = [e["params"]["message"] for e in said if e.get("method") == "window/showMessage"]
    uris = ("file:///\ud800", "http://[", "file:///%00")
    assert told == [f"{uri}: no file can be called so" for uri in uris]


TEXT = 'semes: été b  # first\nlexicon:\n  x: +été +b\n  y: +wrong\nuse "other.seme"\n'
ADDRESSES = {
    "untitled": "untitled:Untitled-1", "untitled with a path": "untitled:/home/a/b.seme",
    "untitled with an ending": "untitled:x.seme", "untitled in capitals": "UNTITLED:x",
    "a cell": "vscode-notebook-cell:/home/a/b.ipynb#W0sZmlsZQ%3D%3D",
    "a cell of elsewhere": "vscode-notebook-cell://ssh-remote%2Bhost/home/b.ipynb#ch0000001",
    "a cell of an untitled notebook": "vscode-notebook-cell:Untitled-1.ipynb?jupyter-notebook#W0",
    "a cell of neovim": "notebook-cell:b.ipynb#1", "a version": "git:/home/b.seme?%7B%22%7D",
    "a remote file": "vscode-remote://ssh/home/a/b.seme", "a page": "http://localhost/b.seme",
    "a name in Latin-1": "file:///tmp/gr%FCn.seme", "a name of any byte": "file:///tmp/%FF%FE/%80",
    "a name of accents": "file:///tmp/%C3%A9t%C3%A9.seme", "no file": "file:///nowhere/b.seme",
    "a folder": "file:///tmp", "a blank": "file:///tmp/a%20b.seme",
    "Windows": "file:///c%3A/b.seme", "a share": "file://host/share/b.seme",
    "without slashes": "file:b.seme", "a name alone": "b.seme",
    "a half": "untitled:%ED%A0%80", "a percent": "untitled:100%", "a query": "untitled:x?y=1#z",
    "Chinese": "untitled:漢字", "in memory": "inmemory://model/1", "none": "",
}  # fmt: skip
METHODS = (
    *("hover", "definition", "references", "documentHighlight", "prepareRename", "rename"),
    *("completion", "formatting", "foldingRange", "documentSymbol", "codeLens"),
    *("semanticTokens/full", "codeAction"),
)
MORE = {
    "position": {"line": 2, "character": 7}, "options": {"tabSize": 2, "insertSpaces": True},
    "newName": "neu",
}  # fmt: skip


def asking(number, method, uri):
    """A request of any method about the first name of a line."""
    place = {"line": 3, "character": 8}
    more = {
        "references": {"context": {"includeDeclaration": True}},
        "codeAction": {"context": {"diagnostics": []}, "range": {"start": place, "end": place}},
    }.get(method, {})
    return request(number, f"textDocument/{method}", about(uri) | MORE | more)


@pytest.mark.parametrize("opened", [True, False])
def test_every_request_about_any_address_is_answered(opened):
    said, asked = [], {}
    for name, uri in ADDRESSES.items():
        said += [opening(uri, TEXT)] * opened
        for method in METHODS:
            asked[number := 100 + len(asked)] = name, method
            said.append(asking(number, method, uri))
        said += [
            notice("textDocument/didSave", about(uri)),
            notice("textDocument/didClose", about(uri)),
        ] * opened
    found = answers(b"".join(said))
    for number, (name, method) in asked.items():
        if opened:
            assert "result" in found[number], (name, method, found[number])
            if method == "hover":
                assert "declared in line 1" in str(found[number]["result"]), name
        else:
            assert found[number]["error"]["code"] == REFUSED, (name, method, found[number])


def test_cells_of_a_notebook_are_texts_of_their_own():
    cell = "vscode-notebook-cell:/b.ipynb#W0"
    notebook = {"uri": "file:///b.ipynb", "notebookType": "jupyter-notebook", "version": 1}
    text = {"uri": cell, "languageId": "seme", "version": 1, "text": TEXT}
    parts = {"notebookDocument": notebook | {"cells": [{"kind": 2, "document": cell}]}}
    found = answers(
        notice("notebookDocument/didOpen", parts | {"cellTextDocuments": [text]})
        + opening(cell, TEXT)
        + asking(2, "hover", cell)
        + asking(3, "hover", "vscode-notebook-cell:/b.ipynb#W1")
        + notice("notebookDocument/didClose", parts | {"cellTextDocuments": [{"uri": cell}]})
    )
    assert "declared in line 1" in str(found[2]["result"])
    assert found[3]["error"]["code"] == REFUSED


@pytest.mark.parametrize(
    "name", ["gr\udcfcn.seme", "\udcff\udcfe.seme", "é\u0301 b#?%.seme", "漢字.seme"]
)
def test_a_file_of_any_name_is_read_from_the_disk(name, tmp_path):
    (tmp_path / name).write_text(TEXT, encoding="utf-8-sig")
    uri = "file://" + quote(os.fsencode(tmp_path / name))
    asked = (asking(number, method, uri) for number, method in enumerate(METHODS, 10))
    found = answers(b"".join(asked))
    assert "declared in line 1" in str(found[10]["result"])
    assert all("result" in found[n] for n, _ in enumerate(METHODS, 10))
    target = found[11]["result"]["uri"]
    there = os.fsdecode(unquote_to_bytes(target.removeprefix("file://")))
    assert (tmp_path / name).samefile(there)
