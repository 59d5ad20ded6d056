"""Rules for the values of parameters. Each estimator has a rule for each parameter; ``fit`` checks them."""

from collections.abc import Callable
from math import isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from .errors import ParameterError


class Rule(NamedTuple):
    """A test of a value, and the allowed values in words."""

    allows: Callable[[Any], bool]
    allowed: str

    def __or__(self, other: "Rule") -> "Rule":  # type: ignore[override]
        return Rule(
            lambda value: self.allows(value) or other.allows(value), f"{self.allowed} or {other.allowed}"
        )

    def check(self, name: str, value: Any, owner: str | None = None) -> None:
        """Raise a ParameterError that names the parameter unless its value is allowed."""
        if not self.allows(value):
            raise ParameterError(owner, name, self.allowed, value)


def is_number(value: Any) -> bool:
    """Whether this is a finite number, of Python or NumPy, but not a boolean."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and isfinite(value)


def is_whole(value: Any) -> bool:
    """Whether this is an integer, of Python or NumPy, but not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def parse_number(text: str | bytes) -> float | None:
    """The number in a text, NaN and infinity included, or None; ``1_0``, which Python allows, is refused."""
    try:
        return None if (b"_" in text if isinstance(text, bytes) else "_" in text) else float(text)
    except ValueError:
        return None


number = Rule(is_number, "a finite number")
positive = Rule(lambda value: is_number(value) and value > 0, "a finite number above 0")
at_least_one = Rule(lambda value: is_number(value) and value >= 1, "a finite number of at least 1")
up_to_a_million = Rule(lambda value: is_number(value) and 0 < value <= 1e6, "a number above 0 of at most 1e6")
non_negative = Rule(lambda value: is_number(value) and value >= 0, "a finite number of at least 0")
fraction = Rule(lambda value: is_number(value) and 0 < value < 1, "a number between 0 and 1")
rate = Rule(lambda value: is_number(value) and 0 < value <= 1, "a number above 0 and at most 1")
non_negative_integer = Rule(lambda value: is_whole(value) and value >= 0, "a whole number of at least 0")
positive_integer = Rule(lambda value: is_whole(value) and value >= 1, "a whole number of at least 1")
boolean = Rule(lambda value: isinstance(value, (bool, np.bool_)), "True or False")
none = Rule(lambda value: value is None, "None")
random_state = Rule(
    lambda value: (
        value is None or isinstance(value, np.random.RandomState) or (is_whole(value) and value >= 0)
    ),
    "None, a whole number of at least 0 or a numpy RandomState",
)


def one_of(*choices: str) -> Rule:
    """The value is one of a few strings."""
    return Rule(lambda value: isinstance(value, str) and value in choices, " or ".join(map(repr, choices)))


def check_params(estimator: Any) -> None:
    """Raise a ParameterError that names the first parameter out of its range."""
    for name, rule in estimator._rules.items():
        rule.check(name, getattr(estimator, name), owner=type(estimator).__name__)
