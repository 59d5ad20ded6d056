"""VRSPAM: SPAM with variance reduction (Dan and Sahoo, 2021).

Each stage computes the full gradient once and corrects the step of each row by it. The variance of the
steps then vanishes as the weights converge, so that constant steps converge at a linear rate.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np

from ..kernels.jit import inlined, kernel
from ..kernels.proximal import proximal_gradient_step, proximal_residual
from ..kernels.rows import axpy, dot, products, scores, sqnorm
from ..kernels.vectors import inner_product
from ..validation.convergence import NotConverged
from ..validation.parameters import one_of, positive
from .engine.class_sums import ClassSums, class_statistics
from .engine.estimator import Solver, StochasticAUCClassifier
from .engine.loop import Data, descend
from .engine.model import MeanScores, Model
from .spam import estimator as spam
from .spam import saddle
from .spam.saddle import score_derivative

STEP_TIMES_LIPSCHITZ = 0.3  # of step_size="auto"; stages converge fastest from 0.2 to 0.4


class Hyper(NamedTuple):
    """Step, penalties, and the products of the stage's full gradient ``mu`` with the class sums."""

    eta: float
    beta: float
    beta1: float
    mu_pos: float
    mu_neg: float


class State(NamedTuple):
    """SPAM's a, b and class weights; the iterate is the model's ``w`` plus ``shift`` times ``mu``."""

    a: float
    b: float
    pos: float
    neg: float
    shift: float = 0.0
    optimality: float = np.inf


class Memory(NamedTuple):
    """Class sums, full gradient ``mu`` at the start of the stage, step, norm of the loss's gradient at 0."""

    sums: ClassSums
    mu: np.ndarray
    eta: float
    norm_at_zero: float


class Context(NamedTuple):
    """Each row's products with both class sums and ``mu``; ``mu`` is the mean of ``anchor`` times the row."""

    x_pos: np.ndarray
    x_neg: np.ndarray
    x_mu: np.ndarray
    anchor: np.ndarray


@inlined
def row_context(context, X, i, signed_weight):
    return context.x_pos[i], context.x_neg[i], context.x_mu[i], context.anchor[i]


@inlined
def step(hyper, state, row):
    a, b, pos, neg, shift, optimality = state
    x_pos, x_neg, x_mu, anchor = row.context
    score = row.score + shift * x_mu
    shrink = 1.0 / (1.0 + hyper.eta * hyper.beta)
    c = -shrink * hyper.eta * (row.weight * score_derivative(state, score, row.positive) - anchor)
    a = shrink * (a - hyper.eta * hyper.mu_pos) + c * x_pos
    b = shrink * (b - hyper.eta * hyper.mu_neg) + c * x_neg
    return c, shrink, 0.0, State(a, b, pos, neg, shrink * (shift - hyper.eta), optimality)


@kernel
def epoch(hyper, state, model, data):
    return descend(step, row_context, hyper, state, model, data)


@kernel
def elastic_net_epoch(hyper, state, w, mu, sums, data):
    """The stage with an elastic net, in O(features) per row: each row moves every weight."""
    X, y, anchor = data.X, data.y, data.context.anchor
    shrink = 1.0 / (1.0 + hyper.eta * hyper.beta)
    for i in data.order:
        change = abs(y[i]) * score_derivative(state, dot(X, i, w)[0], y[i] > 0.0) - anchor[i]
        axpy(X, i, -hyper.eta * change, w)
        a, b = proximal_gradient_step(w, -hyper.eta, mu, hyper.eta * hyper.beta1, shrink, sums.pos, sums.neg)
        state = State(a, b, state.pos, state.neg, state.shift, state.optimality)


@kernel
def full_gradient(X, y, state, w, mu, anchor):
    """Write the gradient of the loss at ``w`` to ``mu``, and each row's multiple in it to ``anchor``."""
    mu[:] = 0.0
    n = 0
    for i in range(len(y)):
        if y[i] != 0.0:
            n += 1
            anchor[i] = abs(y[i]) * score_derivative(state, dot(X, i, w)[0], y[i] > 0.0)
            axpy(X, i, anchor[i], mu)
    mu /= n


@kernel
def max_lipschitz(X, y, x_pos, x_neg, pos, neg, m_pos2, m_neg2):
    """The largest Lipschitz constant of a row's gradient: ``2 (1-p) |x| |x - m-|`` for a positive."""
    p, largest = pos / (pos + neg), 0.0
    for i in range(len(y)):
        x2 = sqnorm(X, i)
        if y[i] > 0.0:
            distance2 = max(0.0, x2 - 2.0 * x_neg[i] / neg + m_neg2)
            largest = max(largest, y[i] * 2.0 * (1.0 - p) * np.sqrt(x2 * distance2))
        else:
            distance2 = max(0.0, x2 - 2.0 * x_pos[i] / pos + m_pos2)
            largest = max(largest, -y[i] * 2.0 * p * np.sqrt(x2 * distance2))
    return largest


@dataclass(eq=False, repr=False)
class VRSPAM(StochasticAUCClassifier):
    r"""Squared pair loss with an L2 penalty or elastic net, by proximal steps of vanishing variance.

    .. math:: \min_w \; p(1-p) \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2 + \frac{\mathtt{l2}}{2} \|w\|^2 + \mathtt{l1} \|w\|_1

    with p the fraction of positives. A row costs O(its non-zeros), or O(features) if l1 > 0. The full
    gradient needs all rows, so there is no ``partial_fit``. ``AUCClassifier(loss="squared",
    standardize=False)`` has the same minimiser with its l2 and l1 equal to l2 / (p(1-p)) and l1 / (p(1-p)).
    ``score`` is AUC.

    A stage makes two passes over the rows, one for the full gradient and one for the m = n steps. It visits
    them in a new random order, which converges faster than the paper's sampling with replacement.
    The first stage starts from the average of one pass of SPAM.

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
        that of the loss's gradient at zero. None makes ``max_iter`` stages.
    warm_start : bool, default=False
        Start ``fit`` from the weights of the previous fit, without the pass of SPAM.
    shuffle, random_state
        As in the other stochastic methods.

    Attributes
    ----------
    optimality_ : float
        The ratio of norms that ``tol`` bounds.

    References
    ----------
    S. Dan, D. Sahoo. Variance reduced stochastic proximal algorithm for AUC maximization.
    ECML PKDD 2021.
    """

    l2: float = 1e-4
    l1: float = 0.0
    _: KW_ONLY
    step_size: float | str = "auto"
    max_iter: int = 30

    _rules: ClassVar = {"step_size": one_of("auto") | positive}

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=False), ())

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        model = cast(Model, solver.model)
        stats = class_statistics(data.X, data.y, len(model.u))
        pos_mean, neg_mean, p = stats.pos_mean, stats.neg_mean, stats.p
        context = Context(*products(data.X, *stats.sums), *np.zeros((2, len(data.y))))
        if isinstance(self.step_size, str):
            weights = stats.pos_weight, stats.neg_weight
            squares = pos_mean @ pos_mean, neg_mean @ neg_mean
            constant = max_lipschitz(data.X, data.y, context.x_pos, context.x_neg, *weights, *squares)
            eta = STEP_TIMES_LIPSCHITZ / (constant or 1.0)
        else:
            eta = self.step_size / (stats.max_sqnorm or 1.0)
        norm_at_zero = 2.0 * p * (1.0 - p) * float(np.linalg.norm(pos_mean - neg_mean))
        memory = Memory(stats.sums, np.zeros(len(model.u)), eta, norm_at_zero)
        state = State(0.0, 0.0, stats.pos_weight, stats.neg_weight)
        model = model._replace(max_sqnorm=stats.max_sqnorm)
        return Solver(model, state, memory), data._replace(context=context)

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, memory = cast(tuple[Model, State, Memory], solver)
        w, sums, mu, context = model.u, memory.sums, memory.mu, cast(Context, data.context)
        if np.isinf(state.optimality):  # the first stage
            w = w if w.any() else self._spam_average(solver, data)
            state = self._state_at(w, solver, data)
        hyper = Hyper(memory.eta, self.l2, self.l1, float(mu @ sums.pos), float(mu @ sums.neg))
        if self.l1 > 0.0:
            w = w.copy()
            elastic_net_epoch(hyper, state, w, mu, sums, data)
        else:
            context.x_mu[:] = scores(data.X, mu)
            state, moved = epoch(hyper, state, Model.at(w, average=False), data)
            w = moved.last() + state.shift * mu
        state = self._state_at(w, solver, data)
        model = model.moved_to(w, MeanScores(state.a, state.pos, state.b, state.neg))
        return Solver(model, state, memory)

    def _spam_average(self, solver: Solver, data: Data) -> np.ndarray:
        """The average of one pass of SPAM."""
        model, state, memory = cast(tuple[Model, State, Memory], solver)
        start = saddle.State(pos=state.pos, neg=state.neg)
        averaged = Model.at(model.u, average=True)._replace(max_sqnorm=model.max_sqnorm)
        context = cast(Context, data.context)
        data = data._replace(context=(context.x_pos, context.x_neg))
        return spam.one_pass_average(spam.Hyper(1.0, self.l2, self.l1), start, averaged, memory.sums, data)

    def _state_at(self, w: np.ndarray, solver: Solver, data: Data) -> State:
        """The state at ``w``; the full gradient there is written to the memory."""
        _, state, memory = cast(tuple[Model, State, Memory], solver)
        sums, mu = memory.sums, memory.mu
        state = State(inner_product(w, sums.pos), inner_product(w, sums.neg), state.pos, state.neg)
        full_gradient(data.X, data.y, state, w, mu, cast(Context, data.context).anchor)
        norm = float(np.linalg.norm(proximal_residual(w, mu, l1=self.l1, l2=self.l2, step=memory.eta)))
        return state._replace(optimality=norm / memory.norm_at_zero if memory.norm_at_zero > 0.0 else norm)

    def _accept(self, solver: Solver) -> None:
        super()._accept(solver)
        self.optimality_ = cast(State, solver.state).optimality

    def _converged(self, before: np.ndarray) -> bool:
        return self.tol is not None and self.optimality_ <= self.tol

    def _not_converged(self) -> NotConverged:
        problem = (
            f"VRSPAM made {self.max_iter} stages, and its gradient is still {self.optimality_:.1g} of "
            f"that at zero, above the tolerance {self.tol:g}"
        )
        return NotConverged(problem, "raise max_iter, tol or l2")
