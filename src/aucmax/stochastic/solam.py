"""SOLAM: stochastic online AUC maximisation (Ying, Wen and Lyu, 2016).

The squared loss over pairs is a saddle problem with three more scalars. Its gradient needs one row at a time.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from .engine.estimator import OnlineAUCClassifierBase, Solver
from .engine.loop import Data, descend, no_context
from .engine.model import Model


class Hyper(NamedTuple):
    zeta: float
    radius: float


class State(NamedTuple):
    """The saddle problem's scalars, the weights of positives and of all rows, the number of rows.

    The sums are those of the scalars times the step sizes, from which their averages follow.
    """

    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    pos: float = 0.0
    total: float = 0.0
    t: float = 0.0
    sum_a: float = 0.0
    sum_b: float = 0.0
    sum_alpha: float = 0.0


@inlined
def clip(value, bound):
    return min(max(value, -bound), bound)


@inlined
def saddle_step(hyper, state, row):
    """The step size, the derivative in the row's score, and the state after the step in the scalars."""
    a, b, alpha, pos, total, t, sum_a, sum_b, sum_alpha = state
    t += 1.0
    total += row.weight
    pos += row.weight if row.positive else 0.0
    p = pos / total
    # The fraction of the other class, and the scalar that estimates the mean score of this one.
    other, sign, mean = (1.0 - p, 1.0, a) if row.positive else (p, -1.0, b)
    gamma = row.weight * (hyper.zeta / np.sqrt(t))
    sum_a, sum_b, sum_alpha = sum_a + gamma * a, sum_b + gamma * b, sum_alpha + gamma * alpha
    bound = hyper.radius * row.max_norm
    grad = 2.0 * other * (row.score - mean - sign * (1.0 + alpha))
    ascent = -2.0 * other * (sign * row.score + (1.0 - other) * alpha)
    mean = clip(mean + gamma * 2.0 * other * (row.score - mean), bound)
    a, b = (mean, b) if row.positive else (a, mean)
    alpha = clip(alpha + gamma * ascent, 2.0 * bound)
    return gamma, grad, State(a, b, alpha, pos, total, t, sum_a, sum_b, sum_alpha)


@inlined
def step(hyper, state, row):
    gamma, grad, state = saddle_step(hyper, state, row)
    return -gamma * row.inv_max_sqnorm * grad, 1.0, gamma, state


@kernel
def epoch(hyper, state, model, data):
    return descend(step, no_context, hyper, state, model, data)


@dataclass(eq=False, repr=False)
class SOLAM(OnlineAUCClassifierBase):
    r"""Squared pair loss on a ball, by stochastic steps on a saddle problem, one row at a time.

    .. math:: \min_{\|w\| \le \mathtt{radius}} \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2

    A row costs O(its non-zeros), and memory is O(features). The average weights each iterate by its step
    size, as in the paper. ``AUCClassifier(loss="squared", standardize=False)`` has the same minimiser for
    some l2, which is 0 if the minimiser is inside the ball. ``score`` is AUC.

    Parameters
    ----------
    radius : float, default=10.0
        The ball's radius, the paper's R.
    step_size : float, default=1.0
        The paper's ζ: step t is ζ/√t for the scalars and ζ/(κ² √t) for the weights, κ the largest row
        norm so far (1 for the paper's unit rows).
    average, max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    Y. Ying, L. Wen, S. Lyu. Stochastic online AUC maximization. NIPS 2016.
    """

    radius: float = 10.0
    _: KW_ONLY
    step_size: float = 1.0
    average: bool = True

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=self.average, radius=self.radius), State())

    def _pass(self, solver: Solver, data: Data) -> Solver:
        state, model = epoch(Hyper(self.step_size, self.radius), solver.state, solver.model, data)
        return Solver(model, state)
