"""The mean loss over all pairs of rows on many machines, from a few numbers for each partition.

With Bernstein polynomials for the loss (see :mod:`aucmax.pairs.bernstein`) the mean over all pairs is
``E+ . K . E-``: only the mean basis vector of each class is needed, ``degree + 1`` numbers that add up over
partitions. One round gives these and so the loss, a second one the gradient. Scores stay on the workers.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..batch.newton import Solve
from ..kernels.jit import inlined, kernel
from ..kernels.rows import as_rows, axpy, dot
from ..kernels.vectors import inner_product
from ..pairs.bernstein import binomials, pair_matrix
from ..pairs.losses import Loss
from .partitions import PartitionedRows, SignedRows

MAX_HESSIAN_FEATURES = 1024  # up to here the Hessian is formed, in one round; beyond, only products with it
BLOCK_ROWS = 4096  # rows whose basis is in memory at a time


class ScoreRange(NamedTuple):
    """Weights ``w``, and the range of scores ``x . w`` that is mapped to [0, 1]: its middle and length."""

    w: np.ndarray
    middle: float
    length: float


@inlined
def map_score(X, i, y, w, middle, length):
    """Map a score linearly from its range to [0, 1], where 1 is the correct end for the row's class.

    Returns the value clipped to [0, 1], and by how much it exceeded that: a positive excess is on the correct
    side, where the row counts as if it were at the end of the range; a negative one on the wrong side, where
    the loss is continued by its tangent. Tangents on both sides would make the loss unbounded below.
    """
    score, _ = dot(X, i, w)
    p = 0.5 + (score - middle) / length if y > 0.0 else 0.5 - (score - middle) / length
    within = min(max(p, 0.0), 1.0)
    return within, p - within


@inlined
def evaluate_basis(p, choose, powers, out):
    """``bernstein.bern`` for a high degree: four independent chains of products, which run in parallel.

    ``powers`` is scratch space of shape ``(2, len(choose) + 3)``.
    """
    n, q = len(choose), 1.0 - p
    p_4, q_4 = (p * p) * (p * p), (q * q) * (q * q)
    a_0, a_1, a_2, a_3 = 1.0, p, p * p, p * p * p
    b_0, b_1, b_2, b_3 = 1.0, q, q * q, q * q * q
    for k in range(0, n, 4):
        powers[0, k], powers[0, k + 1], powers[0, k + 2], powers[0, k + 3] = a_0, a_1, a_2, a_3
        powers[1, k], powers[1, k + 1], powers[1, k + 2], powers[1, k + 3] = b_0, b_1, b_2, b_3
        a_0, a_1, a_2, a_3 = a_0 * p_4, a_1 * p_4, a_2 * p_4, a_3 * p_4
        b_0, b_1, b_2, b_3 = b_0 * q_4, b_1 * q_4, b_2 * q_4, b_3 * q_4
    for k in range(n):
        out[k] = choose[k] * powers[0, k] * powers[1, n - 1 - k]


@kernel
def _add_bases(X, y, w, middle, length, choose, out):
    m = len(choose) - 1
    basis, powers = np.empty(m + 1), np.empty((2, m + 4))
    for i in range(len(y)):
        if y[i] != 0.0:
            p, excess = map_score(X, i, y[i], w, middle, length)
            evaluate_basis(p, choose, powers, basis)
            label, weight = 1 if y[i] > 0.0 else 0, abs(y[i])
            for k in range(m + 1):
                out[label, k] += weight * basis[k]
            if excess < 0.0:
                out[label, 1] += weight * m * excess
                out[label, 0] -= weight * m * excess


def sum_bases(rows: SignedRows, scores: ScoreRange, degree: int) -> np.ndarray:
    """Sums of both classes' basis vectors: negative, positive."""
    out = np.zeros((2, degree + 1))
    _add_bases(as_rows(rows.X), rows.y, *scores, binomials(degree), out)
    return out


@kernel
def _add_gradients(X, y, w, middle, length, choose, first, out):
    basis, powers = np.empty(len(choose)), np.empty((2, len(choose) + 3))
    total = 0.0
    for i in range(len(y)):
        p, excess = map_score(X, i, y[i], w, middle, length)
        if y[i] != 0.0 and excess <= 0.0:
            evaluate_basis(p, choose, powers, basis)
            derivative = y[i] / length * inner_product(basis, first[1 if y[i] > 0.0 else 0])
            axpy(X, i, derivative, out)
            total += derivative
    return total


def sum_gradients(rows: SignedRows, scores: ScoreRange, first: np.ndarray) -> np.ndarray:
    """Sum of the rows, with a one appended, times the derivative of the loss in their scores.

    ``first`` has the coefficients of this derivative in the basis, a row for each class.
    """
    out = np.zeros(rows.X.shape[1] + 1)
    out[-1] = _add_gradients(as_rows(rows.X), rows.y, *scores, binomials(first.shape[1] - 1), first, out[:-1])
    return out


@kernel
def _evaluate_block(X, y, start, w, middle, length, choose, choose_lower, second, basis, curvature):
    lower_basis, powers = np.empty(len(choose_lower)), np.empty((2, len(choose) + 3))
    for k in range(len(curvature)):
        i = start + k
        p, excess = map_score(X, i, y[i], w, middle, length)
        weight = abs(y[i]) if excess <= 0.0 else 0.0
        evaluate_basis(p, choose, powers, basis[k])
        basis[k] *= weight
        curvature[k] = 0.0
        if excess == 0.0:
            evaluate_basis(p, choose_lower, powers, lower_basis)
            curvature[k] = weight * inner_product(lower_basis, second[1 if y[i] > 0.0 else 0])


class Block(NamedTuple):
    """Rows with a one appended, whether they are positive, their weighted basis and second derivatives."""

    rows: np.ndarray | sparse.csr_array
    positive: np.ndarray
    basis: np.ndarray
    curvature: np.ndarray

    def sum_by_class(self, values: np.ndarray) -> np.ndarray:
        """``basis' values`` of the negatives, and of the positives."""
        positive = self.basis[self.positive].T @ values[self.positive]
        return np.stack([self.basis.T @ values - positive, positive])


def iterate_blocks(rows: SignedRows, scores: ScoreRange, second: np.ndarray) -> Iterator[Block]:
    """The rows, ``BLOCK_ROWS`` at a time; ``second`` has the coefficients of the loss's second derivative."""
    m = second.shape[1] + 1
    choose = binomials(m - 1), binomials(m - 2)
    for start in range(0, len(rows.y), BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, len(rows.y))
        basis, curvature = np.empty((stop - start, m)), np.empty(stop - start)
        _evaluate_block(as_rows(rows.X), rows.y, start, *scores, *choose, second, basis, curvature)
        parts = [rows.X[start:stop], np.ones((stop - start, 1))]
        wide = sparse.hstack(parts, format="csr") if sparse.issparse(rows.X) else np.hstack(parts)
        yield Block(wide, rows.y[start:stop] > 0.0, basis, curvature)


def sum_hessian(rows: SignedRows, scores: ScoreRange, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of ``curvature x x'``, and of ``basis x'`` for each class; x has a one appended."""
    d = rows.X.shape[1] + 1
    square, by_class = np.zeros((d, d)), np.zeros((2, second.shape[1] + 1, d))
    for block in iterate_blocks(rows, scores, second):
        x = block.rows if isinstance(block.rows, np.ndarray) else block.rows.toarray()
        square += x.T @ (block.curvature[:, None] * x)
        by_class += block.sum_by_class(x)
    return square, by_class


def sum_basis_products(rows: SignedRows, scores: ScoreRange, second: np.ndarray, v: np.ndarray) -> np.ndarray:
    """For each class the sum of the rows' basis times their product with ``v``."""
    out = np.zeros((2, second.shape[1] + 1))
    for block in iterate_blocks(rows, scores, second):
        out += block.sum_by_class(block.rows @ v)
    return out


def sum_hessian_products(
    rows: SignedRows, scores: ScoreRange, second: np.ndarray, v: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """This partition's part of the Hessian times ``v``; ``other`` sums over the opposite class."""
    out = np.zeros(rows.X.shape[1] + 1)
    for block in iterate_blocks(rows, scores, second):
        paired = np.where(block.positive, block.basis @ other[1], block.basis @ other[0])
        out += block.rows.T @ (block.curvature * (block.rows @ v) - paired)
    return out


class Objective:
    """Mean pair loss, through polynomials, plus ``l2/2 |w|^2``, of columns multiplied by a ``factor`` each.

    A common shift of all scores changes no pair, so the score of ``centre`` is the middle of the range of
    scores; ``length`` is the length of that range. Rows and ``centre`` are as given: the workers get the
    weights times the factors, and their sums are multiplied by the factors here.
    """

    def __init__(
        self,
        rows: PartitionedRows,
        loss: Loss,
        degree: int,
        l2: float,
        centre: np.ndarray,
        factor: np.ndarray,
        length: float,
    ) -> None:
        self.rows, self.degree, self.l2 = rows, degree, l2
        self.centre, self.factor, self.length = centre, factor, length
        self.matrix = pair_matrix(loss.value, degree, length)
        self.cross = np.diff(np.diff(self.matrix, axis=0), axis=1) * (degree / length) ** 2

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> "Point":
        """The objective at ``w``."""
        return Point(self, w)


class Point:
    """The objective and its derivatives at ``w``. ``Xw`` is ``w``, since scores stay on the workers."""

    def __init__(self, objective: Objective, w: np.ndarray) -> None:
        self.w, self.Xw, self.objective = w, w, objective
        coef = w * objective.factor
        self.scores = ScoreRange(coef, float(coef @ objective.centre), objective.length)
        bases = objective.rows.sum(sum_bases, self.scores, objective.degree)
        self.mean_loss = bases[::-1] @ objective.matrix  # of a row paired with the other class, in its basis
        self.value = float(bases[1] @ self.mean_loss[1] + 0.5 * objective.l2 * (w @ w))

    @cached_property
    def gradient(self) -> np.ndarray:
        first = self.objective.degree * np.diff(self.mean_loss, axis=1)
        total = self.objective.rows.sum(sum_gradients, self.scores, first)
        return self._centre(total) + self.objective.l2 * self.w

    def slope(self, v: np.ndarray, Xw: np.ndarray) -> float:
        """The gradient times ``v``."""
        return float(self.gradient @ v)

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hessian times ``v``, and ``v``."""
        f = self.objective
        if len(v) <= MAX_HESSIAN_FEATURES:
            return self.hessian @ v, v
        coef = v * f.factor
        wide = np.append(coef, -f.centre @ coef)
        other = f.rows.sum(sum_basis_products, self.scores, self._second, wide)[::-1] @ f.cross
        product = f.rows.sum(sum_hessian_products, self.scores, self._second, wide, other)
        return self._centre(product) + f.l2 * v, v

    @cached_property
    def hessian(self) -> np.ndarray:
        """The Hessian itself, for few features."""
        square, by_class = self.objective.rows.sum(sum_hessian, self.scores, self._second)
        cross = by_class[1].T @ self.objective.cross @ by_class[0]
        square -= cross + cross.T
        return self._centre(self._centre(square).T) + self.objective.l2 * np.eye(len(self.w))

    def precondition(self, diagonal: np.ndarray) -> Solve:
        """Solve with the Hessian where it is formed and positive definite, else with its ``diagonal``."""
        with suppress(LinAlgError):  # the objective is not convex where scores are out of range
            if len(self.w) <= MAX_HESSIAN_FEATURES:
                factor = cho_factor(self.hessian)
                return lambda r: cho_solve(factor, r)
        return lambda r: r / diagonal

    @property
    def _second(self) -> np.ndarray:
        m = self.objective.degree
        return m * (m - 1) / self.objective.length**2 * np.diff(self.mean_loss, 2, axis=1)

    def _centre(self, wide: np.ndarray) -> np.ndarray:
        """Sums over ``factor (x - centre)``, from sums over x with a one appended."""
        f = self.objective
        return (f.factor * (wide[:-1] - np.multiply.outer(f.centre, wide[-1])).T).T
