"""Sums over all pairs in operations on whole arrays, for torch, CuPy or another library of the array API.

Piecewise polynomial losses are summed as in :mod:`aucmax.pairs.sorted_sums`. With each positive at its level,
its score minus the knot, and each negative at its score, a pair is active if the negative stands above the
positive. So after one sort of both classes together, the active pairs of a positive are with the negatives
behind it, those of a negative with the positives before it, and their sums are cumulative sums.

Other smooth losses are summed as in :mod:`aucmax.pairs.chebyshev`. The sums over rows are computed on the
device of their arrays, by a product for each cell; those between cells, a few numbers for each, on the host.
"""

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..validation.namespaces import Arrays
from .chebyshev import TERMS, ChebyshevSums


class ArrayClasses(NamedTuple):
    """Rows of each class and their weights, which sum to one in each class; see :class:`Classes`.

    ``ordered`` are the negatives and then the positives, ``weights`` their weights as positives and as
    negatives, zero in the other class. ``place`` is, for each row, where it stands in that order; rows of
    weight zero come last. With it, values are brought into the order of the rows by reading, since the array
    API has no assignment to given rows.
    """

    arrays: Arrays
    n_rows: int
    pos: Any
    neg: Any
    pos_weight: Any
    neg_weight: Any
    ordered: Any
    weights: tuple[Any, Any]
    place: Any

    @classmethod
    def split(cls, arrays: Arrays, signed: Any) -> "ArrayClasses":
        """Split signed weights, ``+weight`` for a positive row and ``-weight`` for a negative one."""
        xp = arrays.xp
        is_pos, is_neg = signed > 0.0, signed < 0.0
        pos, neg = xp.nonzero(is_pos)[0], xp.nonzero(is_neg)[0]
        n_neg, n_used = neg.shape[0], pos.shape[0] + neg.shape[0]
        among_pos, among_neg = (xp.cumulative_sum(xp.astype(each, xp.int64)) - 1 for each in (is_pos, is_neg))
        place = xp.where(is_neg, among_neg, xp.where(is_pos, among_pos + n_neg, n_used))
        pos_weight, neg_weight = signed[pos], -signed[neg]
        pos_weight, neg_weight = pos_weight / xp.sum(pos_weight), neg_weight / xp.sum(neg_weight)
        as_pos = xp.concat([xp.zeros_like(neg_weight), pos_weight])
        as_neg = xp.concat([neg_weight, xp.zeros_like(pos_weight)])
        ordered = xp.concat([neg, pos])
        weights = as_pos, as_neg
        return cls(arrays, signed.shape[0], pos, neg, pos_weight, neg_weight, ordered, weights, place)

    @property
    def xp(self) -> Any:
        """The namespace of the arrays."""
        return self.arrays.xp

    def by_row(self, pos_values: Any, neg_values: Any) -> Any:
        """One array in the order of the rows from the values of both classes; other rows get zero."""
        return self.place_values(self.xp.concat([neg_values, pos_values]))

    @property
    def has_others(self) -> bool:
        """Whether some rows have weight zero."""
        return self.ordered.shape[0] < self.n_rows

    def place_values(self, values: Any) -> Any:
        """Bring values of the negatives and then the positives into the order of the rows."""
        if self.has_others:
            values = self.xp.concat([values, self.xp.zeros_like(values[:1])])
        return values[self.place]

    def sample_rows(self, rows: Any, weight: Any, size: int) -> tuple[Any, Any]:
        """At most ``size`` rows at equal steps of their cumulative weight, and weights that sum to one."""
        xp = self.xp
        nonzero = xp.nonzero(weight > 0.0)[0]
        weight = weight[nonzero]
        if weight.shape[0] <= size:
            return rows[nonzero], weight / xp.sum(weight)
        cumulative = xp.cumulative_sum(weight)
        picks = xp.searchsorted(cumulative, cumulative[-1] * self.arrays.put((np.arange(size) + 0.5) / size))
        picks = xp.clip(picks, max=weight.shape[0] - 1)
        return rows[nonzero[picks]], xp.full(size, 1.0 / size, dtype=xp.float64, device=self.arrays.device)

    def sample(self, size: int) -> tuple[Any, "ArrayClasses"]:
        """At most ``size`` rows of each class, at equal steps, and the classes of these rows alone."""
        xp, rows, signed = self.xp, [], []
        for of_class, weight in ((self.pos, self.pos_weight), (self.neg, -self.neg_weight)):
            n = of_class.shape[0]
            if n > size:
                steps = self.arrays.put(np.linspace(0, n - 1, size).astype(np.int64))
                of_class, weight = of_class[steps], weight[steps]
            rows.append(of_class)
            signed.append(weight)
        return xp.concat(rows), ArrayClasses.split(self.arrays, xp.concat(signed))


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


class CellRows(NamedTuple):
    """Rows of one class, sorted by cell.

    ``cells`` are the cells that hold rows, as ``(number, first row, end)``; ``basis`` the Chebyshev
    polynomials at the position of each row. ``order`` sorts the rows, ``back`` undoes it.
    """

    cells: list[tuple[int, int, int]]
    basis: Any
    order: Any
    back: Any


class ArrayChebyshevSums(ChebyshevSums):
    """Mean of a smooth loss over all pairs, its gradient and its curvature in the scores."""

    _classes: Any  # ArrayClasses
    _pos: Any  # CellRows
    _neg: Any

    def _locate(self, score: Any) -> None:
        c: ArrayClasses = self._classes
        scaled = score / self._loss.width
        cell = c.xp.floor(scaled)
        cells, index = c.xp.unique_inverse(cell)
        self._cells = c.arrays.get(cells)
        position = 2.0 * (scaled - cell) - 1.0
        self._pos = self._sorted_by_cell(index[c.pos], position[c.pos])
        self._neg = self._sorted_by_cell(index[c.neg], position[c.neg])

    def _sorted_by_cell(self, cell: Any, position: Any) -> CellRows:
        xp, arrays, order = self._classes.xp, self._classes.arrays, self._classes.xp.argsort(cell)
        numbers = arrays.put(np.arange(len(self._cells) + 1), cell.dtype)
        cuts = arrays.get(xp.searchsorted(cell[order], numbers)).tolist()
        cells = [(k, cuts[k], cuts[k + 1]) for k in range(len(self._cells)) if cuts[k] < cuts[k + 1]]
        x = position[order]
        basis = [xp.ones_like(x), x]
        while len(basis) < TERMS:
            basis.append(2.0 * x * basis[-1] - basis[-2])
        return CellRows(cells, xp.stack(basis), order, xp.argsort(order))

    def _moments(self, rows: Any, weight: Any) -> np.ndarray:
        arrays, weight = self._classes.arrays, weight[rows.order]
        moments = np.zeros((len(self._cells), TERMS))
        sums = [rows.basis[:, start:stop] @ weight[start:stop] for _, start, stop in rows.cells]
        moments[[number for number, _, _ in rows.cells]] = arrays.get(arrays.xp.stack(sums))
        return moments

    def _evaluate(self, rows: Any, field: np.ndarray) -> Any:
        arrays = self._classes.arrays
        field = arrays.put(field)
        values = [field[number, :] @ rows.basis[:, start:stop] for number, start, stop in rows.cells]
        return arrays.xp.concat(values)[rows.back]
