"""OPAUC: one-pass AUC optimisation (Gao, Jin, Zhu and Zhou, 2013).

The squared loss of a row against all earlier rows of the other class needs only their mean and covariance.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from ..kernels.random import normals, seed_state
from ..kernels.rows import axpy, dot
from ..validation.parameters import non_negative, nothing, whole
from .engine.estimator import OnlineAUCClassifierBase, Solver
from .engine.model import MEMORY, Data, Model, inner_product, update_mean_scores

LARGEST = 5000  # features beyond which two exact covariances would take more than 400 MB


class Hyper(NamedTuple):
    eta: float
    lam: float


class State(NamedTuple):
    """Weights of positives and negatives seen."""

    pos: float = 0.0
    neg: float = 0.0


class Statistics(NamedTuple):
    """Mean and spread of the positives (line 0) and negatives (line 1).

    The spread is the scatter matrix, or ``rank`` columns that stand for it: the sum of rows times random
    vectors, of which ``drawn`` is the sum by itself.
    """

    mean: np.ndarray
    spread: np.ndarray
    drawn: np.ndarray
    generator: np.ndarray


@inlined
def add_to(u, c, v):
    """``u += c v``."""
    for j in range(len(u)):
        u[j] += c * v[j]


@inlined
def add_exact(stats, own, x, weight, total):
    """Take a row in, and leave it centred: Welford's update, which cancels nothing."""
    share = weight * (1.0 - weight / total)
    add_to(x, -1.0, stats.mean[own])
    add_to(stats.mean[own], weight / total, x)
    for j in range(len(x)):
        if x[j] != 0.0:
            add_to(stats.spread[own, j], share * x[j], x)


@inlined
def times_exact(stats, other, w, total, out):
    """The other class's covariance times ``w``."""
    for j in range(len(w)):
        out[j] = inner_product(stats.spread[other, j], w) / total


@inlined
def add_sketch(stats, own, x, weight, total):
    """Take a row in, times a random vector whose squared length is one on average; leave it centred."""
    rank = stats.spread.shape[2]
    draw = np.empty(rank)
    normals(stats.generator, draw, np.sqrt(weight / rank))
    for j in range(len(x)):
        if x[j] != 0.0:
            add_to(stats.spread[own, j], x[j], draw)
    add_to(stats.drawn[own], 1.0, draw)
    add_to(x, -1.0, stats.mean[own])
    add_to(stats.mean[own], weight / total, x)


@inlined
def times_sketch(stats, other, w, total, out):
    """An unbiased guess of the covariance times ``w``: the centred sketch times its transpose."""
    sketch, mean, drawn = stats.spread[other], stats.mean[other], stats.drawn[other]
    middle = np.zeros(len(drawn))
    add_to(middle, -inner_product(mean, w), drawn)
    for j in range(len(w)):
        add_to(middle, w[j], sketch[j])
    along = inner_product(drawn, middle)
    for j in range(len(w)):
        out[j] = (inner_product(sketch[j], middle) - along * mean[j]) / total


@inlined
def learn(add, times, hyper, state, model, stats, data):
    """Step each row against the other class, then add it to its own."""
    w, v, _, _, _, _, mass, kappa2, scores, seen = model
    pos, neg = state
    x, spread = np.empty(len(w)), np.empty(len(w))
    for i in data.order:
        score, x2 = dot(data.X, i, w)
        kappa2, weight = max(kappa2, x2), abs(data.y[i])
        add_to(v, weight, w)
        mass += weight
        scores = update_mean_scores(scores, score, data.y[i] > 0.0, weight, MEMORY)
        if data.y[i] > 0.0:
            own, sign, pos, mine, others = 0, 1.0, pos + weight, pos + weight, neg
        else:
            own, sign, neg, mine, others = 1, -1.0, neg + weight, neg + weight, pos
        for j in range(len(x)):
            x[j] = 0.0
        axpy(data.X, i, 1.0, x)
        if others > 0.0 and kappa2 > 0.0:
            eta, mean = hyper.eta / kappa2, stats.mean[1 - own]
            times(stats, 1 - own, w, others, spread)
            slope = score - inner_product(mean, w) - sign
            for j in range(len(w)):
                w[j] -= eta * weight * (slope * (x[j] - mean[j]) + spread[j])
                w[j] /= 1.0 + eta * hyper.lam
        add(stats, own, x, weight, mine)
        seen += 1
    model = Model(w, v, np.inf, 1.0, inner_product(w, w), 0.0, mass, kappa2, scores, seen)
    return State(pos, neg), model


@kernel
def exact(hyper, state, model, stats, data):
    return learn(add_exact, times_exact, hyper, state, model, stats, data)


@kernel
def sketched(hyper, state, model, stats, data):
    return learn(add_sketch, times_sketch, hyper, state, model, stats, data)


class OPAUC(OnlineAUCClassifierBase):
    r"""Squared pair loss with an L2 penalty, each row against the other class's mean and covariance.

    .. math:: \min_w \; \frac{1}{2 n_+ n_-} \sum_{i \in +,\, j \in -} \bigl(1 - w^\top (x_i - x_j)\bigr)^2
              + \frac{\mathtt{l2}}{2} \|w\|^2

    A row costs O(features²), as does memory; with ``rank``, both are O(features * rank), and the covariances
    are sketched by random vectors, without bias. ``AUCClassifier(loss="squared")`` has the same minimiser
    with its l2 twice this one. ``score`` is AUC.

    Parameters
    ----------
    l2 : float, default=1e-4
        Strength of the penalty, the paper's λ.
    step_size : float, default=0.03
        The paper's η in units of 1/κ², κ the largest row norm so far (1 for unit rows); it is constant, and
        the penalty is taken implicitly.
    rank : int or None, default=None
        The paper's τ, 50 there: columns of a sketch in place of each class's covariance. None keeps the
        covariances, for at most 5000 features.
    max_iter : int, default=1
        Passes of ``fit``.
    tol : float or None, default=None
        Stop when a pass moves the weights by at most ``tol`` of their norm; None makes all passes.
    average : bool, default=False
        Return the mean of the iterates, or the last one, as the paper does.
    shuffle : bool, default=True
        Visit the rows of ``fit`` in a new random order in each pass.
    warm_start : bool, default=False
        Start ``fit`` from the weights of the last one.
    random_state : int, RandomState or None, default=None
        Seed of the visits, and of the sketch.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Puts the decision midway between the running mean scores of the classes.
    classes_ : ndarray of shape (2,)
    n_iter_ : int
        Passes made.

    References
    ----------
    W. Gao, R. Jin, S. Zhu, Z.-H. Zhou. One-pass AUC optimization. ICML 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import normalize, scale
    >>> from aucmax import OPAUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = normalize(scale(X))
    >>> print(f"{OPAUC(random_state=0).fit(X, y).score(X, y):.3f}")
    0.99...
    """

    _rules = OnlineAUCClassifierBase._rules | {"l2": non_negative, "rank": whole | nothing}

    def __init__(
        self,
        l2: float = 1e-4,
        *,
        step_size: float = 0.03,
        rank: int | None = None,
        max_iter: int = 1,
        tol: float | None = None,
        average: bool = False,
        shuffle: bool = True,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.l2 = l2
        self.step_size = step_size
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.average = average
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.random_state = random_state

    def _start(self, w: np.ndarray) -> Solver:
        if self.rank is None and len(w) > LARGEST:
            raise ValueError(
                f"OPAUC keeps two covariance matrices of {len(w)} x {len(w)} numbers; above {LARGEST} "
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

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, stats = solver
        run = exact if self.rank is None else sketched
        state, model = run(Hyper(self.step_size, self.l2), state, model, stats, data)
        return Solver(model, state, stats)
