"""Piecewise polynomial losses summed over all pairs, in operations on whole arrays.

The same sums as :mod:`aucmax.pairs.sorted_sums`, for libraries of the array API. With each positive at its
level, its score minus the knot, and each negative at its score, a pair is active if the negative stands above
the positive. So after one sort of both classes together, the active pairs of a positive are with the
negatives behind it, those of a negative with the positives before it, and their sums are cumulative sums.
"""

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

from .array_classes import ArrayClasses


class ArraySortedSums:
    """Losses of the form ``sum_k c_k max(0, knot_k - margin)^degree``, degree 1 or 2.

    ``knots`` are the pairs ``(knot_k, c_k)``. A pair is active if its margin is below the knot.
    """

    def __init__(
        self, classes: ArrayClasses, score: Any, knots: Iterable[tuple[float, float]], degree: int
    ) -> None:
        self._degree, self._second_derivative = degree, 2.0 if degree == 2 else 0.0
        self._pairs = [(c, ActivePairs(classes, score, knot)) for knot, c in knots]
        self.value = float(self._sum(1.0, ActivePairs.squares if degree == 2 else ActivePairs.gaps))

    def _sum(self, factor: float, of_pairs: Callable[["ActivePairs"], Any]) -> Any:
        return functools.reduce(operator.add, (factor * c * of_pairs(pairs) for c, pairs in self._pairs))

    def gradient(self) -> Any:
        if self._degree == 2:
            return self._sum(2.0, lambda pairs: pairs.by_row(pairs.differences))
        return self._sum(1.0, lambda pairs: pairs.by_row(pairs.signs * pairs.weighted_partners))

    def diagonal(self) -> Any:
        return self._sum(self._second_derivative, lambda pairs: pairs.by_row(pairs.weighted_partners))

    def curvature(self, t: Any) -> Any:
        return self._sum(self._second_derivative, lambda pairs: pairs.by_row(pairs.weighted_differences(t)))


class ActivePairs:
    """The pairs whose margin is below one knot, from one sort of both classes.

    Arrays over the rows are in the order of the sort: of ``place``, the level of a positive or the score of
    a negative. Negatives come before positives in the same place, since they form no active pair with them.

    Attributes
    ----------
    weighted_partners : array
        Weight of each row times the total weight of the rows with which it forms active pairs.
    differences : array
        Weight of each row times the weighted sum of ``place - place of the partner`` over its active pairs.
    """

    def __init__(self, classes: ArrayClasses, score: Any, knot: float) -> None:
        self._xp = xp = classes.xp
        place = xp.concat([score[classes.neg], score[classes.pos] - knot])
        order = xp.argsort(place)
        self._rows, self._classes, self._back = classes.ordered[order], classes, xp.argsort(order)
        if not classes.has_others:
            self._back = self._back[classes.place]
        self._pos_weight, self._neg_weight = (weight[order] for weight in classes.weights)
        self._weight = self._pos_weight + self._neg_weight
        self._is_pos = self._pos_weight > 0.0
        self._partners = self._sum_over_partners(self._pos_weight, self._neg_weight)
        self.weighted_partners = self._weight * self._partners
        place = place[order]
        self._place = place - xp.mean(place)  # a shift changes no difference, and small numbers round less
        self.differences = self._weighted_differences(self._place)

    def _sum_over_partners(self, of_pos: Any, of_neg: Any) -> Any:
        """For each row the sum over its partners, of numbers that are zero in the other class."""
        before, up_to = self._xp.cumulative_sum(of_pos), self._xp.cumulative_sum(of_neg)
        return self._xp.where(self._is_pos, up_to[-1] - up_to, before)

    def _weighted_differences(self, t: Any) -> Any:
        of_partners = self._sum_over_partners(self._pos_weight * t, self._neg_weight * t)
        return self._weight * (self._partners * t - of_partners)

    def weighted_differences(self, t: Any) -> Any:
        """Weight of each row times the weighted sum of ``t - t of the partner`` over its active pairs."""
        return self._weighted_differences(t[self._rows])

    @property
    def signs(self) -> Any:
        """-1 for positives and +1 for negatives."""
        return 1.0 - 2.0 * self._xp.astype(self._is_pos, self._xp.float64)

    def gaps(self) -> Any:
        """Weighted sum over the active pairs of ``knot - margin``."""
        return self._xp.sum(self.signs * self.weighted_partners * self._place)

    def squares(self) -> Any:
        """Weighted sum over the active pairs of ``(knot - margin)^2``."""
        return self._xp.sum(self.differences * self._place)

    def by_row(self, values: Any) -> Any:
        """Bring values into the order of the rows; those of weight zero get zero."""
        values = values[self._back]
        return self._classes.place_values(values) if self._classes.has_others else values
