"""The names of the Mathematics Dataset: its splits and its 56 + 15 modules.

A module is called `AREA__NAME`; `composed` modules ask the same with numbers defined beforehand.
Saxton et al. 2019, "Analysing Mathematical Reasoning Abilities of Neural Models".
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from progtf.data.errors import DataError, nearest

TRAIN_SPLITS = ("train-easy", "train-medium", "train-hard")
TEST_SPLITS = ("interpolate", "extrapolate")
SPLITS = TEST_SPLITS + TRAIN_SPLITS
"""In the order in which they are generated: training questions avoid the test questions."""


def _names(**areas: str) -> tuple[str, ...]:
    return tuple(f"{area}__{name}" for area, names in areas.items() for name in names.split())


MODULES = _names(
    algebra="linear_1d linear_1d_composed linear_2d linear_2d_composed polynomial_roots"
    " polynomial_roots_composed sequence_next_term sequence_nth_term",
    arithmetic="add_or_sub add_or_sub_in_base add_sub_multiple div mixed mul mul_div_multiple"
    " nearest_integer_root simplify_surd",
    calculus="differentiate differentiate_composed",
    comparison="closest closest_composed kth_biggest kth_biggest_composed pair pair_composed"
    " sort sort_composed",
    measurement="conversion time",
    numbers="base_conversion div_remainder div_remainder_composed gcd gcd_composed is_factor"
    " is_factor_composed is_prime is_prime_composed lcm lcm_composed list_prime_factors"
    " list_prime_factors_composed place_value place_value_composed round_number"
    " round_number_composed",
    polynomials="add coefficient_named collect compose evaluate evaluate_composed expand"
    " simplify_power",
    probability="swr_p_level_set swr_p_sequence",
)
"""The 56 modules of training and interpolation."""

EXTRAPOLATION_MODULES = _names(
    algebra="polynomial_roots_big",
    arithmetic="add_or_sub_big add_sub_multiple_longer div_big mixed_longer mul_big"
    " mul_div_multiple_longer",
    comparison="closest_more kth_biggest_more sort_more",
    measurement="conversion",
    numbers="place_value_big round_number_big",
    probability="swr_p_level_set_more_samples swr_p_sequence_more_samples",
)
"""The 15 modules of extrapolation; `measurement__conversion` is in both lists."""


def modules_of(split: str) -> tuple[str, ...]:
    """Returns the modules that a split has."""
    return EXTRAPOLATION_MODULES if split == "extrapolate" else MODULES


def choose_splits(names: Iterable[str]) -> tuple[str, ...]:
    """Returns the splits named, `train` standing for the three training splits, `all` for five.

    Raises:
        DataError: A name is not a split's.
    """
    groups = {"all": SPLITS, "train": TRAIN_SPLITS} | {split: (split,) for split in SPLITS}
    chosen: set[str] = set()
    for name in _separate(names):
        if name not in groups:
            expected = nearest(name, groups) or f"one of {', '.join(groups)}"
            raise DataError(f"no split is called `{name}`", help=expected)
        chosen.update(groups[name])
    return tuple(split for split in SPLITS if split in chosen)


def choose_modules(patterns: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Returns the known modules that some pattern names, in their order; no pattern names all.

    A pattern is a module (`numbers__gcd`), an area (`numbers`) or has wildcards (`*_composed`);
    several may be joined by commas.

    Raises:
        DataError: A pattern names no known module.
    """
    separate = _separate(patterns)
    for pattern in separate:
        if not any(_names_module(pattern, module) for module in known):
            raise DataError(f"no module is called `{pattern}`", help=_suggestion(pattern, known))
    return tuple(
        module
        for module in known
        if not separate or any(_names_module(pattern, module) for pattern in separate)
    )


def _separate(names: Iterable[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _names_module(pattern: str, module: str) -> bool:
    return fnmatchcase(module, pattern) or module.startswith(f"{pattern}__")


def _suggestion(pattern: str, known: Sequence[str]) -> str:
    areas = {module.split("__")[0] for module in known}
    return nearest(pattern, [*known, *sorted(areas)]) or f"there are {', '.join(known)}"
