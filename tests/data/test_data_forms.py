"""Files of questions as they come: what they are, their content says, and then their names."""

import gzip
import json
import unicodedata

import pytest

from progtf.data import DataError, Told, form_of, open_pairs

AB = [("a", "b", "all"), ("é", "ü", "all")]
SORTED = [("a", "b", "one"), ("é", "ü", "two")]
TABS, TABS_SORTED = "a\tb\né\tü\n", "a\tb\tone\né\tü\ttwo\n"
COMMAS = "a,b\né,ü\n"
SCAN = "IN: a OUT: b\nIN: é OUT: ü\n"
ROWS = [{"question": "a", "answer": "b"}, {"question": "é", "answer": "ü"}]
JSON_LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
READ = [  # name, content, what is read, which lines are refused
    ("a.tsv", TABS, AB, []),
    ("a.TSV", TABS, AB, []),
    ("a.tab", TABS, AB, []),
    ("a.txt", TABS, AB, []),
    ("a", TABS, AB, []),
    ("a.csv", TABS, AB, []),
    ("a.tsv", TABS_SORTED, SORTED, []),
    ("a.tsv", "question\tanswer\n" + TABS, AB, []),
    ("a.tsv", "Question\tAnswer\tCategory\n" + TABS_SORTED, SORTED, []),
    ("a.tsv", TABS.removesuffix("\n"), AB, []),
    ("a.tsv", TABS + "\n\n", AB, []),
    ("a.tsv", "\n" + TABS, AB, []),
    ("a.tsv", "a\tb\n\né\tü\n", AB, []),
    ("a.tsv", "a\tb\nno tab\né\tü\n", AB, [2]),
    ("a.tsv", "no tab\n" + TABS, AB, [1]),
    ("a.tsv", TABS + "no tab", AB, [3]),
    ("a.tsv", b"a\tb\n\xff\tc\n" + "é\tü\n".encode(), AB, [2]),
    ("a.tsv", b"\xff\n\xfe\tx\n" + TABS.encode(), AB, [1, 2]),
    ("a.tsv", "a\tb\u2028c\n", [("a", "b\u2028c", "all")], []),
    ("a.csv", COMMAS, AB, []),
    ("a.CSV", COMMAS, AB, []),
    ("a.csv", "question,answer\n" + COMMAS, AB, []),
    ("a.txt", "question,answer\n" + COMMAS, AB, []),
    ("a.csv", "a;b\né;ü\n", AB, []),
    ("a.csv", "sep=;\na;b\né;ü\n", AB, []),
    ("a.csv", "a,b,one\né,ü,two\n", SORTED, []),
    ("a.csv", '"a",b\n"é","ü"\n', AB, []),
    ("a.csv", '"x, ""y""",b\n', [('x, "y"', "b", "all")], []),
    ("a.csv", '"x\ny",b\nz,c\n', [("x\ny", "b", "all"), ("z", "c", "all")], []),
    ("a.csv", "a,b\nalone\né,ü\n", AB, [2]),
    ("a.csv", 'a,b\n"x"y,c\né,ü\n', AB, [2]),
    ("a.csv", b"a,b\n\xff,c\n" + "é,ü\n".encode(), AB, [2]),
    ("a.txt", SCAN, AB, []),
    ("a.TXT", SCAN, AB, []),
    ("a.scan", SCAN, AB, []),
    ("a.tsv", SCAN, AB, []),
    ("a.txt", "IN: a OUT: b\nIN: no\nIN: é OUT: ü\n", AB, [2]),
    ("a.jsonl", JSON_LINES, AB, []),
    ("a.JSONL", JSON_LINES, AB, []),
    ("a.ndjson", JSON_LINES, AB, []),
    ("a.txt", JSON_LINES, AB, []),
    ("a.tsv", JSON_LINES, AB, []),
    ("a.jsonl", JSON_LINES.replace("\n", "\n{broken\n", 1), AB, [2]),
    ("a.jsonl", "{broken\n" + JSON_LINES, AB, [1]),
    ("a.jsonl", JSON_LINES + '{"question": "a"}\n', AB, [3]),
    ("a.jsonl", JSON_LINES + '[1]\n"a"\n7\n', AB, [3, 4, 5]),
    ("a.jsonl", JSON_LINES + '{"question": {}, "answer": []}\n', AB, [3]),
    ("a.jsonl", '{"question": "a", "answer": 7, "category": "n"}\n', [("a", "7", "n")], []),
    ("a.json", json.dumps(ROWS), AB, []),
    ("a.json", json.dumps(ROWS, indent=1), AB, []),
    ("a.json", json.dumps(ROWS[0]) + "\n" + json.dumps(ROWS[1]), AB, []),
    ("a.json", json.dumps([*ROWS, {"question": "x"}], indent=2), AB, [3]),
]  # fmt: skip
WAYS = {
    "as it is": lambda data: data,
    "with a mark": lambda data: b"\xef\xbb\xbf" + data,
    "of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "compressed": gzip.compress,
}


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "content", "due", "refused"), READ)
def test_a_file_is_what_its_content_says(name, content, due, refused, way, tmp_path):
    if way == "of Windows":
        due = [tuple(part.replace("x\ny", "x\ny") for part in row) for row in due]
    (tmp_path / name).write_bytes(WAYS[way](as_bytes(content)))
    told = Told()
    files = open_pairs(tmp_path / name, told=told)
    found = sorted((n, (*pair, file.module)) for file in files for n, pair in file.rows)
    assert [row for _, row in found] == due
    assert [each.line for each in told.refused] == refused
    assert all(str(each).startswith(f"{tmp_path / name}:{each.line}: ") for each in told.refused)
    if refused:  # who trains does not go on without them
        with pytest.raises(DataError, match=f":{refused[0]}: "):
            open_pairs(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize(("name", "content", "due", "refused"), READ)
def test_a_file_may_be_written_in_any_unicode(name, content, due, refused, encoding, tmp_path):
    if isinstance(content, bytes):
        return
    written = unicodedata.normalize("NFD", content).encode(encoding)
    (tmp_path / name).write_bytes(written)
    told = Told()
    files = open_pairs(tmp_path / name, told=told)
    found = sorted((n, (*pair, file.module)) for file in files for n, pair in file.rows)
    assert [row for _, row in found] == due
    assert [each.line for each in told.refused] == refused


SQUAD = {"data": [{"title": "t", "paragraphs": [{"context": "A cat.", "qas": []}]}]}
PASSAGE = {"article": "t", "context": "A cat.", "qas": []}
WORDED = {"text": "3 birds", "numbers": []}
MINIMAL = {"sentence_good": "a", "sentence_bad": "b"}
FORMS = [
    ("dev.json", json.dumps(SQUAD), "SQuAD"),
    ("dev.json", json.dumps({"version": "1.1", **SQUAD}), "SQuAD"),
    ("dev.json", json.dumps(SQUAD, indent=2), "SQuAD"),
    ("dev", json.dumps(SQUAD), "SQuAD"),
    ("dev.jsonl", json.dumps(SQUAD), "SQuAD"),
    ("dev.JSON", json.dumps(SQUAD) + " " * 2**18, "SQuAD"),
    ("dev.jsonl", json.dumps(PASSAGE) + "\n", "passages"),
    ("dev.JSONL", json.dumps(PASSAGE) + "\n", "passages"),
    ("dev.json", json.dumps(PASSAGE) + "\n", "passages"),
    ("a.jsonl", json.dumps(WORDED) + "\n", "word problems"),
    ("a.json", json.dumps(WORDED) + "\n", "word problems"),
    ("a.jsonl", json.dumps(MINIMAL) + "\n", "minimal pairs"),
    ("a.txt", json.dumps(MINIMAL) + "\n", "minimal pairs"),
    ("a.jsonl", "nothing\n", "word problems"),
    ("a.json", "nothing\n", "SQuAD"),
    ("a.txt", "nothing\n", "in and out"),
    ("a.tsv", "nothing\n", "tabs"),
    ("a.csv", "nothing\n", "commas"),
    ("a.pdf", "nothing\n", ""),
    ("a", "", ""),
]


@pytest.mark.parametrize(("name", "content", "due"), FORMS)
def test_what_is_in_a_file(name, content, due, tmp_path):
    (tmp_path / name).write_text(content)
    assert form_of(tmp_path / name) == due
    (tmp_path / name).write_bytes(gzip.compress(content.encode("utf-8-sig")))
    assert form_of(tmp_path / name) == due


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n\xff\n", b"PK\x03\x04\0\0", b"", b"a b c\nd e f\n"]
)
def test_what_is_accepted_is_listed_where_something_is_not(content, tmp_path):
    (tmp_path / "a.odt").write_bytes(content)
    with pytest.raises(DataError, match=r"(?s)a\.odt.*\.tsv.*\.csv.*\.jsonl.*SQuAD"):
        open_pairs(tmp_path / "a.odt")
