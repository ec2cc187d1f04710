"""`mathematics_dataset` 1.0.1 as its authors wrote it, made to run on today's Python.

The package dates from 2019. Four things stop it or make it unrepeatable, one makes it slow; each is
mended from outside, on the imported modules, so that none of its code is copied here:

    sympy moved `base_solution_linear` into a submodule
    numpy dropped `np.object` and `ndarray.itemset`
    `random.randint` no longer takes 5.0 for 5 (Python 3.12)
    questions depend on addresses and string hashes, by way of `set`
    all sequences of a probability are listed and added up, up to seconds a question
"""

import importlib
import random
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import perm, prod
from types import ModuleType
from typing import Any, Self

import numpy as np


@cache
def mathematics_dataset() -> ModuleType:
    """Returns the repaired `mathematics_dataset.modules.modules`; the first call takes a second."""
    _restore_diophantine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source has escapes that newer compilers question
        modules = importlib.import_module("mathematics_dataset.modules.modules")
    _replace("sample.polynomials", "np", _Numpy(np))
    _replace("modules.numbers", "random", _Random(random))
    _order_sets()
    _count_sequences()
    return modules


def _replace(module: str, name: str, value: object) -> None:
    setattr(importlib.import_module(f"mathematics_dataset.{module}"), name, value)


def _restore_diophantine() -> None:
    """Puts the function back where the generator imports it from."""
    inner = importlib.import_module("sympy.solvers.diophantine.diophantine")
    # `sympy.solvers.diophantine`, read as an attribute, is the function of that name.
    outer: Any = sys.modules["sympy.solvers.diophantine"]
    outer.base_solution_linear = inner.base_solution_linear


def _order_sets() -> None:
    """Takes addresses and string hashes out of the order in which sets are walked."""
    composition: Any = importlib.import_module("mathematics_dataset.util.composition")
    composition._ALLOWED_SYMBOLS = _Letters(sorted(composition._ALLOWED_SYMBOLS))  # noqa: SLF001
    composition.Entity.__hash__ = _hash_of_text


def _hash_of_text(entity: Any) -> int:
    text = entity._child_description + "|" + entity._description  # noqa: SLF001
    return zlib.crc32(text.encode())


def _count_sequences() -> None:
    """Has sequences of draws counted where the package lists them, millions at times."""
    from sympy import Rational  # noqa: PLC0415  sympy is slow, and only questions need it

    probability: Any = importlib.import_module("mathematics_dataset.util.probability")
    listed = probability.FiniteProductRandomVariable.inverse
    summed = probability.SampleWithoutReplacementSpace.probability

    def inverse(variable: Any, event: Any) -> Any:
        """The draws that give an event, as products; nothing is listed yet."""
        if not isinstance(event, probability.CountLevelSetEvent):
            return listed(variable, event)
        each = [[probability.DiscreteEvent({x}) for x in draws] for draws in event.all_sequences()]
        products = [listed(variable, probability.FiniteProductEvent(draws)) for draws in each]
        return probability.SequenceEvent(_Products(products))

    def chance(space: Any, event: Any) -> Any:
        """The probability of an event: counted if all draws are alike, else as the package does."""
        sequences = getattr(event, "_sequences", None)
        products = sequences.products if isinstance(sequences, _Products) else [event]
        weights = space._weights  # noqa: SLF001
        counts = [_distinct_draws(weights, product) for product in products]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return summed(space, event)
        return Rational(sum(known), perm(len(weights), space.n_samples))

    probability.FiniteProductRandomVariable.inverse = inverse
    probability.SampleWithoutReplacementSpace.probability = chance


class _Products:
    """Sequences of disjoint products, which are counted without being listed."""

    def __init__(self, products: Sequence[Any]) -> None:
        self.products = products

    def __len__(self) -> int:
        return sum(prod(len(e.values) for e in product.events) for product in self.products)

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(product.all_sequences() for product in self.products)


def _distinct_draws(weights: Mapping[Any, Any], product: Any) -> int | None:
    """How many sequences of a product have no element twice, if all are drawn alike.

    None if they are not, or if sets of the product overlap.
    """
    if len(set(weights.values())) > 1 or not hasattr(product, "events"):
        return None
    draws = Counter(frozenset[Any](event.values) for event in product.events)
    elements = frozenset[Any]().union(*draws)
    if sum(map(len, draws)) > len(elements) or not elements <= weights.keys():
        return None
    return prod(perm(len(some), times) for some, times in draws.items())


class _Letters(tuple[str, ...]):
    """Letters that keep their order when some are taken away."""

    __slots__ = ()

    def difference(self, taken: Iterable[str]) -> Self:
        return type(self)(letter for letter in self if letter not in taken)


class _Settable(np.ndarray):
    """An array with the `itemset` that numpy 2 dropped."""

    def itemset(self, index: Any, value: Any) -> None:
        self[index] = value


class _Stand:
    """Stands in for a module; whatever it does not define comes from the module itself."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _Numpy(_Stand):
    object = object

    def zeros(self, shape: Any, dtype: Any) -> np.ndarray:
        return np.zeros(shape, dtype).view(_Settable)

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:
        return np.empty(shape, dtype).view(_Settable)


class _Random(_Stand):
    def randint(self, low: float, high: float) -> int:
        return random.randint(int(low), int(high))  # noqa: S311
