"""The mean loss over all pairs of rows on many machines, in rounds of a few numbers.

With Bernstein polynomials for the loss (see :mod:`aucmax.pairs.bernstein`) the mean over all pairs is
``E+ . K . E-``: a class is known by the mean of its rows' basis vectors, ``degree + 1`` numbers that
add up over parts. One round gives these and so the loss, a second one the gradient; then each row
needs only the means. Scores stay where the rows are.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..kernels.jit import inlined, kernel
from ..kernels.rows import CSR, axpy, dot
from ..pairs.bernstein import binomials, pair_matrix
from ..pairs.losses import Loss
from ..stochastic.engine.model import inner_product
from .partitions import Part, Partitions

MOST_FEATURES = 1024  # up to which the Hessian is made, in one round, instead of its products
BLOCK = 4096  # rows whose basis is held at a time


class Frame(NamedTuple):
    """Where the scores ``x . w`` are seen: from ``middle``, within ``length / 2`` of it on either side."""

    w: np.ndarray
    middle: float
    length: float


@inlined
def place(X, i, y, w, middle, length):
    """P of a positive row, Q of a negative one, within the range; and how far it is beyond.

    Beyond the right end (above 0) a row counts as if it were at it; beyond the wrong one (below 0) its loss
    goes on along the tangent. Tangents at the right end would make the loss of pairs fall without bound.
    """
    score, _ = dot(X, i, w)
    p = 0.5 + (score - middle) / length if y > 0.0 else 0.5 - (score - middle) / length
    within = min(max(p, 0.0), 1.0)
    return within, p - within


@inlined
def basis_at(p, choose, powers, out):
    """``bernstein.bern`` for a high degree: four powers at a time, since each product waits for the last."""
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


@inlined
def room(n):
    """For the powers of a basis of ``n`` polynomials, and three more."""
    return np.empty((2, n + 3))


@kernel
def _bases(X, y, w, middle, length, choose, out):
    m = len(choose) - 1
    basis, powers = np.empty(m + 1), room(m + 1)
    for i in range(len(y)):
        if y[i] != 0.0:
            p, beyond = place(X, i, y[i], w, middle, length)
            basis_at(p, choose, powers, basis)
            own, weight = 1 if y[i] > 0.0 else 0, abs(y[i])
            for k in range(m + 1):
                out[own, k] += weight * basis[k]
            if beyond < 0.0:
                out[own, 1] += weight * m * beyond
                out[own, 0] -= weight * m * beyond


def bases(part: Part, frame: Frame, degree: int) -> np.ndarray:
    """Sums of both classes' basis vectors: negative, positive."""
    out = np.zeros((2, degree + 1))
    _bases(part.X, part.y, *frame, binomials(degree), out)
    return out


@kernel
def _pulls(X, y, w, middle, length, choose, first, out):
    basis, powers = np.empty(len(choose)), room(len(choose))
    total = 0.0
    for i in range(len(y)):
        p, beyond = place(X, i, y[i], w, middle, length)
        if y[i] != 0.0 and beyond <= 0.0:
            basis_at(p, choose, powers, basis)
            pull = y[i] / length * inner_product(basis, first[1 if y[i] > 0.0 else 0])
            axpy(X, i, pull, out)
            total += pull
    return total


def pulls(part: Part, frame: Frame, first: np.ndarray) -> np.ndarray:
    """Sum of the rows times the derivative in their scores, and of these derivatives at the end."""
    out = np.zeros(part.n_features + 1)
    out[-1] = _pulls(part.X, part.y, *frame, binomials(first.shape[1] - 1), first, out[:-1])
    return out


@kernel
def _bends(X, y, start, w, middle, length, choose, lower, second, basis, curvature_scale):
    below, powers = np.empty(len(lower)), room(len(choose))
    for k in range(len(curvature_scale)):
        i = start + k
        p, beyond = place(X, i, y[i], w, middle, length)
        weight = abs(y[i]) if beyond <= 0.0 else 0.0
        basis_at(p, choose, powers, basis[k])
        basis[k] *= weight
        curvature_scale[k] = 0.0
        if beyond == 0.0:
            basis_at(p, lower, powers, below)
            curvature_scale[k] = weight * inner_product(below, second[1 if y[i] > 0.0 else 0])


class Block(NamedTuple):
    """Some rows with a one at the end, which of them are positive, their basis and second derivatives."""

    rows: Any
    positive: np.ndarray
    basis: np.ndarray
    curvature_scale: np.ndarray

    def by_class(self, values: np.ndarray) -> np.ndarray:
        """``basis' values`` of the negatives, and of the positives."""
        positive = self.basis[self.positive].T @ values[self.positive]
        return np.stack([self.basis.T @ values - positive, positive])


def in_blocks(part: Part, frame: Frame, second: np.ndarray) -> Iterator[Block]:
    """The rows, a few at a time."""
    m = second.shape[1] + 1
    choose = binomials(m - 1), binomials(m - 2)
    for start in range(0, len(part.y), BLOCK):
        size = min(BLOCK, len(part.y) - start)
        basis, curvature_scale = np.empty((size, m)), np.empty(size)
        _bends(part.X, part.y, start, *frame, *choose, second, basis, curvature_scale)
        yield Block(_with_one(part, start, size), part.y[start : start + size] > 0.0, basis, curvature_scale)


def _with_one(part: Part, start: int, size: int) -> Any:
    ones = np.ones((size, 1))
    if not isinstance(part.X, CSR):
        return np.hstack([part.X[start : start + size], ones])
    cut = part.X.indptr[start : start + size + 1]
    stored = (part.X.data[cut[0] : cut[-1]], part.X.indices[cut[0] : cut[-1]], cut - cut[0])
    return sparse.hstack([sparse.csr_array(stored, shape=(size, part.n_features)), ones], format="csr")


def curves(part: Part, frame: Frame, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of ``curvature_scale x x'``, and of ``basis x'`` for each class; x has a one at the end."""
    d = part.n_features + 1
    square, by_class = np.zeros((d, d)), np.zeros((2, second.shape[1] + 1, d))
    for block in in_blocks(part, frame, second):
        rows = block.rows.toarray() if sparse.issparse(block.rows) else block.rows
        square += rows.T @ (block.curvature_scale[:, None] * rows)
        by_class += block.by_class(rows)
    return square, by_class


def along(part: Part, frame: Frame, second: np.ndarray, v: np.ndarray) -> np.ndarray:
    """For each class the sum of the rows' basis times their product with ``v``."""
    out = np.zeros((2, second.shape[1] + 1))
    for block in in_blocks(part, frame, second):
        out += block.by_class(block.rows @ v)
    return out


def curved(part: Part, frame: Frame, second: np.ndarray, v: np.ndarray, met: np.ndarray) -> np.ndarray:
    """This part's share of the Hessian times ``v``; ``met`` is what ``along`` makes rows of a class meet."""
    out = np.zeros(part.n_features + 1)
    for block in in_blocks(part, frame, second):
        other = np.where(block.positive, block.basis @ met[1], block.basis @ met[0])
        out += block.rows.T @ (block.curvature_scale * (block.rows @ v) - other)
    return out


class Objective:
    """Mean pair loss, through polynomials, plus ``l2/2 |w|^2``.

    Parameters
    ----------
    partitions : Partitions
        Rows with signed weights that add up to 1 in each class.
    loss : Loss
    degree : int
    l2 : float
    centre : ndarray of shape (n_features,)
        The row whose score is the middle of the range: pairs do not see a common shift of all scores.
    length : float
        Width of the range of scores.
    """

    def __init__(
        self, partitions: Partitions, loss: Loss, degree: int, l2: float, centre: np.ndarray, length: float
    ) -> None:
        self.partitions, self.degree, self.l2 = partitions, degree, l2
        self.centre, self.length = centre, length
        self.matrix = pair_matrix(loss.value, degree, length)
        self.cross = np.diff(np.diff(self.matrix, axis=0), axis=1) * (degree / length) ** 2

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> "Point":
        """The objective at ``w``."""
        return Point(self, w)


class Point:
    """The objective near one ``w``; its Xw is ``w`` itself, since scores do not travel."""

    def __init__(self, objective: Objective, w: np.ndarray) -> None:
        self.w, self.Xw, self._of = w, w, objective
        self.frame = Frame(w, float(w @ objective.centre), objective.length)
        bases_sum = objective.partitions.total(bases, self.frame, objective.degree)
        self._seen = bases_sum[::-1] @ objective.matrix  # what the rows of each class meet in the other
        self.value = float(bases_sum[1] @ self._seen[1] + 0.5 * objective.l2 * (w @ w))

    @cached_property
    def gradient(self) -> np.ndarray:
        first = self._of.degree * np.diff(self._seen, axis=1)
        return self._centred(self._of.partitions.total(pulls, self.frame, first)) + self._of.l2 * self.w

    def slope(self, v: np.ndarray, Xw: np.ndarray) -> float:
        """The gradient times ``v``."""
        return float(self.gradient @ v)

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hessian times ``v``, and ``v``."""
        of = self._of
        if self.small:
            return self.hessian @ v, v
        wide = np.append(v, -of.centre @ v)
        met = of.partitions.total(along, self.frame, self._second, wide)[::-1] @ of.cross
        product = of.partitions.total(curved, self.frame, self._second, wide, met)
        return self._centred(product) + of.l2 * v, v

    @property
    def small(self) -> bool:
        """Whether there are few enough features to make the Hessian."""
        return len(self.w) <= MOST_FEATURES

    @cached_property
    def hessian(self) -> np.ndarray:
        """The Hessian itself, of few features."""
        of = self._of
        square, by_class = of.partitions.total(curves, self.frame, self._second)
        cross = by_class[1].T @ of.cross @ by_class[0]
        square -= cross + cross.T
        return self._centred(self._centred(square).T) + of.l2 * np.eye(len(self.w))

    @property
    def _second(self) -> np.ndarray:
        m = self._of.degree
        return m * (m - 1) / self._of.length**2 * np.diff(self._seen, 2, axis=1)

    def _centred(self, wide: np.ndarray) -> np.ndarray:
        """Sums over rows less their middle, from sums over rows with a one at the end."""
        return wide[:-1] - np.multiply.outer(self._of.centre, wide[-1])
