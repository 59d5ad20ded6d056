"""What the mathematics needs of an engine that holds partitions of rows on many machines.

A round sends a function and a few numbers to all partitions, and adds up what it returns for each: numbers,
arrays, objects with ``+``, tuples or named tuples of these. Functions and results are pickled.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Rounds(Protocol):
    """Partitions of rows, and sums over them, added in an order that depends on the partitions alone."""

    def collect(self, function: Callable) -> list:
        """``function(rows)`` of each partition."""

    def sum(self, function: Callable) -> Any:
        """The sum of ``function(rows)`` over the partitions."""

    def sum_twice(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        """With ``state = between(sum of first(rows))``: the state, and the sum of ``second(rows, state)``."""


def add(parts: Sequence) -> Any:
    """Add numbers, arrays or tuples of them in their order."""
    if isinstance(parts[0], tuple):
        sums = [add(each) for each in zip(*parts, strict=True)]
        return tuple(sums) if type(parts[0]) is tuple else type(parts[0])(*sums)
    return functools.reduce(operator.add, parts)
