"""Sums over all pairs of any smooth margin loss, to machine precision and without a sort.

The score axis is cut into cells. Each class is summarised in each cell by its Chebyshev moments
``sum_j weight_j T_l(y_j)``, with ``y_j`` in [-1, 1] the position in the cell. Between two cells the loss is a
polynomial in both positions, ``loss(s_i - s_j) = sum_kl A_kl T_k(x_i) T_l(y_j)``, whose table ``A`` depends
only on the distance between the cells. Where the loss is affine (beyond its ``tail``), the weight and the
mean score of each cell suffice.
"""

import copy
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from ..kernels.jit import kernel
from .sums import Classes

if TYPE_CHECKING:
    from .losses import Loss

TERMS = 16  # Chebyshev polynomials in each cell
MAX_CELLS = 2000  # largest range of the scores, in cells, for a loss without straight tails
BLOCK = 2**20  # numbers that may be copied at a time
ACCURACY = 1e-10  # largest relative error of the polynomials that is accepted


Line = tuple[float, float]  # constant and slope
ZERO: Line = 0.0, 0.0


class CellPositions(NamedTuple):
    """Rows of one class on the score axis: the cell of each, and its position in it, from -1 to 1."""

    cell: np.ndarray
    position: np.ndarray


class ChebyshevSums:
    """Mean of a smooth loss over all pairs, its gradient and its curvature in the scores."""

    def __init__(self, classes: Classes, score: np.ndarray, loss: "Loss") -> None:
        self._classes, self._loss = classes, loss
        self.neg_rows, self.neg_weight = classes.neg, classes.neg_weight
        self._locate(score)
        self._pos_moments = self._moments(self._pos, classes.pos_weight)
        self._neg_moments = self._moments(self._neg, classes.neg_weight)
        field = self._field("value", self._neg_moments, 1)
        self.value = float(np.sum(self._pos_moments * field))

    def _locate(self, score: np.ndarray) -> None:
        """Find the cells that hold scores, and the place of each row."""
        scaled = score / self._loss.width
        cell = np.floor(scaled)
        position = 2.0 * (scaled - cell) - 1.0
        self._cells, index = distinct(cell)
        pos, neg = self._classes.pos, self._classes.neg
        self._pos = CellPositions(index[pos], position[pos])
        self._neg = CellPositions(index[neg], position[neg])

    def _evaluate(self, rows: CellPositions, field: np.ndarray) -> np.ndarray:
        """The polynomial of each row's cell at its position."""
        return evaluate(*rows, field, np.empty(len(rows.cell)))

    def _moments(self, rows: CellPositions, weight: np.ndarray) -> np.ndarray:
        return add_moments(rows.cell, rows.position, weight, np.zeros((len(self._cells), TERMS)))

    def _field(self, function: str, moments: np.ndarray, sign: int) -> np.ndarray:
        """Sum of the loss, or of a derivative of it, over one class, as a polynomial in each cell.

        ``moments`` are those of the class; ``sign`` is +1 for the negative class, -1 for the positive class.
        """
        span = self._cells[-1] - self._cells[0]
        if not np.isfinite(self._loss.tail) and span > MAX_CELLS:
            raise ValueError(
                f"The scores spread over {span * self._loss.width:.3g}, too far for a loss of width "
                f"{self._loss.width:g}: scale the features, raise l2, or give the loss a finite tail."
            )
        reach = int(min(span, np.ceil(self._loss.tail / self._loss.width) + 1)) if span else 0
        tables, tails = _tables(self._loss, function, reach)
        # In the order of the neighbours from left to right, and by the moment of the neighbour first.
        tables = tables[::-1].transpose(0, 2, 1) if sign > 0 else tables
        field = near_field(self._cells, moments, tables, reach)
        if reach < span and tails != (ZERO, ZERO):
            constant, linear = far_field(self._cells, moments, tails, reach, sign, self._loss.width)
            field[:, 0] += constant
            field[:, 1] += linear
        return field

    def gradient(self) -> np.ndarray:
        c = self._classes
        of_pos = self._evaluate(self._pos, self._field("derivative", self._neg_moments, 1))
        return c.by_row(c.pos_weight * of_pos, -c.neg_weight * self._negative_derivative)

    def _over_partners(self, function: str) -> tuple[np.ndarray, np.ndarray]:
        """For each row the sum of a function of the loss over its pairs, without the row's own weight."""
        of_pos = self._evaluate(self._pos, self._field(function, self._neg_moments, 1))
        return of_pos, self._evaluate(self._neg, self._field(function, self._pos_moments, -1))

    @cached_property
    def _second(self) -> tuple[np.ndarray, np.ndarray]:
        return self._over_partners("second")

    def diagonal(self) -> np.ndarray:
        c = self._classes
        of_pos, of_neg = self._second if self._loss.convex else self._over_partners("curvature_bound")
        return c.by_row(c.pos_weight * of_pos, c.neg_weight * of_neg)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        c = self._classes
        pos, neg = t[c.pos], t[c.neg]
        of_pos, of_neg = self._second
        from_neg = self._field("second", self._moments(self._neg, c.neg_weight * neg), 1)
        from_pos = self._field("second", self._moments(self._pos, c.pos_weight * pos), -1)
        return c.by_row(
            c.pos_weight * (of_pos * pos - self._evaluate(self._pos, from_neg)),
            c.neg_weight * (of_neg * neg - self._evaluate(self._neg, from_pos)),
        )

    @cached_property
    def _negative_derivative(self) -> np.ndarray:
        """For each negative the mean derivative over its pairs."""
        return self._evaluate(self._neg, self._field("derivative", self._pos_moments, -1))

    def negative_losses(self) -> np.ndarray:
        return self._evaluate(self._neg, self._field("value", self._pos_moments, -1))

    def negative_slopes(self, t: np.ndarray) -> np.ndarray:
        c = self._classes
        from_pos = self._field("derivative", self._moments(self._pos, c.pos_weight * t[c.pos]), -1)
        return self._evaluate(self._neg, from_pos) - t[c.neg] * self._negative_derivative

    def combine_negative_slopes(self, u: np.ndarray) -> np.ndarray:
        c = self._classes
        of_pos = self._evaluate(self._pos, self._field("derivative", self._moments(self._neg, u), 1))
        return c.by_row(c.pos_weight * of_pos, -u * self._negative_derivative)

    def reweighted(self, neg_weight: np.ndarray) -> "ChebyshevSums":
        other = copy.copy(self)
        other.__dict__.pop("_second", None)  # cached for these weights
        other._classes = self._classes._replace(neg_weight=neg_weight)
        other._neg_moments = self._moments(self._neg, neg_weight)
        return other


def distinct(cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cells that occur, in ascending order, and the index of each row's cell among them."""
    low, high = cell.min(), cell.max()
    if not high - low < len(cell):
        return np.unique(cell, return_inverse=True)
    offset = (cell - low).astype(np.int64)  # counting is faster than sorting
    occurs = np.bincount(offset) > 0
    return low + np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[offset]


@lru_cache(maxsize=64)
def _tables(loss: "Loss", name: str, reach: int) -> tuple[np.ndarray, tuple[Line, Line]]:
    """Chebyshev coefficients of a function of the loss for cells up to ``reach`` cells apart, and its tails.

    ``name`` is ``"value"``, ``"derivative"`` or ``"second"``. The tails are the straight lines that the
    function is below and above the margins of the coefficients.
    """
    function: Callable[[np.ndarray], np.ndarray] = getattr(loss, name)
    nodes = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)
    half = 0.5 * loss.width
    distance = loss.width * np.arange(-reach, reach + 1)
    values = function(distance[:, None, None] + half * (nodes[:, None] - nodes))
    basis = chebvander(nodes, TERMS - 1).T * (2.0 / TERMS)
    basis[0] *= 0.5
    tables = basis @ values @ basis.T
    _check_smooth(function, tables, distance, loss)
    _, (low_constant, low_slope, _), _, (high_constant, high_slope, _) = loss.ends()
    if name == "value":
        return tables, ((low_constant, low_slope), (high_constant, high_slope))
    return tables, ((low_slope, 0.0), (high_slope, 0.0)) if name == "derivative" else (ZERO, ZERO)


def _check_smooth(function, tables: np.ndarray, distance: np.ndarray, loss: "Loss") -> None:
    """Raise a ValueError unless the polynomials agree with the loss at other points of the cells."""
    basis = chebvander(np.cos(np.pi * np.arange(TERMS + 1) / TERMS), TERMS - 1)
    positions = basis[:, 1]
    exact = function(distance[:, None, None] + 0.5 * loss.width * (positions[:, None] - positions))
    error = np.abs(basis @ tables @ basis.T - exact).max(axis=(1, 2))
    scale = np.abs(exact).max(axis=(1, 2)) + ACCURACY * np.abs(exact).max()
    worst = int(np.argmax(error / np.maximum(scale, np.finfo(float).tiny)))
    if not error[worst] <= ACCURACY * max(scale[worst], 1.0):
        raise ValueError(
            f"The loss {loss!r} is not smooth enough near margin {distance[worst]:.3g} for cells of width "
            f"{loss.width:g}: a Loss must have no kink, and its `width` must be small beside the distance "
            "over which its curvature changes."
        )


@kernel
def add_moments(cell, position, weight, out):
    """Add ``weight * T_k(position)`` for every row to the moments of its cell."""
    for i in range(len(cell)):
        x, before, now = 2.0 * position[i], weight[i], weight[i] * position[i]
        row = out[cell[i]]
        row[0] += before
        row[1] += now
        for k in range(2, TERMS):
            before, now = now, x * now - before
            row[k] += now
    return out


@kernel
def evaluate(cell, position, field, out):
    """The polynomial of each row's cell at its position, by Clenshaw's recurrence."""
    for i in range(len(cell)):
        x, row = 2.0 * position[i], field[cell[i]]
        after, now = 0.0, 0.0
        for k in range(TERMS - 1, 0, -1):
            after, now = now, row[k] + x * now - after
        out[i] = row[0] + 0.5 * x * now - after
    return out


def near_field(cells: np.ndarray, moments: np.ndarray, tables: np.ndarray, reach: int) -> np.ndarray:
    """In each cell, the polynomial of the sum over all cells at most ``reach`` cells away."""
    # Cells out of each other's reach may stand closer together, as long as they stay out of reach.
    place = np.append(0, np.cumsum(np.minimum(np.diff(cells), reach + 1))).astype(np.int64)
    grid = np.zeros((place[-1] + 1 + 2 * reach, TERMS))  # the outer cells have neighbours as well
    grid[place + reach] = moments
    table, out = tables.reshape(-1, TERMS), np.empty_like(moments)
    shape, row_bytes = (place[-1] + 1, len(table)), grid.strides[0]
    neighbours = np.lib.stride_tricks.as_strided(grid, shape, (row_bytes, grid.itemsize), writeable=False)
    step = max(1, BLOCK // len(table))
    for start in range(0, len(cells), step):
        out[start : start + step] = neighbours[place[start : start + step]] @ table
    return out


def far_field(
    cells: np.ndarray, moments: np.ndarray, tails: tuple[Line, Line], reach: int, sign: int, width: float
) -> tuple[np.ndarray, np.ndarray]:
    """In each cell, the constant and the linear term of the sum over more distant cells."""
    middle = (cells + 0.5) * width
    weight = np.append(0.0, np.cumsum(moments[:, 0]))
    score = np.append(0.0, np.cumsum(middle * moments[:, 0] + 0.5 * width * moments[:, 1]))
    left, right = np.searchsorted(cells, cells - reach), np.searchsorted(cells, cells + reach, side="right")
    left_weight, right_weight = weight[left], weight[-1] - weight[right]
    # With u a score in this cell and v one in the other, margin = sign * (u - v).
    (right_constant, right_slope), (left_constant, left_slope) = tails if sign > 0 else tails[::-1]
    constant = left_constant * left_weight + right_constant * right_weight
    constant += sign * left_slope * (middle * left_weight - score[left])
    constant += sign * right_slope * (middle * right_weight - (score[-1] - score[right]))
    return constant, sign * 0.5 * width * (left_slope * left_weight + right_slope * right_weight)
