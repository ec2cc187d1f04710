"""Tables of words as spreadsheets and other systems write them, under names as these write them."""

import unicodedata

import pytest

import progtf

ROWS = "word{0}kind\nété{0}n\nhaus{0}v\n"
PROGRAM = 'semes: n v\nlexicon from "{}":\n  kind=n > n\n  kind=v > v\n'


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("name", "between"),
    [("é.tsv", "\t"), ("é.TSV", "\t"), ("é.csv", ","), ("é.CSV", ","), ("é.csv", "\t")],
)  # fmt: skip
def test_a_table_is_read_whoever_wrote_it(name, between, end, encoding, form, tmp_path):
    lies = unicodedata.normalize(form, name)
    text = unicodedata.normalize(form, ROWS.format(between)).replace("\n", end)
    (tmp_path / lies).write_bytes(text.encode(encoding))
    (tmp_path / "a.seme").write_text(PROGRAM.format(name), encoding=encoding)
    for asked in ("été", unicodedata.normalize("NFD", "été")):
        found = progtf.interpret(progtf.load(tmp_path / "a.seme")).run(f"{asked} haus")
        assert found == "été: +n | haus: +v"
