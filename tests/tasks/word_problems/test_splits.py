"""Test problems that stand in training, numbers aside."""

import pytest

from progtf.tasks.word_problems import leaked, read_word_problems
from tests.tasks.word_problems.problems import COINS, SHELF, published, saved


def test_a_problem_with_other_numbers_is_known_already(tmp_path):
    (coins, shelf) = read_word_problems(saved(tmp_path, COINS.replace("21", "30"), SHELF))
    (known,) = read_word_problems(saved(tmp_path, COINS))
    assert leaked([coins, shelf], [known]) == [True, False]
    assert leaked([coins, shelf], []) == [False, False]


@pytest.mark.parametrize(
    ("name", "counts"),
    [("alg514_fold{}", [1, 1, 0, 0, 0]), ("mawps_fold{}", [127, 143, 133, 130, 136])],
)
def test_what_of_the_published_folds_stands_in_training(name, counts):
    for fold, count in enumerate(counts):
        stem = name.format(fold)
        files = published(f"{stem}_t*")
        assert sum(leaked(files[f"{stem}_test"], files[f"{stem}_train"])) == count
