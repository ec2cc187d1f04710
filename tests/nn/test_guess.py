"""What may be written next is guessed from what parted a question, and an answer so far."""

from progtf.nn.decoding import Symbols, _Guess

ALIKE = [0, 0, 0, 1, 2, 0]
DIGIT, COMMA, BLANK, END, OTHER = 0, 3, 4, 5, -1
SYMBOLS = Symbols(pad=9, start=8, end=END)
HEARD = [OTHER, BLANK, 1, 2, COMMA, BLANK, 2, 2, 1, COMMA, BLANK, 1]


def after(written, heard):
    """What is guessed behind what was written, one symbol each time."""
    guess = _Guess(ALIKE, SYMBOLS, heard)
    guess.check([[8]], [written])
    return guess.next([written[-1]], 7)[0][1:]


def test_of_lengths_that_are_as_frequent_the_longest_is_guessed():
    assert after([1, COMMA], HEARD) == [BLANK, DIGIT, DIGIT, DIGIT, COMMA, BLANK]
    assert after([1, COMMA, BLANK, 1, 1], HEARD) == [DIGIT, COMMA, BLANK, *[DIGIT] * 3]


def test_parts_are_guessed_to_be_as_long_as_most_that_are_as_long_already():
    heard = [BLANK, 1, COMMA, BLANK, 2, COMMA, BLANK, 1, 1, 2, COMMA, BLANK]
    assert after([1, COMMA], heard) == [BLANK, DIGIT, COMMA, BLANK, DIGIT, COMMA]
    assert after([1, COMMA, BLANK, 1, 1], heard) == [DIGIT, COMMA, BLANK, DIGIT, COMMA, BLANK]


def test_a_part_that_is_longer_than_any_is_not_guessed_to_end():
    assert after([1, COMMA, BLANK, 1, 1, 1, 1], HEARD) == [DIGIT] * 6


def test_before_an_answer_is_parted_nothing_is_guessed():
    assert after([1], HEARD) == [DIGIT] * 6


def test_without_a_question_answers_tell_how_they_go_on():
    assert after([1, COMMA], []) == [DIGIT] * 6
    assert after([1, COMMA, BLANK, 2, COMMA], []) == [BLANK, DIGIT, COMMA, BLANK, DIGIT, COMMA]


def test_as_much_is_right_as_looks_like_what_was_guessed_up_to_the_end():
    guess = _Guess(ALIKE, SYMBOLS, [])
    assert guess.check([[8, 0, 0, 0]], [[2, 1, 0, 0]]) == 4
    assert not guess.failed
    assert guess.check([[8, 0, 0, 0]], [[2, END, COMMA, 0]]) == 4
    assert guess.check([[8, 0, 0, 0], [8, 0, 0, 0]], [[2, 1, 0, 0], [1, COMMA, 0, 0]]) == 2
    assert guess.failed
