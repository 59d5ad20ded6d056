"""OPAUC: one-pass AUC optimisation (Gao, Jin, Zhu and Zhou, 2013).

The squared loss of a row against all earlier rows of the other class needs only their mean and covariance.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np

from ..kernels.jit import inlined, kernel
from ..kernels.random import normals, seed_state
from ..kernels.rows import axpy, dot
from ..kernels.vectors import inner_product
from ..validation.parameters import none, positive_integer
from .engine.estimator import OnlineAUCClassifierBase, Solver
from .engine.loop import Data
from .engine.model import SCORE_MEMORY, Model, update_mean_scores

MAX_FEATURES = 5000  # with more, the two exact covariances would take more than 400 MB


class Hyper(NamedTuple):
    eta: float
    lam: float


class State(NamedTuple):
    """Weights of the positives and negatives so far."""

    pos: float = 0.0
    neg: float = 0.0


class Statistics(NamedTuple):
    """Mean and scatter matrix of the positives (index 0) and of the negatives (index 1).

    With a rank, ``scatter`` is a sketch of the root of the scatter matrix in ``rank`` columns, the sum of the
    outer products of rows with random vectors, and ``vector_sum`` is the sum of those random vectors.
    """

    mean: np.ndarray
    scatter: np.ndarray
    vector_sum: np.ndarray
    generator: np.ndarray


@inlined
def add_multiple(u, c, v):
    """``u += c v``."""
    for j in range(len(u)):
        u[j] += c * v[j]


@inlined
def add_to_scatter(stats, own, x, weight, total):
    """Add a row by Welford's update, in which no digits cancel; the row is centred in place."""
    scatter_weight = weight * (1.0 - weight / total)
    add_multiple(x, -1.0, stats.mean[own])
    add_multiple(stats.mean[own], weight / total, x)
    for j in range(len(x)):
        if x[j] != 0.0:
            add_multiple(stats.scatter[own, j], scatter_weight * x[j], x)


@inlined
def covariance_product(stats, other, w, total, out):
    """The other class's covariance times ``w``."""
    for j in range(len(w)):
        out[j] = inner_product(stats.scatter[other, j], w) / total


@inlined
def add_to_sketch(stats, own, x, weight, total):
    """Add a row times a random vector of expected squared length one; the row is centred in place."""
    rank = stats.scatter.shape[2]
    vector = np.empty(rank)
    normals(stats.generator, vector, np.sqrt(weight / rank))
    for j in range(len(x)):
        if x[j] != 0.0:
            add_multiple(stats.scatter[own, j], x[j], vector)
    add_multiple(stats.vector_sum[own], 1.0, vector)
    add_multiple(x, -1.0, stats.mean[own])
    add_multiple(stats.mean[own], weight / total, x)


@inlined
def sketched_covariance_product(stats, other, w, total, out):
    """An unbiased estimate of the covariance times ``w``: the centred sketch times its transpose."""
    sketch, mean, vector_sum = stats.scatter[other], stats.mean[other], stats.vector_sum[other]
    product = np.zeros(len(vector_sum))
    add_multiple(product, -inner_product(mean, w), vector_sum)
    for j in range(len(w)):
        add_multiple(product, w[j], sketch[j])
    offset = inner_product(vector_sum, product)
    for j in range(len(w)):
        out[j] = (inner_product(sketch[j], product) - offset * mean[j]) / total


@inlined
def visit_rows(add_row, multiply_covariance, hyper, state, model, stats, data):
    """Make a step for each row against the other class, then add the row to its own class."""
    w, v, scores, (pos, neg) = model.u, model.v, model.scores, state
    average_weight, max_sqnorm = model.average_weight, model.max_sqnorm
    x, product = np.empty(len(w)), np.empty(len(w))
    for i in data.order:
        score, x2 = dot(data.X, i, w)
        max_sqnorm, weight = max(max_sqnorm, x2), abs(data.y[i])
        add_multiple(v, weight, w)
        average_weight += weight
        scores = update_mean_scores(scores, score, data.y[i] > 0.0, weight, SCORE_MEMORY)
        if data.y[i] > 0.0:
            own, sign, pos, own_weight, other_weight = 0, 1.0, pos + weight, pos + weight, neg
        else:
            own, sign, neg, own_weight, other_weight = 1, -1.0, neg + weight, neg + weight, pos
        for j in range(len(x)):
            x[j] = 0.0
        axpy(data.X, i, 1.0, x)
        if other_weight > 0.0 and max_sqnorm > 0.0:
            eta, mean = hyper.eta / max_sqnorm, stats.mean[1 - own]
            multiply_covariance(stats, 1 - own, w, other_weight, product)
            slope = score - inner_product(mean, w) - sign
            for j in range(len(w)):
                w[j] -= eta * weight * (slope * (x[j] - mean[j]) + product[j])
                w[j] /= 1.0 + eta * hyper.lam
        add_row(stats, own, x, weight, own_weight)
    return State(pos, neg), average_weight, max_sqnorm, scores


@kernel
def exact_epoch(hyper, state, model, stats, data):
    return visit_rows(add_to_scatter, covariance_product, hyper, state, model, stats, data)


@kernel
def sketched_epoch(hyper, state, model, stats, data):
    return visit_rows(add_to_sketch, sketched_covariance_product, hyper, state, model, stats, data)


@dataclass(eq=False, repr=False)
class OPAUC(OnlineAUCClassifierBase):
    r"""Squared pair loss with an L2 penalty, each row against the other class's mean and covariance.

    .. math:: \min_w \; \frac{1}{2 n_+ n_-} \sum_{i \in +,\, j \in -} \bigl(1 - w^\top (x_i - x_j)\bigr)^2
              + \frac{\mathtt{l2}}{2} \|w\|^2

    A row costs O(features²), as does memory; with ``rank``, both are O(features * rank), and the covariances
    are sketched by random vectors, without bias. ``AUCClassifier(loss="squared", standardize=False)`` has the
    same minimiser with its l2 twice this one. ``score`` is AUC.

    Parameters
    ----------
    l2 : float, default=1e-4
        Strength of the penalty, the paper's λ.
    step_size : float, default=0.03
        The paper's η in units of 1/κ², κ the largest row norm so far (1 for unit rows). It is constant; the
        penalty divides the weights by 1 + ηλ.
    rank : int or None, default=None
        The paper's τ (50 there): each class's covariance is replaced by a sketch of this many columns. None
        keeps the covariances, for at most 5000 features.
    average, max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    W. Gao, R. Jin, S. Zhu, Z.-H. Zhou. One-pass AUC optimization. ICML 2013.
    """

    l2: float = 1e-4
    _: KW_ONLY
    step_size: float = 0.03
    rank: int | None = None
    max_iter: int = 1
    average: bool = False

    _rules: ClassVar = {"rank": positive_integer | none}

    def _start(self, w: np.ndarray) -> Solver:
        if self.rank is None and len(w) > MAX_FEATURES:
            raise ValueError(
                f"OPAUC keeps two covariance matrices of {len(w)} x {len(w)} numbers; above {MAX_FEATURES} "
                f"features set rank, for example rank=50, to sketch them."
            )
        rank = 0 if self.rank is None else self.rank
        stats = Statistics(
            np.zeros((2, len(w))),
            np.zeros((2, len(w), rank or len(w))),
            np.zeros((2, rank)),
            seed_state(self.random_state),
        )
        return Solver(Model.at(w, average=self.average), State(), stats)

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        return solver, data  # a row changes all weights, so that no update of the average can be deferred

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, stats = cast(tuple[Model, State, Statistics], solver)
        epoch = exact_epoch if self.rank is None else sketched_epoch
        hyper = Hyper(self.step_size, self.l2)
        state, average_weight, max_sqnorm, scores = epoch(hyper, state, model, stats, data)
        model = model._replace(average_weight=average_weight, max_sqnorm=max_sqnorm)
        return Solver(model.moved_to(model.u, scores), state, stats)
