"""regSOLAM: SOLAM with an L2 penalty (Natole, Ying and Lyu, 2019).

The penalty shrinks the weights at each row, and bounds their norm, which gives the radius of SOLAM's ball.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from ..validation.parameters import positive
from .engine.estimator import OnlineAUCClassifierBase, Solver
from .engine.loop import Data, descend, no_context
from .engine.model import Model
from .solam import State, saddle_step


class Hyper(NamedTuple):
    zeta: float
    radius: float
    lam: float


@inlined
def step(hyper, state, row):
    gamma, grad, state = saddle_step(hyper, state, row)
    shrink = 1.0 / (1.0 + gamma * row.inv_max_sqnorm * hyper.lam)
    return -shrink * gamma * row.inv_max_sqnorm * grad, shrink, gamma, state


@kernel
def epoch(hyper, state, model, data):
    return descend(step, no_context, hyper, state, model, data)


@dataclass(eq=False, repr=False)
class RegSOLAM(OnlineAUCClassifierBase):
    r"""Squared pair loss with an L2 penalty, by stochastic steps on a saddle problem, one row at a time.

    .. math:: \min_w \; p(1-p) \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2 + \frac{\mathtt{l2}}{2} \|w\|^2

    with p the fraction of positives. A row costs O(its non-zeros), and memory is O(features). The average
    weights each iterate by its step size. ``AUCClassifier(loss="squared", standardize=False)`` has the same
    minimiser with its l2 equal to l2 / (p(1-p)). ``score`` is AUC.

    The paper shrinks the weights by 1 - γλ, which is unstable for long steps; here they are divided
    by 1 + γλ, which has the same fixed point and is stable for any step.

    Parameters
    ----------
    l2 : float, default=1e-3
        Strength of the penalty, the paper's λ; the weights stay in the ball of radius R = √(2/l2).
    step_size : float, default=1.0
        The paper's ζ: step t is ζ/√t for the scalars and ζ/(κ² √t) for the weights, κ the largest row
        norm so far (1 for the paper's unit rows).
    average, max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    M. Natole, Y. Ying, S. Lyu. Stochastic AUC optimization algorithms with linear convergence.
    Frontiers in Applied Mathematics and Statistics 5, 2019.
    """

    l2: float = 1e-3
    _: KW_ONLY
    step_size: float = 1.0
    average: bool = True

    _rules: ClassVar = {"l2": positive}

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=self.average, radius=self._radius()), State())

    def _pass(self, solver: Solver, data: Data) -> Solver:
        hyper = Hyper(self.step_size, self._radius(), self.l2)
        state, model = epoch(hyper, solver.state, solver.model, data)
        return Solver(model, state)

    def _radius(self) -> float:
        return float(np.sqrt(2.0 / self.l2))
