"""Text to syntax."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import UnexpectedInput

from progtf.building.load import parse_program
from progtf.notation import parser
from progtf.notation import syntax as s
from progtf.notation.builders import unquote
from progtf.notation.diagnostics import Source, errors
from progtf.notation.expand import expand_text
from progtf.notation.files import library, read_text
from progtf.notation.format import format_text
from progtf.notation.outline import Line
from progtf.notation.render import SemeError

words = st.from_regex(r"\A[a-z][a-z'-]{0,4}\Z")
semes = st.from_regex(r"\A[a-z_][a-z0-9_]{0,3}(\.[a-z]{1,2})?\Z")
numbers = st.sampled_from(["", "2", "2.5", ".5", "1e-3 ", "3 ", "07", "٣"])
signs = st.sampled_from(["+", "-", "−", " + ", " - "])
terms = st.tuples(signs, numbers, semes).map("".join)
lines = st.tuples(
    words, st.sampled_from([":", ": ", " : "]), st.lists(terms, max_size=4).map("".join)
)


def parsed(text):
    """The syntax of a text; SemeError with every line that cannot be read."""
    file, found = parser.parse_all(Source("<text>", text))
    if errors(found):
        raise SemeError(found)
    return file


def by_the_grammar(line: Line, rule: str):
    tables, builder = parser._reader()
    builder.read(line)
    return tables.lark.parse(line.content, start=rule)


@given(lines.map("".join).map(str.strip))
def test_plain_lexicon_lines_read_as_the_grammar_reads_them(content):
    line = Line(Source("t", content), 1, 2, content)
    try:
        expected = by_the_grammar(line, "lexicon_line")
    except UnexpectedInput:
        with pytest.raises(UnexpectedInput):
            parser.parse_line(line, "lexicon_line")
    else:
        assert parser.parse_line(line, "lexicon_line") == expected


def test_every_line_of_the_library_reads_as_lark_reads_it():
    def also(reading: parser.Reading, line: Line, rule: str, depth: int) -> s.Statement | None:
        expected = by_the_grammar(line, rule)
        assert parser.parse_line(line, rule) == expected
        return reading.statement(line, rule, depth)

    for path in library():
        _, found = parser.parse_all(Source(path.name, read_text(path)), also)
        assert not found


def value(text: str) -> s.Entries:
    (statement,) = parsed(f"v: {text}").statements
    assert isinstance(statement, s.NamedValue)
    return statement.value


@pytest.mark.parametrize(
    "text",
    [
        "+pig -wombat",
        "pig -wombat",
        "⟪+pig -wombat⟫",
        "<<pig - wombat>>",
        "⟨⟨+pig - wombat⟩⟩",
        "⟨ ⟨ +pig - wombat ⟩ ⟩",
        "⟨pig - wombat⟩",
        r"\langle\langle +pig - wombat \rangle\rangle",
        r"\langle \langle+pig - wombat \rangle \rangle",
        r"\langle +pig, -wombat \rangle",
        "+1pig, -1 wombat",
        "{1}pig −wombat",
    ],
)
def test_spellings_of_one_vector(text):
    numbers = [(e.terms[0].sign, getattr(e.terms[0].coefficient, "value", 1)) for e in value(text)]
    assert numbers == [(1, 1), (-1, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "a>b, 2b>c, -c>a",
        "a→b 2b→c -c→a",
        "{{a>b, 2b>c, -c>a}}",
        "a>b,\n  2b>c\n  -c>a",
        r"\{\{ a\rightarrow b, 2 b \to c, -c \rightarrow a\}\}",
    ],
)
def test_spellings_of_one_matrix(text):
    found = [[t.name.base for t in e.terms] for e in value(text)]
    assert found == [["a", "b"], ["b", "c"], ["c", "a"]]


def test_vectors_in_printed_brackets_stand_wherever_a_list_may():
    text = r"""
lexicon:
  a: ⟨⟨+pig - wombat⟩⟩
layer:
  head:
    value: \{\{pig\rightarrow wombat\}\}
    else: \langle\langle +pig \rangle\rangle
  feedforward:
    ⟨⟨+pig⟩⟩ when wombat
"""
    usual = """lexicon:
  a: +pig -wombat
layer:
  head:
    value: pig>wombat
    else: +pig
  feedforward:
    +pig when wombat
"""
    assert format_text(text) == usual


def test_both_clock_offsets_may_share_a_line():
    texts = ("querypos: +0\n    keypos: +1\n", "querypos: +0 keypos: +1\n")
    flat = [expand_text("<text>", f"layer:\n  head:\n    {text}") for text in texts]
    assert [found for _, found in flat] == [(), ()]
    fields = [program.statements[0].children[0].children for program, _ in flat]
    one, other = ([(field.key, field.value) for field in each] for each in fields)
    assert one == other == [("querypos", 0), ("keypos", 1)]
    assert format_text("layer:\n  head:\n    keypos:  1   querypos: -2\n").splitlines()[2] == (
        "    keypos: +1 querypos: -2"
    )


def test_every_unreadable_line_is_reported():
    with pytest.raises(SemeError) as raised:
        parsed("semes: a\nlexicon:\n  x +a\n  y: +a\n  z +\nlayer:\n  head:\n    look: at\n")
    assert [d.span.line for d in raised.value.diagnostics] == [3, 5, 8]


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (r'"a\"b"', 'a"b'),
        (r"'it\'s'", "it's"),
        (r'"\\n"', r"\n"),
        (r'"\n\t"', "\n\t"),
        (r'"\u00e9\x41"', "éA"),
        (r'"\d"', r"\d"),
        ('"\\"', "\\"),
    ],
)
def test_escapes_in_quotes(literal, text):
    assert unquote(literal) == text


def test_an_index_belongs_to_the_place_of_a_name():
    (entry,) = value('is["]"]')
    assert (entry.span.start, entry.span.end) == (3, 10)


@pytest.mark.parametrize("deep", ["(" * 101 + "a" + ")" * 101, "!" * 101 + "a", "! " * 101 + "a"])
def test_deep_conditions_are_refused(deep):
    with pytest.raises(SemeError, match="too-deep"):
        parsed(f"feedforward_is := {deep}")


def test_many_brackets_side_by_side_are_not_deep():
    assert len(value(" ".join(["+{1}a"] * 300))) == 300
    text = "examples:\n  " + "(" * 300 + " -> b"
    assert parsed(text).statements[0].children[0].input == "(" * 300


def test_names_may_begin_like_functions():
    (block,) = parsed("layer:\n  feedforward:\n    a: b >= 2divisor & modest").statements
    assert isinstance(block, s.Block)


@pytest.mark.parametrize(
    "declared",
    [
        "semes: {}\n",
        "semes:\n  {}\n",
        "semes:\n  first\n  {}\n",
    ],
)
@pytest.mark.parametrize(
    "some",
    [
        ("noun", "verb"),
        ("noun", "verb", "pl"),
        ("a.b", "a.c"),
        ('is["a".."c"]', "noun"),
        ("place[0..3]", 'pair[0..1, "a".."b"]'),
        ("noun", "val: 0..9"),
        ("share: 0..1 step 1/32", "mean: 0..1 step 0"),
    ],
)
def test_a_comma_may_stand_between_declared_semes(declared, some):
    words = "lexicon:\n  word: 0\n"
    plain, commas = (declared.format(by.join(some)) + words for by in (" ", ", "))
    assert parse_program(commas).space == parse_program(plain).space
    assert len(parse_program(commas).space.ranges) >= len(some)
    assert format_text(commas) == format_text(plain)


def test_threads_read_texts_at_once():
    texts = [
        "semes: a b c\nlexicon:\n"
        + "".join(f"  w{n}: +{'abc'[(n + k) % 3]}, 2a\n" for n in range(60))
        for k in range(6)
    ]
    alone = [parser.parse_all(Source(f"{k}.seme", text)) for k, text in enumerate(texts)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(texts)) as pool:
            for _ in range(5):
                sources = [Source(f"{k}.seme", text) for k, text in enumerate(texts)]
                assert list(pool.map(parser.parse_all, sources)) == alone
    finally:
        sys.setswitchinterval(before)
