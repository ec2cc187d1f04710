"""Two values can be compared, whatever they hold."""

import collections.abc
import importlib
import inspect
import pkgutil
import typing
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import progtf
from progtf.equality import compared
from progtf.program.arrays import Array
from tests.programs import ROOT


def kinds() -> list[type]:
    """Every dataclass and named tuple of the package."""
    found = []
    for module in pkgutil.walk_packages(progtf.__path__, "progtf."):
        if not module.name.endswith("__main__"):
            names = vars(importlib.import_module(module.name)).values()
            found += [each for each in names if _is_value(each) and each.__module__ == module.name]
    return found


def _is_value(thing: object) -> bool:
    return inspect.isclass(thing) and (is_dataclass(thing) or hasattr(thing, "_fields"))


def holds_arrays(kind: object) -> bool:
    """Whether what is declared so may be an array, or may have one in it."""
    own = typing.get_origin(kind) or kind
    if own is collections.abc.Callable:
        return False
    if any(each.__name__ in ARRAYS for each in getattr(own, "__mro__", ())):
        return True
    return any(map(holds_arrays, typing.get_args(kind)))


ARRAYS = ("ndarray", "Tensor", "AbstractArray")


def declared(kind: type) -> list[object]:
    """What the fields of a value are; a name that only a type checker knows stands for itself.

    An array does not: answers hold some, in a module that reads programs without numpy.
    """
    names = {"Array": Array, **vars(importlib.import_module(kind.__module__))}
    found = []
    for name, written in getattr(kind, "__annotations__", {}).items():
        if is_dataclass(kind) and not kind.__dataclass_fields__[name].compare:
            continue
        try:
            found.append(eval(written, names) if isinstance(written, str) else written)
        except NameError:
            found.append(object)
    return found


KINDS = kinds()
HOLD = [kind for kind in KINDS if any(map(holds_arrays, declared(kind)))]


def test_values_that_hold_arrays_are_found():
    assert len(KINDS) > 300
    assert len(HOLD) > 50
    assert {"Answer", "Readout", "Step", "Batch", "TensorProducts"} <= {k.__name__ for k in HOLD}


@pytest.mark.parametrize("kind", HOLD, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_value_that_holds_arrays_says_when_it_is_the_same_as_another(kind):
    own = kind.__eq__
    by_fields = (
        is_dataclass(kind)
        and kind.__dataclass_params__.eq
        and getattr(own, "__module__", "") != COMPARED
    )
    assert not by_fields, "`@compared` makes it a value; `eq=False` a thing of its own"
    assert own is not tuple.__eq__, "`@compared` above it"


COMPARED = compared.__module__


@compared
@dataclass(frozen=True)
class Held:
    one: Any = None
    more: Any = ()
    unsaid: Any = field(default=None, compare=False)


@compared
class Row(NamedTuple):
    one: Any = None
    more: Any = ()


NAN = float("nan")
SAME = [
    lambda: np.arange(6.0).reshape(2, 3),
    lambda: np.array([NAN, 1.0]),
    lambda: np.array([]),
    lambda: np.array(["a", "b"]),
    lambda: np.zeros((2, 0)),
    lambda: torch.arange(6).reshape(2, 3),
    lambda: torch.tensor([NAN, 1.0]),
    lambda: torch.tensor([True, False]),
    lambda: torch.ones(2, dtype=torch.bfloat16),
    lambda: torch.ones(2, requires_grad=True),
    lambda: {"a": np.ones(2), "b": None},
    lambda: [np.ones(2), (torch.ones(1), "x")],
    lambda: (Held(np.ones(2)), Row(np.ones(2))),
    lambda: float("nan"),
    lambda: "text",
    lambda: None,
    lambda: frozenset({1, 2}),
]
OTHERS = [
    (np.ones(2), np.ones(3)),
    (np.ones(2), np.ones((1, 2))),
    (np.ones(2), np.ones(2, dtype=np.float32)),
    (np.ones(2), torch.ones(2, dtype=torch.float64)),
    (np.ones(2), [1.0, 1.0]),
    (np.ones(2), None),
    (np.ones(1), 1.0),
    (np.array([NAN]), np.array([0.0])),
    (np.array([]), np.array([], dtype=int)),
    (torch.ones(2), torch.tensor([1.0, 2.0])),
    (torch.ones(2), torch.ones(2, device="meta")),
    ({"a": np.ones(2)}, {"b": np.ones(2)}),
    ({"a": np.ones(2)}, {"a": np.zeros(2)}),
    ([np.ones(2)], [np.ones(2), np.ones(2)]),
    ([np.ones(2)], (np.ones(2),)),
    (Held(np.ones(2)), Row(np.ones(2))),
    (Held(np.ones(2)), Held(np.zeros(2))),
    (NAN, 0.0),
    ("text", b"text"),
    ("ab", ["a", "b"]),
]


@pytest.mark.parametrize("kind", [Held, Row])
@pytest.mark.parametrize("make", SAME)
def test_what_holds_the_same_is_the_same(kind, make):
    for one, other in ((kind(make()), kind(make())), (kind(1, make()), kind(1, make()))):
        assert one == other
        assert not one != other  # noqa: SIM202  which is another method
        assert hash(one) == hash(other)


@pytest.mark.parametrize("kind", [Held, Row])
@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_what_holds_something_else_is_another(kind, one, other):
    assert kind(one) != kind(other)
    assert kind(other) != kind(one)
    assert not kind(one) == kind(other)  # noqa: SIM201
    assert kind(1, one) != kind(1, other)
    assert kind(one) != (one, ())


def test_what_is_not_compared_does_not_count():
    assert Held(1, unsaid=np.ones(2)) == Held(1, unsaid=np.zeros(3))


NUMBERS = st.lists(st.sampled_from([0.0, 1.0, NAN, np.inf]), max_size=4).map(np.array)
THINGS = st.recursive(
    st.one_of(NUMBERS, NUMBERS.map(torch.from_numpy), st.none(), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
        st.builds(Held, inner, inner, inner),
        st.builds(Row, inner, inner),
    ),
)


@given(THINGS, THINGS)
def test_to_be_the_same_goes_both_ways_and_hashes_agree(one, other):
    first, second = Held(one), Held(other)
    assert first == Held(one)
    assert (first == second) == (second == first) != (first != second)
    if first == second:
        assert hash(first) == hash(second)


@pytest.mark.parametrize(
    "path", ["article/vectors.seme", "article/clocks.seme", "a_or_an.seme", "math/place_value.seme"]
)
def test_two_answers_can_be_compared(path):
    program = progtf.load(ROOT / "examples" / path)
    text, other = program.examples[0].input, program.examples[-1].input
    for asked in (progtf.compile(program), progtf.interpret(program)):
        (one,), (again,), (third,) = (asked.answers([each]) for each in (text, text, other))
        assert one == again
        assert len({one, again}) == 1
        assert (one == third) == (text == other)
        (readout,), (same,) = (list(asked.readouts(asked.read([text]))) for _ in range(2))
        assert readout == same != replace(same, tokens=("else",))
    model = progtf.compile(program)
    assert model.trace(text) == model.trace(text)
