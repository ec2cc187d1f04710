"""Numbers of a program: a float64 each, which knows the fraction that it was rounded from.

``0.1`` is a tenth. What stores and multiplies float64 sees the nearest one; what computes exactly
asks ``fraction_of``. Sums, differences, products and quotients of such numbers are fractions again,
rounded once.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any


class Rational(float):
    """A float64 that stands for a fraction that it is not equal to."""

    __slots__ = ("fraction",)
    fraction: Fraction

    def __reduce__(self) -> tuple[Any, ...]:
        return rational, (self.fraction,)

    def __neg__(self) -> float:
        return rational(-self.fraction)

    def __pos__(self) -> float:
        return self

    def __abs__(self) -> float:
        return rational(abs(self.fraction))


def rational(value: Fraction) -> float:
    """The float64 that is nearest to a fraction; a plain one if it is that fraction.

    Raises:
        OverflowError: if no float64 is so large.
    """
    below = value.denominator
    if not below & (below - 1):
        near = float(value)
        if Fraction(near) == value:
            return near
    found = Rational(value)
    found.fraction = value
    return found


def fraction_of(value: float) -> Fraction:
    """The fraction that a number of a program stands for; of any other float64 what it is."""
    return value.fraction if type(value) is Rational else Fraction(value)


def ratio_of(value: float) -> tuple[int, int]:
    """Numerator and denominator of ``fraction_of``, sooner."""
    return (value.fraction if type(value) is Rational else value).as_integer_ratio()


def as_float(value: float) -> float:
    """A number as a float64, which knows its fraction if it did before."""
    return value if isinstance(value, float) else float(value)


def _exactly(operation: Callable[[Fraction, Fraction], Fraction], name: str) -> Callable[..., Any]:
    plain: Callable[[float, Any], Any] = getattr(float, name)

    def exactly(self: Rational, other: Any) -> Any:
        if isinstance(other, float | int):
            try:
                return rational(operation(self.fraction, fraction_of(other)))
            except (OverflowError, ValueError, ZeroDivisionError):  # of infinities and NaN
                pass
        return plain(self, other)

    return exactly


for _name, _operation in (
    ("add", lambda a, b: a + b),
    ("sub", lambda a, b: a - b),
    ("mul", lambda a, b: a * b),
    ("truediv", lambda a, b: a / b),
):
    setattr(Rational, f"__{_name}__", _exactly(_operation, f"__{_name}__"))
    setattr(
        Rational,
        f"__r{_name}__",
        _exactly(lambda a, b, of=_operation: of(b, a), f"__r{_name}__"),
    )
