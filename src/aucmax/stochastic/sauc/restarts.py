"""SAUC's linear model: each stage starts at the previous stage's average, with a proximal term towards it."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined
from ...kernels.rows import axpy2, by_layout
from ...kernels.vectors import inner_product
from ..engine.model import MeanScores, apply_scales

MIN_SCALE = 1e-5  # a smaller scale is applied to the arrays, because it would cost digits of the average


class Restart(NamedTuple):
    """Coefficients of the vectors z, u and v of a ``RestartedModel``, and inner products.

    The iterate is ``w = z_scale * z + u_scale * u``. The centre, where the stage started, is
    ``centre_scale * z``. The weighted sum of the stage's iterates is ``sum_z * z + sum_u * u + v``, and
    ``sum_weight`` is their total weight. ``z_sqnorm`` is ``|z|^2``, ``wz`` is ``w . z``, ``sqnorm`` is
    ``|w|^2``.
    """

    z_sqnorm: float
    wz: float
    sqnorm: float
    n_touched: int = 0
    centre_scale: float = 1.0
    z_scale: float = 1.0
    u_scale: float = 1.0
    sum_z: float = 0.0
    sum_u: float = 0.0
    sum_weight: float = 0.0


class RestartedModel(NamedTuple):
    """The vectors and their coefficients, and fields that ``engine.model.Model`` also has.

    ``u`` and ``v`` are zero outside the first ``n_touched`` of ``columns``, so that the end of a short stage
    of sparse rows need not visit the other columns. ``n_touched > len(columns)`` means that the list is full.
    """

    z: np.ndarray
    u: np.ndarray
    v: np.ndarray
    columns: np.ndarray
    restart: Restart
    radius: float
    max_sqnorm: float = 0.0
    scores: MeanScores = MeanScores()

    @classmethod
    def at(cls, w: np.ndarray, radius: float) -> "RestartedModel":
        """A model that starts at the point of the ball nearest to ``w``."""
        w = w * (radius / max(float(np.linalg.norm(w)), radius))
        columns, square = np.zeros(len(w), dtype=np.uint32), inner_product(w, w)
        return cls(w, np.zeros(len(w)), np.zeros(len(w)), columns, Restart(square, square, square), radius)

    @property
    def sqnorm(self) -> float:
        return self.restart.sqnorm

    def last(self) -> np.ndarray:
        """The last iterate."""
        return self.restart.z_scale * self.z + self.restart.u_scale * self.u

    def result(self) -> np.ndarray:
        """The average of the last complete stage."""
        return self.restart.centre_scale * self.z

    def threshold(self) -> float:
        """Midway between the classes' mean scores."""
        return self.scores.midpoint()


def _dense_append_columns(X, i, columns, n):
    # A dense row has every column, so the list counts as full.
    return len(columns) + 1


def _csr_append_columns(X, i, columns, n):
    start, stop = np.intp(X.indptr[i]), np.intp(X.indptr[i + 1])
    if n + stop - start <= len(columns):
        for k in range(stop - start):
            columns[n + k] = X.indices[start + k]
    return n + stop - start


append_columns = by_layout(
    _dense_append_columns,
    _csr_append_columns,
    "``append_columns(X, i, columns, n)``: append the row's columns to n others if they fit; the new n.",
)


@inlined
def take_step(X, i, vectors, restart, radius, weight, c, centre_weight, score, xz, x2):
    """Add the iterate to the sum, then project the next one on the ball.

    That is ``(w + c x + centre_weight * centre) / (1 + centre_weight)``.
    """
    _, u, v, columns = vectors
    z_sqnorm, wz, sqnorm, n_touched, centre_scale, z_scale, u_scale, sum_z, sum_u, sum_weight = restart
    sum_z, sum_u, sum_weight = sum_z + weight * z_scale, sum_u + weight * u_scale, sum_weight + weight
    shrink, z_weight = 1.0 / (1.0 + centre_weight), centre_weight * centre_scale
    inner = c * score + z_weight * wz + c * z_weight * xz
    sqnorm = shrink * shrink * (sqnorm + c * c * x2 + z_weight * z_weight * z_sqnorm + 2.0 * inner)
    wz = shrink * (wz + c * xz + z_weight * z_sqnorm)
    z_scale, u_scale = shrink * (z_scale + z_weight), shrink * u_scale
    if u_scale < MIN_SCALE:
        apply_scales(u, v, u_scale, sum_u)
        u_scale, sum_u = 1.0, 0.0
    c_u = shrink * c / u_scale
    axpy2(X, i, c_u, u, -sum_u * c_u, v)
    if n_touched <= len(columns):
        n_touched = append_columns(X, i, columns, n_touched)
    if sqnorm > radius * radius:
        shrink = radius / np.sqrt(sqnorm)
        z_scale, u_scale, wz, sqnorm = shrink * z_scale, shrink * u_scale, shrink * wz, radius * radius
    return Restart(z_sqnorm, wz, sqnorm, n_touched, centre_scale, z_scale, u_scale, sum_z, sum_u, sum_weight)


@inlined
def start_stage(vectors, restart):
    """Start a stage at the average of the one that ends."""
    z, u, v, columns = vectors
    z_sqnorm, centre_scale = restart.z_sqnorm, restart.sum_z / restart.sum_weight
    if restart.n_touched > len(columns) or centre_scale < MIN_SCALE:
        a, b, c = centre_scale, restart.sum_u / restart.sum_weight, 1.0 / restart.sum_weight
        for j in range(len(z)):
            z[j] = a * z[j] + b * u[j] + c * v[j]
            u[j], v[j] = 0.0, 0.0
        z_sqnorm, centre_scale = inner_product(z, z), 1.0
    else:
        b, c = restart.sum_u / restart.sum_z, 1.0 / restart.sum_z
        for k in range(restart.n_touched):
            j = columns[k]
            before, z[j] = z[j], z[j] + b * u[j] + c * v[j]
            z_sqnorm += (z[j] - before) * (z[j] + before)
            u[j], v[j] = 0.0, 0.0
    wz, sqnorm = centre_scale * z_sqnorm, centre_scale * centre_scale * z_sqnorm
    return Restart(z_sqnorm, wz, sqnorm, 0, centre_scale, centre_scale, 1.0, 0.0, 0.0, 0.0)
