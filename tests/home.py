"""A home of data sets on this machine: made-up files, a table of them, and a server."""

import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

REPOSITORY, COMMIT = "somebody/data", "c0ffee"

SCAN = {
    "LICENSE": b"Do as you like.\n",
    "jump_split/tasks_train_jump.txt": b"IN: hop OUT: I_HOP\nIN: hop twice OUT: I_HOP I_HOP\n",
    "jump_split/tasks_test_jump.txt": b"".join(
        b"IN: hop %d OUT: %s\n" % (n, b" ".join([b"I_HOP"] * (n % 9))) for n in range(1, 800)
    ),
}
COGS = {
    "LICENSE": b"Do as you like.\n",
    "data/train.tsv": b"A dog barked .\tbark ( dog )\tin_distribution\n",
    "data/dev.tsv": b"A cat barked .\tbark ( cat )\tin_distribution\n",
    "data/test.tsv": b"A cow barked .\tbark ( cow )\tin_distribution\n",
    "data/gen.tsv": b"".join(
        b"Dog %d barked .\tbark ( %d )\t%s\n" % (n, n, b"odd" if n % 3 else b"even")
        for n in range(9)
    ),
}
WORDS = {
    "vocabulary.csv": b"expression,category\ngoat,noun\n",
    "vocab_documentation.md": b"# Words\n",
}
PROBLEMS = {"dataset/alg514_fold0_test.jsonl": b'{"text": "What is 2 + 2 ?"}\n'}


def _article(title):
    answers = [{"text": "a goat", "answer_start": 11}, {"text": "goat", "answer_start": 13}]
    asked = {"id": f"{title} 1", "question": "What is kept?", "answers": answers}
    context = "Anna keeps a goat. Élan is a word."
    return {"title": title, "paragraphs": [{"context": context, "qas": [asked]}]}


_TITLES = ("Force", "Steam_engine", "Warsaw")
SQUAD = {
    "dataset/dev-v1.1.json": json.dumps({"data": [*map(_article, _TITLES)]}).encode(),
    "dataset/train-v1.1.json": json.dumps({"data": [_article("Goats")]}).encode(),
}
SETS = {"scan": SCAN, "cogs": COGS, "blimp-words": WORDS, "squad": SQUAD, "alg514": PROBLEMS}


def git_of(data):
    """Git's checksum of a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def table_of(sets, **changed):
    """A table of files as `sources.tsv`; some columns changed for all."""
    lines = ["set\trepository\tcommit\tpath\tbytes\tgit_sha1\tsha256"]
    for name, files in sets.items():
        for path, data in files.items():
            row = {
                "set": name, "repository": REPOSITORY, "commit": COMMIT, "path": path,
                "bytes": str(len(data)), "git": git_of(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }  # fmt: skip
            lines.append("\t".join((row | changed).values()))
    return "\n".join(lines) + "\n"


def write_files(folder, files):
    """Puts files where their paths say."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


class Home:
    """Files at addresses, and what was asked of them.

    Attributes:
        files: By their paths in addresses.
        moved: Paths that lead elsewhere.
        cuts: How many bytes the next answers have, one after the other, before they end.
        ranges: Whether it goes on amid a file.
        asked: The path, and the range or None, of each request.
    """

    def __init__(self):
        self.files = {
            f"/{REPOSITORY}/{COMMIT}/{path}": data
            for files in SETS.values()
            for path, data in files.items()
        }
        self.moved, self.cuts, self.asked, self.ranges, self.status = {}, [], [], True, None
        self.address = ""

    def answer(self, request):
        path, span = urlsplit(request.path).path, request.headers.get("Range")
        self.asked.append((request.path, span))
        if self.status is not None:
            request.send_error(self.status)
            return
        if path in self.moved:
            request.send_response(302)
            request.send_header("Location", self.moved[path])
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        if path not in self.files:
            request.send_error(404)
            return
        data, begun = self.files[path], 0
        if span and self.ranges:
            begun = int(span.removeprefix("bytes=").removesuffix("-"))
            if begun >= len(data):
                request.send_error(416)
                return
        request.send_response(206 if begun else 200)
        if begun:
            request.send_header("Content-Range", f"bytes {begun}-{len(data) - 1}/{len(data)}")
        request.send_header("Content-Length", str(len(data) - begun))
        request.end_headers()
        some = data[begun:]
        request.wfile.write(some[: self.cuts.pop(0)] if self.cuts else some)


@contextmanager
def served():
    """A home that answers at `home.address` for as long as this is open."""
    home = Home()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            home.answer(self)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    home.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield home
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
