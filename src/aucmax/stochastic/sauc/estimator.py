"""SAUC: stochastic AUC optimisation with a general loss (Yang, Shen, Ying and Yuan, 2020).

The Bernstein polynomial of the loss is a sum of products, one factor for each row of a pair. So a row needs
only the running means of the other class's factors, called moments here.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import dot2_sqnorm, sqnorm
from ...pairs.bernstein import bernstein_basis, binomials, pair_matrix, widening_matrix
from ...pairs.losses import Loss, get_loss, loss_rule
from ...validation.parameters import Rule, non_negative, one_of, positive_integer
from ..engine.class_sums import class_statistics
from ..engine.estimator import OnlineAUCClassifierBase, Solver
from ..engine.loop import Data
from ..engine.model import SCORE_MEMORY, update_mean_scores
from .convexity import log_gamma0
from .restarts import RestartedModel, start_stage, take_step

NORM_TOLERANCE = 1.0 + 1e-9  # rows of norm one, up to rounding errors, do not widen the range of scores
MAX_LOG_GAMMA = 300.0  # larger gamma0 are cut here: the square of the centre's weight would overflow
MIN_WIDENING = 1.25  # the range of a stream grows at least by this factor, so that it is widened rarely


class Hyper(NamedTuple):
    """The paper's beta, gamma (in units of the squared row norm) and 1/L; the derivative's pair matrix."""

    beta: float
    gamma: float
    inv_length: float
    slopes: np.ndarray
    binomial: np.ndarray


class Moments(NamedTuple):
    """The paper's a (index 0) and b (index 1) are ``scale * mean``.

    Their sums over the stage are ``total + pending * mean``. ``slope`` is the pair matrix times ``mean``;
    where ``stale`` is true, it is recomputed when a row of the other class needs it.
    """

    mean: np.ndarray
    slope: np.ndarray
    total: np.ndarray
    scale: np.ndarray
    pending: np.ndarray
    stale: np.ndarray

    @classmethod
    def zeros(cls, degree: int) -> "Moments":
        mean, slope, total = np.zeros((3, 2, degree + 1))
        return cls(mean, slope, total, np.ones(2), np.zeros(2), np.ones(2, dtype=np.bool_))


class State(NamedTuple):
    """The moments, the number of the stage, and the rows it has had."""

    moments: Moments
    stage: float = 1.0
    rows: float = 0.0


@inlined
def derivative(hyper, moments, own, p, rate, weight, basis):
    """Derivative of the loss in ``p`` by the other class's moments; then the row is added to its own.

    ``basis`` is overwritten with the Bernstein basis of one degree less at ``p``.
    """
    mean, slope, total, scale, pending, stale = moments
    slopes, other, size = hyper.slopes, 1 - own, len(hyper.slopes)
    bernstein_basis(p, hyper.binomial, basis)
    if stale[other]:
        for i in range(size):
            slope[other, i] = 0.0
        for k in range(size):
            for i in range(size):
                slope[other, i] += slopes[k, i] * mean[other, k]
        stale[other] = False
    pending[own] += weight * scale[own]
    pending[other] += weight * scale[other]
    keep, result, before = (1.0 - rate) * scale[own], 0.0, 0.0
    for k in range(size):
        result += slope[other, k] * basis[k]
        total[own, k] += pending[own] * mean[own, k]
        mean[own, k] = keep * mean[own, k] + rate * (p * before + (1.0 - p) * basis[k])
        before = basis[k]
    result *= scale[other]
    pending[own], scale[own], stale[own] = 0.0, 1.0, True
    scale[other] *= 1.0 - rate
    return result


@inlined
def average_moments(moments, weight):
    """Replace the moments by their averages over the stage."""
    mean, _, total, scale, pending, stale = moments
    for own in range(2):
        for k in range(mean.shape[1]):
            mean[own, k] = (total[own, k] + pending[own] * mean[own, k]) / weight
            total[own, k] = 0.0
        pending[own], scale[own], stale[own] = 0.0, 1.0, True


@kernel
def epoch(hyper, state, model, data):
    """Visit rows until one is too long for the range of scores; also return the number visited."""
    moments, stage, rows = state
    z, u, v, columns, restart, radius, max_sqnorm, scores = model
    X, y, vectors, basis, n_visited = data.X, data.y, (z, u, v, columns), np.zeros(len(hyper.slopes)), 0
    inv_max_sqnorm = 1.0 / max_sqnorm if max_sqnorm > 0.0 else 0.0
    for i in data.order:
        xu, xz, x2 = dot2_sqnorm(X, i, u, z)
        if x2 > NORM_TOLERANCE * max_sqnorm:
            break
        positive, weight, score = y[i] > 0.0, abs(y[i]), restart.z_scale * xz + restart.u_scale * xu
        own, sign = (0, 1.0) if positive else (1, -1.0)
        eta = weight * (hyper.beta / np.sqrt(stage))
        p = min(max(0.5 + sign * score * hyper.inv_length, 0.0), 1.0)
        slope = sign * hyper.inv_length * derivative(hyper, moments, own, p, min(eta, 1.0), weight, basis)
        scores = update_mean_scores(scores, score, positive, weight, SCORE_MEMORY)
        c, centre_weight = -eta * inv_max_sqnorm * slope, eta * hyper.gamma
        restart = take_step(X, i, vectors, restart, radius, weight, c, centre_weight, score, xz, x2)
        rows, n_visited = rows + 1.0, n_visited + 1
        if rows == stage:
            average_moments(moments, restart.sum_weight)
            restart = start_stage(vectors, restart)
            stage, rows = stage + 1.0, 0.0
    model = RestartedModel(z, u, v, columns, restart, radius, max_sqnorm, scores)
    return State(moments, stage, rows), model, n_visited


@dataclass(eq=False, repr=False)
class SAUC(OnlineAUCClassifierBase):
    r"""Any convex pair loss on a ball, through its Bernstein polynomial, from one row at a time.

    .. math:: \min_{\|w\| \le \mathtt{radius}} \; p(1-p) \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              B\bigl(w^\top (x_i - x_j)\bigr)

    with B the Bernstein polynomial of the loss, of the given degree on [-L, L], L = 2 κ radius, κ the largest
    row norm. A row costs O(its non-zeros + degree), and degree² more where its class differs from the last
    row's; memory is O(features + degree). Stage t = 1, 2, ... has t rows, starts from the previous stage's
    average and has a proximal term towards it; the result is the average of the last complete stage. If the
    minimiser is on the ball's surface, ``AUCClassifier(standardize=False)`` with the same loss has the same
    one for some l2, up to the error of the polynomial, about L/√degree at a kink. ``score`` is AUC.

    The paper's a, b and α are kept in the Bernstein basis, where no digits cancel: a is the running mean of
    basis(1/2 + s/L) over positives, b that of K basis(1/2 - s/L) over negatives, and α is always a + b. Other
    than in the paper, their steps are η instead of η/(degree + 1); they are not projected on balls of radius
    R₁ and R₂, in which running means are anyway; the proximal step is implicit; the result is the last
    stage's average instead of the mean of all stages' averages.

    Parameters
    ----------
    loss : {"hinge", "logistic", "squared_hinge", "squared", "exponential"} or Loss, default="hinge"
        Loss of a margin, convex on [-L, L].
    degree : int, default=10
        The polynomial's degree, the paper's m; 1 to 100.
    radius : float, default=1.0
        The ball's radius, the paper's R.
    step_size : float, default=1.0
        The paper's β: the step of stage t is β/√t for the moments and β/(κ² √t) for the weights (κ is 1
        for unit rows). ``fit`` takes κ from all rows beforehand; in ``partial_fit`` it is the largest norm
        so far, raised by at least a quarter when a longer row comes.
    proximal : float or "theory", default=1.0
        Strength of the proximal term: the paper's γ is proximal κ / radius. "theory" is the paper's γ₀, so
        large that the weights hardly move (``aucmax.stochastic.sauc.convexity``). The term's steps are
        implicit, so that they are stable for any value.
    max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    Z. Yang, W. Shen, Y. Ying, X. Yuan. Stochastic AUC optimization with general loss. Communications on
    Pure and Applied Analysis, 2020.
    """

    loss: str | Loss = "hinge"
    _: KW_ONLY
    degree: int = 10
    radius: float = 1.0
    step_size: float = 1.0
    proximal: float | str = 1.0

    _rules: ClassVar = {
        "loss": loss_rule,
        "degree": Rule(
            lambda degree: positive_integer.allows(degree) and degree <= 100, "a whole number from 1 to 100"
        ),
        "proximal": non_negative | one_of("theory"),
    }

    def _start(self, w: np.ndarray) -> Solver:
        state = State(Moments.zeros(self.degree))
        return Solver(RestartedModel.at(w, self.radius), state, self._hyper(0.0))

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        n_features = len(cast(RestartedModel, solver.model).u)
        return self._widen(solver, class_statistics(data.X, data.y, n_features).max_sqnorm), data

    def _pass(self, solver: Solver, data: Data) -> Solver:
        order = data.order
        while len(order):
            model, state, hyper = solver
            state, model, n_visited = epoch(hyper, state, model, data._replace(order=order))
            solver, order = Solver(model, state, hyper), order[n_visited:]
            if len(order):
                needed = sqnorm(data.X, order[0])
                solver = self._widen(solver, max(needed, MIN_WIDENING**2 * model.max_sqnorm))
        return solver

    def _widen(self, solver: Solver, max_sqnorm: float) -> Solver:
        """Widen the range of scores for rows of this squared norm."""
        model, state = cast(RestartedModel, solver.model), cast(State, solver.state)
        factor = np.sqrt(max_sqnorm / model.max_sqnorm) if model.max_sqnorm > 0.0 else np.inf
        change, moments = widening_matrix(self.degree, factor), state.moments
        moments.mean[:] = moments.mean @ change.T
        moments.total[:] = moments.total @ change.T
        moments.stale[:] = True
        return Solver(model._replace(max_sqnorm=max_sqnorm), state, self._hyper(max_sqnorm))

    def _hyper(self, max_sqnorm: float) -> Hyper:
        """The constants for rows of at most this squared norm."""
        length = 2.0 * self.radius * np.sqrt(max_sqnorm)
        loss = get_loss(self.loss).value
        matrix = pair_matrix(loss, self.degree, length)
        if not np.isfinite(matrix).all():
            raise ValueError(
                f"SAUC: the loss overflows at margins of {length:g}, twice radius={self.radius:g} times the "
                f"largest row norm; lower radius or scale the rows."
            )
        slopes = np.zeros_like(matrix)
        slopes[:, :-1] = self.degree * np.diff(matrix, axis=1)
        if length == 0.0:
            gamma = 0.0  # any value will do while all rows are zero
        elif isinstance(self.proximal, str):
            gamma = float(np.exp(min(log_gamma0(loss, self.degree, length), MAX_LOG_GAMMA)))
        else:
            gamma = 2.0 * self.proximal / length
        inv_length = 1.0 / length if length > 0.0 else 0.0
        return Hyper(self.step_size, float(gamma), inv_length, slopes, binomials(self.degree - 1))
