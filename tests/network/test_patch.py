"""Changes by name mean the same in the network as by the meaning of the program."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import event, given, settings
from hypothesis import strategies as st

import progtf
from progtf.program.changes import ablated, added, scaled, set_to, swapped, value_at
from progtf.program.tokens import InputError
from progtf.running.override import Names
from progtf.weights.layout import LayerLayout
from tests.network.programs import (
    built,
    inputs,
    keeps_its_promises,
    loops,
    programs,
    written_in_loops,
)
from tests.programs import LARGE, PROGRAMS, compiled, loaded

SMALL = [path for path in PROGRAMS if path not in LARGE and "hybrid" not in path.parts]
LOOPS = "remainders", "euclid"
# Rounds take seconds.
EACH = [pytest.param(p, id=p.stem, marks=[pytest.mark.long] * (p.stem in LOOPS)) for p in SMALL]
PLACE, QUESTION = "examples/math/place_value.seme", "What is the tens digit of 1234?"


@pytest.fixture(scope="module")
def place_value():
    program = progtf.load(PLACE)
    return progtf.compile(program), progtf.interpret(program)


def said(answers):
    return [str(each) if isinstance(each, InputError) else each.text for each in answers]


def assert_the_same(model, interpreter, texts, patch):
    texts = [text for text in texts if keeps_its_promises(interpreter.patch(patch), text)]
    got, meant = model.patch(patch).try_answers(texts), interpreter.patch(patch).try_answers(texts)
    for mine, theirs in zip(got, meant, strict=True):
        if isinstance(theirs, InputError) or isinstance(mine, InputError):
            assert str(mine) == str(theirs)
        elif theirs.residual is not None:
            scale = max(1.0, float(np.abs(theirs.residual).max()))
            assert np.abs(mine.residual - theirs.residual).max() <= 1e-6 * scale
        elif theirs.scores is not None:
            assert mine.scores == pytest.approx(theirs.scores, abs=1e-4)
        elif theirs.gap is None or theirs.gap > 1e-3:
            assert mine.text == theirs.text


# ------------------------------------------------------------------ one program, by hand


@pytest.mark.parametrize(
    ("patch", "answer"),
    [
        ({"encoder.hit": {"hit": [value_at(29, 0), value_at(28, 1)]}}, "2"),
        ({"encoder.hit": {"hit": set_to(0)}}, ""),
        ({"encoder.told": {"asked": added(1)}}, "2"),
        ({"encoder.told": {"asked": scaled(2)}}, "2"),
        ({"encoder.told": {"asked": swapped("What is the units digit of 1234?")}}, "4"),
        ({"encoder.hit": {"val": added(1, at=29)}}, "4"),
        ({"encoder.told": {"told": ablated()}}, "4"),
        ({"encoder.hit": {"hit": ablated()}}, ""),
    ],
)
def test_a_patch_changes_the_answer_as_it_says(place_value, patch, answer):
    model, interpreter = place_value
    assert interpreter.patch(patch).run(QUESTION) == answer
    assert model.patch(patch).run(QUESTION) == answer
    assert model.run(QUESTION) == "3"


def test_a_patched_model_is_looked_into(place_value):
    patched = place_value[0].patch({"encoder.hit": {"hit": value_at(3, 1)}})
    _, cache = patched.run_with_cache(QUESTION, "encoder.hit.hit")
    assert cache["encoder.hit.hit"][0, 3] == 1.0


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"encoder.hits": {"hit": set_to(0)}}, "no layer is called `encoder.hits`; did you mean"),
        ({"encoder.hit": {"hitt": set_to(0)}}, "no seme is called `hitt`; did you mean `hit`"),
        ({"encoder.told": {"tolld": ablated()}}, "did you mean `told`"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest(place_value, patch, said):
    for each in place_value:
        with pytest.raises(ValueError, match=said):
            each.patch(patch)


def test_a_place_that_a_text_does_not_have_is_refused(place_value):
    for each in place_value:
        with pytest.raises(InputError, match=r"encoder.hit.hit@99: the text has 33 tokens"):
            each.patch({"encoder.hit": {"hit": value_at(99, 0)}}).run(QUESTION)
    with pytest.raises(ValueError, match="begin with 0"):
        value_at(-1, 0)


def test_of_many_texts_those_that_have_the_place_are_answered(place_value):
    patch = {"encoder.hit": {"hit": value_at(31, 0)}}
    texts = ["What is the units digit of 9?", QUESTION, "What is the units digit of 10?"]
    for each in place_value:
        short, same, last = each.patch(patch).try_answers(texts)
        assert str(short) == "encoder.hit.hit@31: the text has 31 tokens, the first is 0"
        assert (same.text, last.text) == ("3", "0")
        with pytest.raises(InputError, match=r"input 1: encoder.hit.hit@31"):
            each.patch(patch).run(texts)
    with pytest.raises(InputError, match=r"input 1: encoder.hit.hit@31"):
        place_value[0].patch(patch).run_with_cache(texts, "encoder.hit.hit")


def test_what_is_no_change_and_no_number_is_refused(place_value):
    for amount in (float("nan"), float("inf"), -float("inf")):
        for change in (set_to, added, scaled, lambda number: value_at(0, number)):
            with pytest.raises(ValueError, match="a number with an end is due"):
                change(amount)
    for each in place_value:
        for wrong in ({"hit": 3}, {"hit": [set_to(1), 3]}, 3, {"hit": None}):
            with pytest.raises(ValueError, match="a change is due"):
                each.patch({"encoder.hit": wrong})


def test_layers_and_heads_have_the_same_names_on_both_sides():
    for path in SMALL:
        program = loaded(path)
        stages = progtf.lower(program).layout.stages()
        mine = [each for p in stages if isinstance(p.stage, LayerLayout)
                for each in (*p.stage.own, *p.stage.cross)]  # fmt: skip
        known = Names.of(program).known
        assert [head.called for head in mine] == [n for names in known.values() for n in names]


NO_NUMBERS = [
    (None, "None is given, and a number is due"),
    ("1", "'1' is given, and a number is due"),
    ([1], "a number is due"),
    (1j, "a number is due"),
    ({}, "a number is due"),
    (np.zeros(2), "a number is due"),
    (2**53 + 1, "9007199254740993: float64 has no such number; the nearest that it has is"),
    (-(2**53) - 1, "-9007199254740993: float64 has no such number"),
    (np.int64(2**53 + 1), "9007199254740993: float64 has no such number"),
    (torch.tensor(2**53 + 1), "9007199254740993: float64 has no such number"),
    (10**23, "float64 has no such number"),
    (3**40, "float64 has no such number"),
    (Fraction(2**54 + 1, 2), "18014398509481985/2: float64 has no such number"),
    (Decimal(9007199254740993), "9007199254740993: float64 has no such number"),
    (10**400, "larger than any of float64"),
    (-(10**400), "larger than any of float64"),
    (Decimal("nan"), "a number with an end is due"),
]
NUMBERS = [0, 1, -3, True, 0.1, 2**53, 2**60, np.float32(0.5), np.int64(7), torch.tensor(4), 1e22,
           Fraction(1, 3), Decimal("0.1")]  # fmt: skip


@pytest.mark.parametrize(("number", "said"), NO_NUMBERS)
def test_what_float64_does_not_have_is_no_number_of_a_change(number, said):
    for change in (set_to, added, scaled, lambda given: value_at(0, given)):
        with pytest.raises(ValueError, match=said):
            change(number)


@pytest.mark.parametrize("number", NUMBERS)
def test_other_numbers_are_those_of_a_change(number):
    for change in (set_to, added, scaled, lambda given: value_at(0, given)):
        assert change(number).amount == float(number)


@pytest.mark.parametrize("at", ["0", 1.5, True, [0, "1"], {"a": 0}, [None], [[0]], -1, [0, -2]])
def test_a_place_that_is_none_is_refused(at):
    for change in (added, scaled, lambda number, at: value_at(at, number)):
        with pytest.raises(ValueError, match=r"at: .* is given, and"):
            change(1, at=at)
    with pytest.raises(ValueError, match="None is given, and the place of a token is due"):
        value_at(None, 1)


@pytest.mark.parametrize("source", [None, 3, ["a"], b"a"])
def test_another_text_is_a_text(source):
    with pytest.raises(ValueError, match="is given, and another text is due"):
        swapped(source)


@pytest.mark.parametrize("number", [2**24 + 1, -(2**24) - 1, 2**53, 999999999.5])
def test_a_number_that_the_network_would_round_is_refused_by_name(place_value, number):
    narrow = progtf.compile(place_value[1].program, "float32")
    patch = {"encoder.told": {"asked": set_to(number)}}
    if float(np.float32(number)) == number:
        narrow.patch(patch)
    else:
        with pytest.raises(ValueError, match=r"encoder.told.asked: .*float32, which has no number"):
            narrow.patch(patch)
    progtf.compile(place_value[1].program, "float64").patch(patch)
    place_value[1].patch(patch)


@pytest.mark.parametrize(
    ("first", "then", "answer"),
    [
        ({"encoder.told": {"asked": added(1)}}, {"encoder.told": {"asked": added(1)}}, "1"),
        ({"encoder.told": {"asked": added(1)}}, {"encoder.told": {"asked": added(-1)}}, "3"),
        ({"encoder.told": {"asked": set_to(7)}}, {"encoder.told": {"asked": set_to(2)}}, "2"),
        ({"encoder.told": {"asked": set_to(1)}}, {"encoder.told": {"asked": scaled(3)}}, "1"),
        ({"encoder.hit": {"hit": value_at(29, 0)}}, {"encoder.hit": {"hit": value_at(28, 1)}}, "2"),
        ({"encoder.told": {"told": ablated()}}, {"encoder.hit": {"hit": set_to(0)}}, ""),
        ({}, {"encoder.told": {"asked": added(2)}}, "1"),
        ({"encoder.told": {"asked": added(2)}}, {}, "1"),
    ],
)
def test_what_is_patched_can_be_patched_again(place_value, first, then, answer):
    for each in place_value:
        once = each.patch(first)
        before = once.run(QUESTION)
        assert once.patch(then).run(QUESTION) == answer
        assert once.run(QUESTION) == before
        assert each.run(QUESTION) == "3"


def test_what_is_silenced_is_so_before_the_layer_is_changed_in_whatever_order(place_value):
    for some in ([set_to(1), ablated()], [ablated(), set_to(1)]):
        patch = {"encoder.hit": {"hit": some}}
        model, interpreter = (each.patch(patch) for each in place_value)
        assert model.run(QUESTION) == interpreter.run(QUESTION)


# ------------------------------------------------------------------ properties


def patches(known, semes):
    """Changes of a seme, a head or rules behind some layer."""
    numbers, places = st.integers(-2, 3), st.none() | st.just((0,))
    values = st.one_of(
        st.builds(added, numbers, places), st.builds(scaled, numbers, places),
        st.builds(set_to, numbers), st.builds(value_at, st.just(0), numbers),
    )  # fmt: skip

    def at(layer):
        written = not layer.endswith((".embedding", ".cell"))
        of_semes = values | st.just(ablated()) if written else values
        names = [f"head {name}" for name in known[layer]]
        heads = (
            st.dictionaries(st.sampled_from(names), st.just(ablated())) if names else st.just({})
        )
        changed = st.dictionaries(st.sampled_from(list(semes)), of_semes, min_size=1, max_size=2)
        return st.tuples(heads, changed).map(lambda both: {layer: both[0] | both[1]})

    return st.sampled_from(sorted(known)).flatmap(at)


@given(programs(), inputs, st.data())
def test_any_patch_of_any_program_means_the_same(text, given_text, data):
    program = built(text)
    patch = data.draw(patches(Names.of(program).known, program.space.names[: program.semes]))
    model, interpreter = progtf.compile(program, "float64"), progtf.interpret(program)
    assert_the_same(model, interpreter, [given_text], patch)


@given(st.one_of(loops(), written_in_loops()), st.lists(inputs, min_size=1, max_size=3), st.data())
def test_a_patch_in_a_loop_or_behind_it_means_the_same_round_by_round(text, texts, data):
    program = built(text, ())
    known = {name: heads for name, heads in Names.of(program).known.items() if "embed" not in name}
    patch = data.draw(patches(known, program.space.names[: program.semes]))
    model, interpreter = progtf.compile(program, "float64"), progtf.interpret(program)
    assert_the_same(model, interpreter, texts, patch)
    event(f"in {'decoders' if program.decoder else 'encoders'}")
    event(
        f"changed: {said(model.patch(patch).try_answers(texts)) != said(model.try_answers(texts))}"
    )


@pytest.mark.parametrize("path", EACH)
@settings(max_examples=8)
@given(data=st.data())
def test_patches_of_examples_mean_the_same(path, data):
    program = loaded(path)
    known = Names.of(program).known
    if not known:
        return
    patch = data.draw(patches(known, program.space.names[: program.semes]))
    texts = [example.input for example in program.examples][:3]
    assert_the_same(compiled(path, "float64"), progtf.interpret(program), texts, patch)


# ------------------------------------------------------------------------------ recurrent cells


@pytest.fixture(scope="module")
def sentiment():
    program = progtf.load("examples/article/sentiment.seme")
    return progtf.compile(program), progtf.interpret(program)


@pytest.mark.parametrize(
    "patch",
    [
        {"encoder.cell": {"was.not": value_at(0, 0)}},
        {"encoder.cell": {"praise": [added(1, at=1), scaled(2, at=2)]}},
        {"encoder.cell": {"was.not": swapped("not bad")}},
        {"encoder.embedding": {"good": set_to(1)}, "encoder.cell": {"was.very": set_to(0)}},
    ],
)
def test_a_patch_of_a_state_goes_on_into_the_next_ones(sentiment, patch):
    model, interpreter = sentiment
    texts = ["not bad", "very good", "not very awful", "good", "good bad not good"]
    assert_the_same(model, interpreter, texts, patch)
    plain = [each.scores for each in model.answers(texts[:3])]
    assert [each.scores for each in model.patch(patch).answers(texts[:3])] != plain


def test_states_are_seen_one_after_another_and_are_those_that_answer(sentiment):
    model, interpreter = sentiment
    answer, cache = model.run_with_cache("not good")
    assert answer == model.run("not good") == interpreter.run("not good")
    assert cache["encoder.embedding.not"].tolist() == [[1, 0, 0]]
    assert cache["encoder.cell.blame"][0, -1] > 0
    assert cache["cell.hook_state"].shape == cache["cell.hook_input"].shape


def test_no_rule_of_a_cell_can_be_silenced(sentiment):
    for either in sentiment:
        with pytest.raises(ValueError, match="no rule writes it; `set_to"):
            either.patch({"encoder.cell": {"praise": ablated()}})
        with pytest.raises(ValueError, match="no seme is called `prase`; did you mean `praise`"):
            either.patch({"encoder.cell": {"prase": set_to(0)}})
