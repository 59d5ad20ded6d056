"""VRSPAM: SPAM with variance reduction (Dan and Sahoo, 2021).

Each stage takes the full gradient once, and corrects every row's step by it: the noise of the steps
dies out as the weights settle, so that a constant step converges at a linear rate.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from ..kernels.proximal import proximal_along, residual
from ..kernels.rows import axpy, dot, products, square
from ..validation.convergence import NotConverged
from ..validation.parameters import non_negative, one_of, positive
from .engine.class_sums import class_statistics
from .engine.estimator import Solver, StochasticAUCClassifier
from .engine.model import ClassSums, Data, Model, Scores, descend, inner_product
from .spam import elastic_net as spam_net
from .spam import estimator as spam
from .spam import saddle
from .spam.saddle import coefficient

SAFETY = 0.3  # step times Lipschitz constant; from 0.2 to 0.4 the stages converge fastest


class Hyper(NamedTuple):
    """``mu_pos`` and ``mu_neg`` are the products of the stage's gradient with the class sums."""

    eta: float
    beta: float
    beta1: float
    mu_pos: float = 0.0
    mu_neg: float = 0.0


class State(NamedTuple):
    """As in SPAM; and the iterate is the model's ``w`` plus ``shift`` times the stage's gradient."""

    a: float
    b: float
    pos: float
    neg: float
    shift: float = 0.0
    optimality: float = np.inf


class Memory(NamedTuple):
    """Class sums, full gradient at the current weights, step, norm of the gradient at zero."""

    sums: ClassSums
    mu: np.ndarray
    eta: float
    unit: float


@inlined
def step(hyper, state, row):
    a, b, pos, neg, shift, optimality = state
    x_pos, x_neg, x_mu, anchor = row.context
    score = row.score + shift * x_mu
    shrink = 1.0 / (1.0 + hyper.eta * hyper.beta)
    c = -shrink * hyper.eta * (row.weight * coefficient(state, score, row.positive) - anchor)
    a = shrink * (a - hyper.eta * hyper.mu_pos) + c * x_pos
    b = shrink * (b - hyper.eta * hyper.mu_neg) + c * x_neg
    return c, shrink, 0.0, State(a, b, pos, neg, shrink * (shift - hyper.eta), optimality)


@kernel
def epoch(hyper, state, model, data):
    return descend(step, hyper, state, model, data)


@kernel
def net_epoch(hyper, state, w, mu, sums, data):
    """The stage with an elastic net, which moves every weight at every row: O(features) a row."""
    X, y, anchors, order = data.X, data.y, data.context[3], data.order
    a, b, pos, neg, shift, optimality = state
    shrink = 1.0 / (1.0 + hyper.eta * hyper.beta)
    for i in order:
        now = State(a, b, pos, neg, shift, optimality)
        change = abs(y[i]) * coefficient(now, dot(X, i, w)[0], y[i] > 0.0) - anchors[i]
        axpy(X, i, -hyper.eta * change, w)
        a, b = proximal_along(w, -hyper.eta, mu, hyper.eta * hyper.beta1, shrink, sums.pos, sums.neg)


@kernel
def anchor(X, y, anchors, state, w, mu):
    """Write the full gradient at ``w`` to ``mu``, and each row's part of it to ``anchors``."""
    mu[:] = 0.0
    n = 0
    for i in range(len(y)):
        if y[i] != 0.0:
            n += 1
            anchors[i] = abs(y[i]) * coefficient(state, dot(X, i, w)[0], y[i] > 0.0)
            axpy(X, i, anchors[i], mu)
    mu /= n


@kernel
def project_rows(X, mu, out):
    """Write ``X mu`` to ``out``."""
    for i in range(len(out)):
        out[i] = dot(X, i, mu)[0]


@kernel
def lipschitz(X, y, by_pos, by_neg, pos, neg, m_pos2, m_neg2):
    """The largest Lipschitz constant of a row's gradient: ``2 (1-p) |x| |x - m-|`` for a positive."""
    p, top = pos / (pos + neg), 0.0
    for i in range(len(y)):
        x2 = square(X, i)
        if y[i] > 0.0:
            gap2 = max(0.0, x2 - 2.0 * by_neg[i] / neg + m_neg2)
            top = max(top, y[i] * 2.0 * (1.0 - p) * np.sqrt(x2 * gap2))
        else:
            gap2 = max(0.0, x2 - 2.0 * by_pos[i] / pos + m_pos2)
            top = max(top, -y[i] * 2.0 * p * np.sqrt(x2 * gap2))
    return top


class VRSPAM(StochasticAUCClassifier):
    r"""Squared pair loss with an L2 penalty or elastic net, by proximal steps of vanishing noise.

    .. math:: \min_w \; p(1-p) \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2 + \frac{\mathtt{l2}}{2} \|w\|^2 + \mathtt{l1} \|w\|_1

    with p the fraction of positives. A row costs O(its non-zeros), or O(features) if l1 > 0. All rows
    must be at hand, so there is no ``partial_fit``. ``AUCClassifier(loss="squared")`` has the same
    minimiser with its l2 and l1 equal to l2 / (p(1-p)) and l1 / (p(1-p)). ``score`` is AUC.

    A stage goes over the rows twice: once for the full gradient, once for the m = n steps. It visits
    them in a new random order, which converges faster than the paper's draws with replacement and
    reads memory in order. One pass of SPAM leads to the start of the first stage.

    Parameters
    ----------
    l2 : float, default=1e-4
        Strength of the L2 penalty, the paper's β.
    l1 : float, default=0.0
        Strength of the L1 penalty, the paper's β₁; with both the penalty is the elastic net.
    step_size : float or "auto", default="auto"
        The constant step is η = step_size / κ², κ the largest row norm (1 for unit rows). "auto" is
        0.3 over the largest Lipschitz constant of a row's gradient.
    max_iter : int, default=30
        Stages of ``fit``.
    tol : float or None, default=None
        Stop when the norm of the gradient, or of the KKT residual if l1 > 0, is at most ``tol`` times
        that of the loss's gradient at zero; None makes all stages.
    shuffle : bool, default=True
        Visit the rows in a new random order in each stage.
    warm_start : bool, default=False
        Start ``fit`` from the weights of the last one, without the pass of SPAM.
    random_state : int, RandomState or None, default=None
        Seed of the visits.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Puts the decision midway between the mean scores of the classes.
    classes_ : ndarray of shape (2,)
    n_iter_ : int
        Stages made.
    optimality_ : float
        What ``tol`` is compared with.

    References
    ----------
    S. Dan, D. Sahoo. Variance reduced stochastic proximal algorithm for AUC maximization.
    ECML PKDD 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import normalize, scale
    >>> from aucmax import VRSPAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = normalize(scale(X))
    >>> print(f"{VRSPAM(l2=1e-3, random_state=0).fit(X, y).score(X, y):.3f}")
    0.99...
    """

    _rules = {name: rule for name, rule in StochasticAUCClassifier._rules.items() if name != "average"} | {
        "l2": non_negative,
        "l1": non_negative,
        "step_size": one_of("auto") | positive,
    }

    optimality_: float

    def __init__(
        self,
        l2: float = 1e-4,
        l1: float = 0.0,
        *,
        step_size: float | str = "auto",
        max_iter: int = 30,
        tol: float | None = None,
        shuffle: bool = True,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.l2 = l2
        self.l1 = l1
        self.step_size = step_size
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.random_state = random_state

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=False), None)

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        d = len(solver.model.u)
        seen = class_statistics(data.X, data.y, d)
        pos, neg, gap = seen.pos_weight, seen.neg_weight, seen.pos_mean - seen.neg_mean
        sides = products(data.X, seen.pos_sum, seen.neg_sum)
        if isinstance(self.step_size, str):
            squares = seen.pos_mean @ seen.pos_mean, seen.neg_mean @ seen.neg_mean
            pace = SAFETY / (lipschitz(data.X, data.y, *sides, pos, neg, *squares) or 1.0)
        else:
            pace = self.step_size / (seen.kappa2 or 1.0)
        unit = 2.0 * seen.p * (1.0 - seen.p) * float(np.linalg.norm(gap))
        memory = Memory(ClassSums(seen.pos_sum, seen.neg_sum), np.zeros(d), pace, unit)
        model = solver.model._replace(kappa2=seen.kappa2)
        data = data._replace(context=(*sides, *np.zeros((2, len(data.y)))))  # and by mu, and the anchors
        return Solver(model, State(0.0, 0.0, pos, neg), memory), data

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, memory = solver
        w, sums, mu = model.u, memory.sums, memory.mu
        if np.isinf(state.optimality):
            w = w if w.any() else self._spam(solver, data)
            state = self._anchored(w, solver, data)
        hyper = Hyper(memory.eta, self.l2, self.l1, float(mu @ sums.pos), float(mu @ sums.neg))
        if self.l1 > 0.0:
            w = w.copy()
            net_epoch(hyper, state, w, mu, sums, data)
        else:
            project_rows(data.X, mu, data.context[2])
            state, moved = epoch(hyper, state, Model.at(w, average=False), data)
            w = moved.last() + state.shift * mu
        state = self._anchored(w, solver, data)
        scores = Scores(state.a, state.pos, state.b, state.neg)
        model = model._replace(u=w, sqnorm=inner_product(w, w), scores=scores)
        return Solver(model, state, memory)

    def _spam(self, solver: Solver, data: Data) -> np.ndarray:
        """The average of one pass of SPAM."""
        model = Model.at(solver.model.u, average=True)._replace(kappa2=solver.model.kappa2)
        start = saddle.State(pos=solver.state.pos, neg=solver.state.neg)
        if self.l1 > 0.0:
            hyper = spam_net.Hyper(1.0, self.l2, self.l1)
            return spam_net.epoch(hyper, start, model, solver.memory.sums, data, False)[1].result()
        data = data._replace(context=data.context[:2])
        return spam.epoch(spam.Hyper(1.0, self.l2), start, model, solver.memory.sums, data)[1].result()

    def _anchored(self, w: np.ndarray, solver: Solver, data: Data) -> State:
        """The state at ``w``, once the memory holds the full gradient there."""
        _, state, (sums, mu, eta, unit) = solver
        state = State(inner_product(w, sums.pos), inner_product(w, sums.neg), state.pos, state.neg)
        anchor(data.X, data.y, data.context[3], state, w, mu)
        norm = float(np.linalg.norm(residual(w, mu, l1=self.l1, l2=self.l2, step=eta)))
        return state._replace(optimality=norm / unit if unit > 0.0 else norm)

    def _accept(self, solver: Solver) -> None:
        super()._accept(solver)
        self.optimality_ = solver.state.optimality

    def _settled(self, before: np.ndarray) -> bool:
        return self.tol is not None and self.optimality_ <= self.tol

    def _warn_unsettled(self) -> None:
        if self.tol is not None:
            problem = (
                f"VRSPAM made {self.max_iter} stages, and its gradient is still {self.optimality_:.1g} of "
                f"that at zero, above the tolerance {self.tol:g}"
            )
            warnings.warn(NotConverged(problem, "raise max_iter, tol or l2"), stacklevel=4)
