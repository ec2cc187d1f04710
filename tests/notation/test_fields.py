"""The table of fields says what the grammar says."""

import pytest

from progtf.notation.blocks import BLOCKS
from progtf.notation.fields import FIELDS
from progtf.notation.format import format_text
from progtf.notation.parse_errors import keywords_of
from progtf.notation.parser import grammar

_NO_FIELDS = {
    *("for", "head", "feedforward", "use", "phrase", "reading", "sequence"),
    *("capitals", "contains", "count", "unknown", "read", "otherwise"),
}


@pytest.mark.parametrize("block", FIELDS)
def test_every_key_of_the_grammar_stands_in_the_table(block):
    words = set(keywords_of(BLOCKS[block].rule, grammar())) - _NO_FIELDS
    scored = {"value"} if block == "score" else set()  # it is what the class is called
    opened = {"layer", "semes"} if block == "loop" else set()  # they have lines below
    assert words == set(FIELDS[block]) | scored | opened


def test_a_key_of_several_blocks_is_of_one_kind():
    kinds = {(key, kind) for fields in FIELDS.values() for key, kind in fields.items()}
    assert len({key for key, _ in kinds}) == len(kinds)


@pytest.mark.parametrize(
    "text",
    [
        'learn:\n  semes: 2*many\n  tokens: "chars -> words"\n  encoder: layers 1..2 filter 8\n',
        'model:\n  tokens: chars -> words\n  length: 20 -> 8\n  join: ""\n  sharpness: 2.5\n',
        'spelling:\n  separate: "n\'t" "\'s"\n  trim: punctuation leaving 2\n  join: phrases\n',
        'spelling:\n  drop: quotes dashes ","\n  stops: "."\n  fold: typography blanks\n',
        'spelling:\n  read "x" as "*" between numbers\n  read "n\'t" as "not" inside\n',
        'spelling:\n  thousands: lists ","\n  unknown "-ed" > past\n  unknown digits > 2number\n',
        "layer:\n  repeat: 3\n  head:\n    at: -1\n    lowest: 2b where c\n    else: +a below -1\n",
    ],
)
def test_fields_are_written_as_they_are_read(text):
    assert format_text(text) == text
