"""The language server answers every request, a bad one by its error, and survives any header."""

import json
import subprocess
import sys

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


def answers(said):
    """What the server says to one bad message, by number, and how it ends."""
    line = [sys.executable, "-m", "progtf", "lsp"]
    done = subprocess.run(
        line, input=START + said + END, capture_output=True, timeout=120, check=False
    )
    out, found = done.stdout, []
    while out:
        header, _, rest = out.partition(b"\r\n\r\n")
        size = int(header.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        found.append(json.loads(rest[:size]))
        out = rest[size:]
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    return {each.get("id"): each for each in found}


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
