"""Sums over partitions of rows on many machines: all that a fit needs of the engine that holds them.

A round sends a function and a few numbers to all partitions, and adds up what it returns for each: numbers,
arrays, lists, objects with ``+``, tuples or named tuples of these. Functions and results are pickled.
"""

import operator
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial, reduce
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Rounds(Protocol):
    """Sums over partitions of rows, added in an order that depends on the partitions alone."""

    def sum(self, function: Callable) -> Any:
        """The sum of ``function(rows)`` over the partitions."""

    def sum_twice(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        """With ``state = between(sum of first(rows))``: the state, and the sum of ``second(rows, state)``."""


def add(parts: Sequence) -> Any:
    """Add numbers, arrays or tuples of them in their order."""
    if isinstance(parts[0], tuple):
        sums = [add(each) for each in zip(*parts, strict=True)]
        return tuple(sums) if type(parts[0]) is tuple else type(parts[0])(*sums)
    return reduce(operator.add, parts)


class SharedRounds:
    """Rounds for functions that run in threads: one is made when all of them wait for one, and serves all."""

    def __init__(self, rounds: Rounds) -> None:
        self._rounds, self._changed = rounds, threading.Condition()
        self._waiting: list[tuple[tuple[Callable, Callable, Callable], Future]] = []
        self._n_running, self._stopped = 0, False

    def map(self, function: Callable[[Any], T], items: Sequence) -> list[T]:
        """``function`` of each item, all at the same time; rounds are made in the calling thread."""
        self._n_running, self._stopped = len(items), False
        with ThreadPoolExecutor(len(items)) as pool:
            try:
                results = [pool.submit(self._run, function, item) for item in items]
                while self._all_wait():
                    self._make_round()
            finally:  # on an error or Ctrl-C, waiting threads must end
                with self._changed:
                    self._stopped = True
                    for _, answer in self._waiting:
                        answer.cancel()
                    self._waiting = []
        return [result.result() for result in results]

    def _run(self, function: Callable[[Any], T], item: Any) -> T:
        try:
            return function(item)
        finally:
            with self._changed:
                self._n_running -= 1
                self._changed.notify_all()

    def _all_wait(self) -> bool:
        """Wait until all threads that still run wait for a round; False if all have ended."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) == self._n_running)
            return bool(self._waiting)

    def _make_round(self) -> None:
        first, between, second = zip(*(functions for functions, _ in self._waiting), strict=True)
        states, totals = self._rounds.sum_twice(
            partial(_call_first, functions=first),
            partial(_call_between, functions=between),
            partial(_call_second, functions=second),
        )
        for result in zip(states, totals, strict=True):
            self._waiting[0][1].set_result(result)
            del self._waiting[0]  # only now: whom Ctrl-C leaves waiting is still in the list

    def sum_twice(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        answer: Future = Future()
        with self._changed:
            if self._stopped:
                raise CancelledError("The rounds have ended.")
            self._waiting.append(((first, between, second), answer))
            self._changed.notify_all()
        return answer.result()

    def sum(self, function: Callable) -> Any:
        return self.sum_twice(function, _same, _nothing)[0]


def _call_first(rows: Any, functions: tuple[Callable, ...]) -> tuple:
    return tuple(function(rows) for function in functions)


def _call_between(totals: tuple, functions: tuple[Callable, ...]) -> tuple:
    return tuple(function(total) for function, total in zip(functions, totals, strict=True))


def _call_second(rows: Any, states: tuple, functions: tuple[Callable, ...]) -> tuple:
    return tuple(function(rows, state) for function, state in zip(functions, states, strict=True))


def _same(total: Any) -> Any:
    return total


def _nothing(rows: Any, state: Any) -> float:
    return 0.0
