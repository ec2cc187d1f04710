import pytest

from progtf.data import (
    EXTRAPOLATION_MODULES,
    MODULES,
    SPLITS,
    DataError,
    choose_modules,
    choose_splits,
)


def test_there_are_56_modules_and_15_more():
    assert len(set(MODULES)) == 56
    assert len(set(EXTRAPOLATION_MODULES)) == 15
    assert set(MODULES) & set(EXTRAPOLATION_MODULES) == {"measurement__conversion"}


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        ([], MODULES),
        (["measurement"], ("measurement__conversion", "measurement__time")),
        (["numbers__gcd,numbers__lcm"], ("numbers__gcd", "numbers__lcm")),
        (["numbers__lcm", " numbers__gcd "], ("numbers__gcd", "numbers__lcm")),
        (["calculus__*"], ("calculus__differentiate", "calculus__differentiate_composed")),
    ],
)
def test_patterns_choose_modules(patterns, chosen):
    assert choose_modules(patterns, MODULES) == chosen


@pytest.mark.parametrize(
    "name", ["number", "numbers__", "numbers__gcd_", "Numbers", "[]", "é", "__"]
)
def test_what_names_nothing_is_an_error(name):
    with pytest.raises(DataError, match="no module is called") as caught:
        choose_modules([name], MODULES)
    assert f"`{name}`" in str(caught.value)


def test_an_unknown_module_is_met_with_the_nearest_name():
    with pytest.raises(DataError, match="no module is called `numbers__gdc`") as caught:
        choose_modules(["numbers__gdc"], MODULES)
    assert caught.value.help == "did you mean `numbers__gcd`?"


def test_splits_have_short_names():
    assert choose_splits(["all"]) == SPLITS
    assert choose_splits(["train"]) == ("train-easy", "train-medium", "train-hard")
    assert choose_splits(["train-hard,interpolate"]) == ("interpolate", "train-hard")
    with pytest.raises(DataError, match="no split is called `interpolation`") as caught:
        choose_splits(["interpolation"])
    assert caught.value.help == "did you mean `interpolate`?"
