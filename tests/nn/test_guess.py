"""What may be written next is guessed from what parted a question, and an answer so far."""

from progtf.nn.guess import MISSES, Guess

ALIKE = [0, 0, 0, 1, 2, 0]
DIGIT, COMMA, BLANK, END, OTHER = 0, 3, 4, 5, -1
HEARD = [OTHER, BLANK, 1, 2, COMMA, BLANK, 2, 2, 1, COMMA, BLANK, 1]
"""`? 12, 221, 1`"""
START = 8


def after(written, heard):
    """What is guessed behind what was written, one symbol each time."""
    guess = Guess(ALIKE, END, heard)
    guess.check([[START]], [written])
    return guess.next([written[-1]], 7)[0][1:]


def test_a_part_has_room_for_the_longest_of_its_kind_that_was_asked():
    assert after([1, COMMA], HEARD) == [BLANK, DIGIT, DIGIT, DIGIT, COMMA, BLANK]
    assert after([1, COMMA, BLANK, 1, 1], HEARD) == [DIGIT, COMMA, BLANK, *[DIGIT] * 3]


def test_a_part_that_is_longer_than_any_is_not_guessed_to_end():
    assert after([1, COMMA, BLANK, 1, 1, 1, 1], HEARD) == [DIGIT] * 6


def test_the_first_part_has_room_for_the_longest_of_all_also_for_that_which_has_no_end():
    heard = [*HEARD, 1, 1, 1, 1]
    assert Guess(ALIKE, END, HEARD).next([START], 6)[0] == [START, *[DIGIT] * 3, COMMA, BLANK]
    assert Guess(ALIKE, END, heard).next([START], 8)[0] == [START, *[DIGIT] * 5, COMMA, BLANK]


def test_what_has_ended_parts_of_the_answer_is_guessed_before_what_was_only_asked():
    heard = [BLANK, 1, BLANK, 1, BLANK, 2, 1, COMMA, BLANK, 1, BLANK]
    assert after([1, BLANK], heard) == [DIGIT, BLANK, DIGIT, BLANK, DIGIT, BLANK]
    assert after([1, COMMA], heard) == [BLANK, DIGIT, DIGIT, COMMA, BLANK, DIGIT]


def test_without_a_question_answers_tell_how_they_go_on():
    assert after([1], []) == after([1, COMMA], []) == [DIGIT] * 6
    assert after([1, COMMA, BLANK, 2, COMMA], []) == [BLANK, DIGIT, COMMA, BLANK, DIGIT, COMMA]


def test_the_end_is_not_guessed_whatever_it_is_said_to_look_like():
    guess = Guess([1, 1, 0, 0], 3, [1, 2, 1, 3])
    assert guess.next([START], 5)[0] == [START, 0, 0, 2, 0]


def test_as_much_is_right_as_looks_like_what_was_guessed_up_to_the_end():
    guess = Guess(ALIKE, END, [])
    assert guess.check([[START, 0, 0, 0]], [[2, 1, 0, 0]]) == 4
    assert not guess.failed
    assert guess.check([[START, 0, 0, 0]], [[2, END, COMMA, 0]]) == 4
    assert guess.check([[START, 0, 0, 0], [START, 0, 0, 0]], [[2, 1, 0, 0], [1, COMMA, 0, 0]]) == 2
    assert guess.failed


def test_what_was_written_in_all_rooms_is_the_next_guess():
    guess = Guess(ALIKE, END, HEARD)
    given = guess.next([START], 14)
    assert given[0][1:] == [*[0] * 3, COMMA, BLANK, *[0] * 3, COMMA, BLANK, *[0] * 3]
    written = [1, COMMA, 0, 0, BLANK, 2, 2, COMMA, 0, BLANK, 1, 2, 1, END]
    assert guess.check(given, [written]) == 2
    rest = [BLANK, 2, 2, COMMA, BLANK, 1, 2, 1, COMMA]
    assert guess.next([COMMA], 10)[0] == [COMMA, *rest]


def test_what_is_longer_than_its_room_gets_one_of_twice_the_size():
    guess = Guess(ALIKE, END, HEARD)
    given = guess.next([START], 11)
    written = [1, COMMA, 0, 0, BLANK, 2, 2, 1, 2, BLANK, 1]
    assert guess.check(given, [written]) == 2
    assert guess.next([COMMA], 11)[0] == [COMMA, BLANK, 2, 2, 1, 2, *[0] * 4, COMMA]


def test_drafts_that_are_wrong_are_given_up():
    guess, made = Guess(ALIKE, END, HEARD), []
    for _ in range(MISSES):
        guess.coming = [COMMA]
        assert guess.check(guess.next([START], 3), [[1, COMMA, 1]]) == 1
        made.append(bool(guess.coming))
    assert made == [True] * (MISSES - 1) + [False]
