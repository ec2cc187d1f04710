"""What the language server knows of a text: names, where they are, what they are called next."""

import json
import random
from pathlib import Path

import pytest

from benchmarks.fuzz_notation import changed, changed_lines, mutated
from progtf.building.edits import Edits
from progtf.cli.checking import check
from progtf.lsp.complete import proposals
from progtf.lsp.document import Document
from progtf.lsp.hover import hover
from progtf.lsp.mentions import mentions
from progtf.lsp.rename import RenameError, renamed
from progtf.lsp.structure import folds, parts
from progtf.notation.diagnostics import Source, errors
from progtf.notation.files import read_text
from progtf.notation.parser import parse_all

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(EXAMPLES.glob("*/*.seme"))
NOUNS = """\
let most = 3
semes:
  noun verb count: 0..most
circuit mark(target):
  feedforward:
    target: noun when verb
lexicon:
  for w in [dog, cat]:
    "{w}": +noun
  sits: +verb
encoder:
  layer one:
    head before:
      look: before
      copy: noun as next
      value: noun>verb
    feedforward:
      count: next.noun + most
  layer two:
    use mark(verb)
examples:
  dog -> dog: +noun
"""


def document(text=NOUNS, name="nouns.seme"):
    return Document(name, text)


def place(text, line, word):
    return line, text.split("\n")[line - 1].index(word)


def described(text=NOUNS):
    return [(m.span.line, m.name, m.kind, m.role) for m in document(text).mentions]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_name_stands_where_its_mention_says(file):
    found = mentions(parse_all(Source(file.name, file.read_text()))[0])
    for each in found:
        if each.kind not in ("file", "copy"):
            line = each.span.source.lines[each.span.line - 1]
            assert line[each.span.start : each.span.end] == each.name
    assert found


def test_names_are_declared_written_and_read():
    found = described()
    assert (3, "count", "seme", "declares") in found
    assert (3, "most", "", "reads") in found
    assert (10, "verb", "", "writes") in found
    assert (16, "noun", "", "reads") in found
    assert (16, "verb", "", "writes") in found
    assert (18, "count", "", "writes") in found
    assert (18, "next.noun", "", "reads") in found


def test_a_loop_variable_is_known_in_quoted_texts_and_only_in_its_loop():
    text = 'lexicon:\n  for w in [dog]:\n    "{w}": +w\n  for w in [cat]:\n    "{w}": +noun\n'
    local = {m.span.line: m.local.line for m in document(text).mentions if m.name == "w"}
    assert local == {2: 2, 3: 2, 4: 4, 5: 4}


def test_hover_tells_what_a_name_is_and_who_writes_and_reads_it():
    said = hover(document(), *place(NOUNS, 18, "count"))
    assert "count: 0..most" in said
    assert "declared in line 3" in said
    assert "written in layer one (line 18)" in said
    assert "next" in hover(document(), *place(NOUNS, 18, "next.noun"))
    assert hover(document(), 9_999, 0) is None


def test_hover_over_a_word_or_a_mark_tells_what_it_does():
    assert hover(document(), 4, 0) == "`circuit`: a piece of a layer with parameters"
    assert "where the rule applies" in hover(document(), *place(NOUNS, 6, "when"))


def test_hover_tells_what_the_comment_beside_a_declaration_says():
    text = NOUNS.replace("0..most\n", "0..most  # parts of speech, and how many\n")
    said = hover(document(text), *place(text, 18, "count"))
    assert "parts of speech, and how many" in said.split("\n\n")
    assert "parts of speech" not in hover(document(), *place(NOUNS, 18, "count"))


def test_hover_over_a_path_tells_what_the_file_says_of_itself():
    file = EXAMPLES / "math" / "add_or_sub.seme"
    text = file.read_text()
    line = next(n for n, row in enumerate(text.split("\n"), 1) if row.startswith("use "))
    said = hover(Document(str(file), text, file.parent), *place(text, line, "std/"))
    assert said.startswith("`std/")
    assert len(said.split()) > 5


def test_one_goes_to_what_a_used_file_declares():
    file = EXAMPLES / "math" / "add_or_sub.seme"
    shown = Document(str(file), file.read_text(), file.parent)
    others = [shown.declaration(m) for m in shown.mentions if m.role == "reads" and not m.kind]
    foreign = [span for span in others if span and span.source.name != shown.name]
    assert foreign
    for span in foreign:
        assert shown.path(span.source).is_file()


@pytest.mark.parametrize(
    ("line", "word", "lines"),
    [
        (18, "most", {1, 3, 18}),
        (6, "noun", {3, 6, 9, 15, 16, 18, 22}),
        (8, "w", {8, 9}),
        (4, "mark", {4, 20}),
        (6, "target", {4, 6}),
    ],
)
def test_a_new_name_stands_wherever_the_old_one_was_meant(line, word, lines):
    spans = renamed(document(), *place(NOUNS, line, word), "fresh")
    assert {span.line for span in spans} == lines
    for span in spans:
        assert span.source.lines[span.line - 1][span.start : span.end] == word


@pytest.mark.parametrize(
    ("line", "word", "name", "why"),
    [
        (6, "noun", "verb", "the name of something else"),
        (6, "noun", "2nd", "no name"),
        (6, "noun", "layer", "a word of the notation"),
        (18, "next.noun", "other", "made of another name"),
        (5, "feedforward", "other", "no name stands here"),
    ],
)
def test_what_cannot_be_renamed_is_refused(line, word, name, why):
    with pytest.raises(RenameError, match=why):
        renamed(document(), *place(NOUNS, line, word), name)


def test_nothing_is_renamed_in_a_text_that_cannot_be_read_or_in_another_file():
    with pytest.raises(RenameError, match="cannot be read"):
        renamed(document(NOUNS + "what is this\n"), *place(NOUNS, 6, "noun"), "fresh")
    shown = document('use "std/characters.seme"\nencoder:\n  layer one:\n    feedforward:\n')
    name = next(iter(shown.known))
    shown = document(shown.text + f"      {name.split('[')[0]}: 1\n")
    with pytest.raises(RenameError, match="rename it there"):
        renamed(shown, 5, 6, "fresh")


def words(line, column, text=NOUNS):
    return {each.text for each in proposals(document(text), line, column)}


def test_what_is_proposed_depends_on_the_block():
    assert {"query", "value", "look"} <= words(14, 6)
    assert "query" not in words(13, 4)
    assert {"head", "feedforward", "use"} <= words(13, 4)
    assert {"semes", "encoder", "examples"} <= words(1, 0)


@pytest.mark.parametrize("line", ["    sits: +no", "    sits: -2no", "    a := no", "    x: a>no"])
def test_behind_a_sign_names_alone_are_proposed(line):
    text = NOUNS.replace("  sits: +verb", f"  sits: +verb\n{line}")
    found = proposals(document(text), 11, len(line))
    assert "noun" in {each.text for each in found}
    assert [each.text for each in found if each.kind == "keyword"] == []


def test_texts_of_examples_are_anybodys():
    assert words(22, 5) == set()
    assert "noun" in words(22, 15)
    assert "when" in words(18, 13)


def test_every_keyword_that_is_proposed_says_what_it_is_for():
    found = [p for line in range(1, 24) for p in proposals(document(), line, 0)]
    found += proposals(document(), 14, 6)
    assert [p.text for p in found if p.kind == "keyword" and not p.about] == []


def test_names_circuits_and_files_are_proposed_where_they_can_stand():
    assert {"noun", "verb", "next.noun", "most"} <= words(18, 13)
    assert words(20, 8) == {"mark"}
    assert "std/characters.seme" in words(1, 5, 'use "std')
    assert words(1, 3, "# a comment") == set()


def test_blocks_fold_and_are_outlined():
    assert (11, 20) in folds(document())
    assert (13, 16) in folds(document())
    titles = [part.title for part in parts(document())]
    assert titles == ["semes", "circuit mark(target)", "lexicon", "encoder", "examples"]
    layers = parts(document())[3].parts
    assert [layer.title for layer in layers] == ["layer one", "layer two"]
    assert (layers[0].span.line, layers[0].last) == (12, 18)


def ask_everything(shown, chance):
    lines = shown.parsed[0].span.source.lines
    line = chance.randint(1, len(lines))
    column = chance.randint(0, len(lines[line - 1]))
    hover(shown, line, column)
    proposals(shown, line, column)
    folds(shown)
    parts(shown)
    mention = shown.at(line, column)
    if mention is not None:
        shown.target(mention)
        shown.same(mention)


def edits(count, seed, files):
    """Texts as people type them into several files, and what is kept of each through its edits."""
    chance = random.Random(seed)
    first = {file: file.read_text().split("\n") for file in files}
    now, kept = dict(first), {file: Edits() for file in files}
    for _ in range(count):
        file = chance.choice(files)
        text = changed(chance, "\n".join(changed_lines(chance, now[file])))
        if chance.random() < 0.2:
            text = mutated(chance, first[file], first[chance.choice(files)])
        yield file, text, kept[file], chance
        now[file] = first[file] if chance.random() < 0.3 else text.split("\n")


def parts_of(count, longer):
    """A short run for every day, and a long one in parts."""
    return [(count, 5), *(pytest.param(longer, seed, marks=pytest.mark.long) for seed in range(2))]


@pytest.mark.parametrize(("count", "seed"), parts_of(100, 400))
def test_random_edits_are_answered(count, seed):
    small = [file for file in FILES if file.stat().st_size < 4000]
    named = right = 0
    for file, text, kept, chance in edits(count, seed, small):
        shown = Document(str(file), text, file.parent, kept)
        right += not errors(shown.found)
        ask_everything(shown, chance)
        named += any(mention.kind == "seme" for mention in shown.mentions)
    assert named > count / 2  # else nothing was asked
    assert count / 20 < right < count


@pytest.mark.parametrize(("count", "seed"), parts_of(20, 100))
def test_edited_texts_have_the_mistakes_that_check_finds(count, seed, tmp_path, capsys):
    small = [file for file in FILES if file.stat().st_size < 2000]
    told = 0
    for like, text, kept, _ in edits(count, seed, small):
        file = tmp_path / like.name
        file.write_bytes(text.encode("utf-8", "replace"))
        with pytest.raises(SystemExit):
            check([file], as_json=True)
        said = json.loads(capsys.readouterr().out)["problems"]
        found = Document(str(file), read_text(file), tmp_path, kept).found
        own = [(each.code, each.span.line, each.span.start + 1) for each in found]
        theirs = [(each["code"], each["line"], each["column"]) for each in said]
        assert theirs[: len(own)] == own, text
        assert len(own) == len(theirs) or not errors(found), text
        told += bool(own)
    assert told


def test_a_line_that_is_nested_too_deeply_hides_no_other():
    deep = "semes: near\n  far: " + "2**" * 400 + "2..3\n"
    assert [each.name for each in document(deep + "layer: \n").mentions][:1] == ["near"]
