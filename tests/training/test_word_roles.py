"""What a reader gives words, beside their tags."""

import json

import pytest

from progtf.data.errors import DataError
from progtf.tasks.comprehension import Text, read_questions
from progtf.training.answer import Reader
from progtf.training.word_roles import passages_of, read_tags, seen, tags_of, untrained
from tests.training.conftest import trained
from tests.training.test_reading import FEW, LSTM, WRITTEN, run_file

__all__ = ["run_file"]


def test_words_get_the_tag_of_what_stands_at_their_first_character(tmp_path):
    said = {"context": "It's well-known.", "tags": [[0, 2, "PRON"], [2, 4, "AUX"], [5, 15, "ADJ"]]}
    (tmp_path / "tags.jsonl").write_text(json.dumps(said) + "\n")
    tags = read_tags(tmp_path / "tags.jsonl")
    passage = Text.of(said["context"])
    assert passage.words == ("It", "'", "s", "well", "-", "known", ".")
    assert tags_of(passage, tags) == ["PRON", "AUX", "AUX", "ADJ", "ADJ", "ADJ", ""]
    assert tags_of(Text.of("other"), tags) == [""]
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="no tags of passages"):
        read_tags(tmp_path / "bad.jsonl")


def test_every_word_of_every_passage_is_seen_and_untrained_cells_see_otherwise(run_file):
    checkpoint = trained(run_file, **WRITTEN, **FEW).latest
    questions = read_questions(run_file.parent / "dev.jsonl.gz")
    reader, passages = Reader.load(checkpoint, questions), passages_of(questions)
    assert len(passages) == len({each.raw for each in passages}) <= 30
    found, alone = seen(reader, passages, {}), seen(reader, passages[3:4], {})
    assert len(found.words) == len(found.tags) == len(found.roles) == len(found.passage)
    mine = found.passage == 3
    assert [w for w, here in zip(found.words, mine, strict=True) if here] == alone.words
    assert found.outputs[mine] == pytest.approx(alone.outputs, abs=1e-5)
    assert found.roles.shape[1:] == (2, 6)
    known = [word.lower() in ("a", "the") for word in found.words]
    assert (found.roles[:, 0, 0] == known).all()
    before = seen(untrained(checkpoint, reader, 3), passages, {})
    assert (before.roles[..., :2] == found.roles[..., :2]).all()
    assert abs(before.roles[..., 2:] - found.roles[..., 2:]).max() > 1e-3


def test_people_see_the_words_of_roles_and_symbols(run_file, progtf):
    folder, data = trained(run_file, **WRITTEN, **FEW).latest, run_file.parent / "dev.jsonl.gz"
    page, tags = run_file.parent / "roles.html", run_file.parent / "tags.jsonl"
    passages = passages_of(read_questions(data))
    said = [{"context": p.raw, "tags": [[0, len(p.raw), "X"]]} for p in passages]
    tags.write_text("".join(json.dumps(each) + "\n" for each in said))
    status, told, _ = progtf("roles", folder, "--data", data, "--tags", tags, "-o", page, "--json")
    rows = {row["entry"]: row for row in json.loads(told.splitlines()[0])}
    assert status == 0
    assert set(rows["role determiner"]["words"].split(", ")) == {"a", "the"}
    assert rows["role determiner"]["parts of speech"] == "X 100 %"
    for kind in ("role", "symbol"):
        mine = [float(row["words, %"]) for name, row in rows.items() if name.startswith(kind)]
        assert sum(mine) == pytest.approx(100, abs=0.7)
    assert "keeps </span>" in page.read_text()
    assert page.read_text().count('title="role determiner"') == sum(
        word.lower() in ("a", "the") for each in passages[:20] for word in each.words
    )
    status, told, _ = progtf("roles", folder, "--data", data)
    assert "role determiner" in told


def test_an_lstm_has_no_roles_and_a_reader_is_read_with_passages_alone(run_file, progtf):
    folder, data = trained(run_file, **LSTM, **FEW).latest, run_file.parent / "dev.jsonl.gz"
    status, _, error = progtf("roles", folder, "--data", data)
    assert (status, "an LSTM, which has no roles" in error) == (1, True)
    (run_file.parent / "q.txt").write_text("1+1\n2\n" * 8)
    status, _, error = progtf("roles", folder, "--data", run_file.parent / "q.txt")
    assert (status, "with a file of these" in error) == (1, True)
