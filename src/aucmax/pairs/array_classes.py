"""``ArrayClasses``: the rows of each class as arrays of torch, CuPy or another library of the array API."""

from typing import Any, NamedTuple

import numpy as np

from ..validation.namespaces import Arrays


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
