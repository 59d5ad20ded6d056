"""Sums over all pairs of any smooth margin loss, to machine precision and without a sort.

The score axis is cut into cells. Inside a cell a class is known by its Chebyshev moments
``sum_j b_j T_l(y_j)``, and between two cells the loss is a polynomial in both places,
``loss(s_i - s_j) = sum_kl A_kl T_k(x_i) T_l(y_j)``, whose table ``A`` depends only on how many
cells lie between them. Where the loss is affine (beyond its ``tail``) sums over cells do.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from ..kernels.jit import inlined, kernel
from .sums import Classes

TERMS = 16
MOST_CELLS = 2000
ACCURACY = 1e-10


class Smooth(Protocol):
    """What the cells ask of a loss: see :class:`aucmax.losses.Loss`."""

    width: float
    tail: float

    def __hash__(self) -> int: ...

    def value(self, margin: np.ndarray) -> np.ndarray: ...

    def derivative(self, margin: np.ndarray) -> np.ndarray: ...

    def second(self, margin: np.ndarray) -> np.ndarray: ...


class Far(NamedTuple):
    """``constant + slope * margin`` below ``-tail`` and above ``tail``."""

    low_constant: float
    low_slope: float
    high_constant: float
    high_slope: float


class Grid(NamedTuple):
    """Rows of one class on the score axis: the cell, and the place in it, from -1 to 1."""

    cell: np.ndarray
    place: np.ndarray


class ChebyshevSums:
    """Mean of a smooth loss over all pairs, its gradient and its curvature in the scores."""

    def __init__(self, classes: Classes, score: np.ndarray, loss: Smooth) -> None:
        self._classes, self._loss = classes, loss
        cell = np.floor(score / loss.width)
        place = 2.0 * (score / loss.width - cell) - 1.0
        self._cells, at = np.unique(cell, return_inverse=True)
        self._pos, self._neg = (
            Grid(at[classes.pos], place[classes.pos]),
            Grid(at[classes.neg], place[classes.neg]),
        )
        self._pos_moments = self._moments(self._pos, classes.pos_weight)
        self._neg_moments = self._moments(self._neg, classes.neg_weight)
        field = self._field("value", self._neg_moments, 1)
        self.value = float(np.sum(self._pos_moments * field))
        self._mass: tuple[np.ndarray, np.ndarray] | None = None

    def _moments(self, grid: Grid, weight: np.ndarray) -> np.ndarray:
        return moments(grid.cell, grid.place, weight, np.zeros((len(self._cells), TERMS)))

    def _field(self, order: str, source: np.ndarray, sign: int) -> np.ndarray:
        """Sum over the other class, as a polynomial in each cell; sign +1 towards the positives."""
        span = self._cells[-1] - self._cells[0]
        if not np.isfinite(self._loss.tail) and span > MOST_CELLS:
            raise ValueError(
                f"The scores spread over {span * self._loss.width:.3g}, too far for a loss of width "
                f"{self._loss.width:g}: scale the features, raise l2, or give the loss a finite tail."
            )
        reach = int(min(span, np.ceil(self._loss.tail / self._loss.width) + 1)) if span else 0
        tables, far = _tables(self._loss, order, reach)
        if sign < 0:
            tables = tables.transpose(0, 2, 1)
        near = near_field(self._cells, source, np.ascontiguousarray(tables), reach, sign)
        return far_field(self._cells, source, far, reach, sign, self._loss.width, near)

    def gradient(self) -> np.ndarray:
        c = self._classes
        at_pos = evaluate(*self._pos, self._field("derivative", self._neg_moments, 1))
        at_neg = evaluate(*self._neg, self._field("derivative", self._pos_moments, -1))
        return c.spread(c.pos_weight * at_pos, -c.neg_weight * at_neg)

    def _masses(self) -> tuple[np.ndarray, np.ndarray]:
        if self._mass is None:
            self._mass = (
                evaluate(*self._pos, self._field("second", self._neg_moments, 1)),
                evaluate(*self._neg, self._field("second", self._pos_moments, -1)),
            )
        return self._mass

    def diagonal(self) -> np.ndarray:
        """Second derivative by each row's own score."""
        c = self._classes
        at_pos, at_neg = self._masses()
        return c.spread(c.pos_weight * at_pos, c.neg_weight * at_neg)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        c = self._classes
        pos, neg = t[c.pos], t[c.neg]
        pos_mass, neg_mass = self._masses()
        from_neg = self._field("second", self._moments(self._neg, c.neg_weight * neg), 1)
        from_pos = self._field("second", self._moments(self._pos, c.pos_weight * pos), -1)
        return c.spread(
            c.pos_weight * (pos_mass * pos - evaluate(*self._pos, from_neg)),
            c.neg_weight * (neg_mass * neg - evaluate(*self._neg, from_pos)),
        )


@lru_cache(maxsize=64)
def _tables(loss: Smooth, order: str, reach: int) -> tuple[np.ndarray, Far]:
    """Chebyshev coefficients of ``loss(s_i - s_j)`` for cells ``-reach..reach`` apart, and the tails."""
    function: Callable[[np.ndarray], np.ndarray] = getattr(loss, order)
    nodes = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)
    half = 0.5 * loss.width
    apart = loss.width * np.arange(-reach, reach + 1)
    values = function(apart[:, None, None] + half * (nodes[:, None] - nodes))
    basis = np.polynomial.chebyshev.chebvander(nodes, TERMS - 1).T * (2.0 / TERMS)
    basis[0] *= 0.5
    tables = basis @ values @ basis.T
    _check_smooth(function, tables, apart, half, loss)
    if not np.isfinite(loss.tail):
        return tables, Far(0.0, 0.0, 0.0, 0.0)
    ends = np.array([-loss.tail, loss.tail])
    if order == "second":
        return tables, Far(0.0, 0.0, 0.0, 0.0)
    slope = loss.derivative(ends)
    if order == "derivative":
        return tables, Far(slope[0], 0.0, slope[1], 0.0)
    constant = loss.value(ends) - slope * ends
    return tables, Far(constant[0], slope[0], constant[1], slope[1])


def _check_smooth(function, tables: np.ndarray, apart: np.ndarray, half: float, loss: Smooth) -> None:
    """Refuse a loss that polynomials of this degree do not follow inside a cell."""
    between = np.polynomial.chebyshev.chebvander(np.cos(np.pi * np.arange(TERMS + 1) / TERMS), TERMS - 1)
    places = between[:, 1] if TERMS > 1 else between[:, 0]
    truth = function(apart[:, None, None] + half * (places[:, None] - places))
    error = np.abs(between @ tables @ between.T - truth).max(axis=(1, 2))
    scale = np.abs(truth).max(axis=(1, 2)) + ACCURACY * np.abs(truth).max()
    worst = int(np.argmax(error / np.maximum(scale, np.finfo(float).tiny)))
    if not error[worst] <= ACCURACY * max(scale[worst], 1.0):
        raise ValueError(
            f"The loss {loss!r} is not smooth enough near margin {apart[worst]:.3g} for cells of width "
            f"{loss.width:g}: a Loss must have no kink, and its `width` must be small beside the distance "
            "over which it bends."
        )


@kernel
def moments(cell, place, weight, out):
    """Add ``weight * T_k(place)`` for every row to its cell's moments."""
    for i in range(len(cell)):
        x, before, now = 2.0 * place[i], weight[i], weight[i] * place[i]
        row = out[cell[i]]
        row[0] += before
        row[1] += now
        for k in range(2, TERMS):
            before, now = now, x * now - before
            row[k] += now
    return out


@kernel
def evaluate(cell, place, field):
    """Each row's polynomial at its place, by Clenshaw's recurrence."""
    out = np.empty(len(cell))
    for i in range(len(cell)):
        x, row = 2.0 * place[i], field[cell[i]]
        after, now = 0.0, 0.0
        for k in range(TERMS - 1, 0, -1):
            after, now = now, row[k] + x * now - after
        out[i] = row[0] + 0.5 * x * now - after
    return out


@kernel
def near_field(cells, source, tables, reach, sign):
    """Polynomials that the cells at most ``reach`` away make in each cell."""
    out = np.zeros_like(source)
    start = 0
    for c in range(len(cells)):
        while cells[c] - cells[start] > reach:
            start += 1
        for other in range(start, len(cells)):
            apart = cells[c] - cells[other]
            if apart < -reach:
                break
            _apply(tables[int(sign * apart) + reach], source[other], out[c])
    return out


@inlined
def _apply(table, source, out):
    for k in range(TERMS):
        total = 0.0
        for m in range(TERMS):
            total += table[k, m] * source[m]
        out[k] += total


@kernel
def far_field(cells, source, far, reach, sign, width, out):
    """Add what the cells more than ``reach`` away give, where the loss is affine."""
    # With u the score seen from the cell's own class, margin = sign * (u - v).
    count, first, other = 0.0, 0.0, 0
    total_count, total_first = source[:, 0].sum(), 0.0
    for c in range(len(cells)):
        total_first += _first_moment(cells[c], source[c], width)
    seen_count, seen_first, upper = 0.0, 0.0, 0
    for c in range(len(cells)):
        while cells[c] - cells[other] > reach:
            count += source[other, 0]
            first += _first_moment(cells[other], source[other], width)
            other += 1
        while upper < len(cells) and cells[upper] - cells[c] <= reach:
            seen_count += source[upper, 0]
            seen_first += _first_moment(cells[upper], source[upper], width)
            upper += 1
        middle = (cells[c] + 0.5) * width
        left = (far.high_constant, far.high_slope) if sign > 0 else (far.low_constant, far.low_slope)
        right = (far.low_constant, far.low_slope) if sign > 0 else (far.high_constant, far.high_slope)
        right_count, right_first = total_count - seen_count, total_first - seen_first
        if upper == len(cells):
            right_count, right_first = 0.0, 0.0
        out[c, 0] += left[0] * count + right[0] * right_count
        out[c, 0] += sign * left[1] * (middle * count - first)
        out[c, 0] += sign * right[1] * (middle * right_count - right_first)
        out[c, 1] += sign * 0.5 * width * (left[1] * count + right[1] * right_count)
    return out


@inlined
def _first_moment(cell, source, width):
    return width * ((cell + 0.5) * source[0] + 0.5 * source[1])
