"""What a parameter may be: one table per estimator, checked when it is fitted."""

from collections.abc import Callable
from math import isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Rule(NamedTuple):
    """A test of a value, and the words for what passes it."""

    allows: Callable[[Any], bool]
    wants: str

    def __or__(self, other: "Rule") -> "Rule":  # type: ignore[override]
        return Rule(lambda value: self.allows(value) or other.allows(value), f"{self.wants} or {other.wants}")


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and isfinite(value)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, of Python or numpy, and no boolean."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


positive = Rule(lambda value: _number(value) and value > 0, "a finite number above 0")
non_negative = Rule(lambda value: _number(value) and value >= 0, "a finite number of at least 0")
fraction = Rule(lambda value: _number(value) and 0 < value < 1, "a number between 0 and 1")
whole = Rule(lambda value: is_whole(value) and value >= 1, "a whole number of at least 1")
boolean = Rule(lambda value: isinstance(value, (bool, np.bool_)), "True or False")
nothing = Rule(lambda value: value is None, "None")
generator = Rule(
    lambda value: (
        value is None or isinstance(value, np.random.RandomState) or (is_whole(value) and value >= 0)
    ),
    "None, a whole number of at least 0 or a numpy RandomState",
)


def one_of(*choices: str) -> Rule:
    """The value is one of a few strings."""
    return Rule(lambda value: isinstance(value, str) and value in choices, " or ".join(map(repr, choices)))


def check_params(estimator: Any) -> None:
    """Raise a ValueError that names the first parameter out of its range."""
    for name, rule in estimator._rules.items():
        value = getattr(estimator, name)
        if not rule.allows(value):
            raise ValueError(f"{type(estimator).__name__}: {name} must be {rule.wants}; got {value!r}.")
