"""One network for several modules: what each program answers alone, all.seme answers too."""

import pytest

from tests.acceptance.questions import FOLDER, all_right, read
from tests.programs import ALL, compiled

MODULES = (
    "algebra__linear_1d",
    "algebra__sequence_next_term",
    "arithmetic__add_or_sub",
    "arithmetic__add_or_sub_big",
    "arithmetic__add_or_sub_in_base",
    "arithmetic__add_sub_multiple",
    "arithmetic__add_sub_multiple_longer",
    "arithmetic__mul",
    "arithmetic__mul_big",
    "arithmetic__nearest_integer_root",
    "measurement__time",
    "numbers__place_value",
    "numbers__place_value_big",
    "numbers__round_number",
    "numbers__round_number_big",
    "probability__swr_p_level_set",
    "probability__swr_p_sequence",
    "interpolate/algebra__linear_2d",
    "interpolate/algebra__sequence_nth_term",
    "interpolate/arithmetic__div",
    "interpolate/arithmetic__mixed",
    "interpolate/arithmetic__mul_div_multiple",
    "interpolate/calculus__differentiate",
    "interpolate/comparison__closest",
    "interpolate/comparison__kth_biggest",
    "interpolate/comparison__pair",
    "interpolate/comparison__sort",
    "interpolate/measurement__conversion",
    "interpolate/numbers__base_conversion",
    "interpolate/numbers__div_remainder",
    "interpolate/numbers__gcd",
    "interpolate/numbers__is_factor",
    "interpolate/numbers__lcm",
    "interpolate/numbers__list_prime_factors",
    "interpolate/polynomials__coefficient_named",
    "interpolate/polynomials__collect",
    "interpolate/polynomials__evaluate",
    "interpolate/polynomials__expand",
    "extrapolate/arithmetic__div_big",
    "extrapolate/arithmetic__mixed_longer",
    "extrapolate/arithmetic__mul_div_multiple_longer",
    "extrapolate/comparison__closest_more",
    "extrapolate/comparison__kth_biggest_more",
    "extrapolate/comparison__sort_more",
    "extrapolate/measurement__conversion",
)


pytestmark = [pytest.mark.long, pytest.mark.xdist_group("all.seme")]


def test_it_is_exact():
    assert compiled(ALL).outcome.exact


def test_questions_of_all_modules_in_one_batch():
    asked: list[tuple[str, str]] = []
    for module in MODULES:
        questions = list(zip(*read(FOLDER / f"{module}.txt"), strict=True))
        asked += questions[:: len(questions) // 3][:3]
    assert len(asked) == 3 * len(MODULES)
    all_right(compiled(ALL), asked)
