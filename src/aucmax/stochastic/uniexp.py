"""Uni-Exp: the class-balanced exponential loss, row by row (Kotlowski, Dembczynski and Hullermeier, 2011).

This loss of single rows, with an intercept, has the same minimiser as the exponential loss of pairs.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from .engine.estimator import OnlineAUCClassifierBase, Solver
from .engine.loop import Data, descend, no_context
from .engine.model import Model

MAX_EXPONENT = 30.0  # larger exponents of the loss are replaced by this, so that no step overflows


class Hyper(NamedTuple):
    eta: float


class State(NamedTuple):
    """The intercept, the weights of positives and negatives so far, the number of rows."""

    bias: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    t: float = 0.0


@inlined
def step(hyper, state, row):
    bias, pos, neg, t = state
    t += 1.0
    if row.positive:
        pos += row.weight
        share, sign = pos / (pos + neg), 1.0
    else:
        neg += row.weight
        share, sign = neg / (pos + neg), -1.0
    descent = np.exp(min(-sign * (row.score + bias), MAX_EXPONENT)) / (2.0 * share)
    move = sign * row.weight * (hyper.eta / np.sqrt(t)) * descent
    return row.inv_max_sqnorm * move, 1.0, row.weight, State(bias + move, pos, neg, t)


@kernel
def epoch(hyper, state, model, data):
    return descend(step, no_context, hyper, state, model, data)


@dataclass(eq=False, repr=False)
class UniExp(OnlineAUCClassifierBase):
    r"""Class-balanced exponential loss of single rows, by stochastic gradient steps.

    .. math:: \min_{w,\, b} \; \frac{1}{2 n_+} \sum_{i \in +} e^{-(w^\top x_i + b)}
              + \frac{1}{2 n_-} \sum_{j \in -} e^{w^\top x_j + b}

    Minimised over b, this is the square root of the mean of exp(-w.(x_i - x_j)) over pairs, so that
    ``AUCClassifier(loss="exponential", l2=0)`` has the same minimiser. A row costs O(its non-zeros), and
    memory is O(features). ``score`` is AUC.

    Parameters
    ----------
    step_size : float, default=0.3
        Called η here: step t is η/√t for the intercept b and η/(κ² √t) for the weights, κ the largest row
        norm so far (1 for unit rows). A row's step is divided by twice the fraction of its class so far.
    average, max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    W. Kotlowski, K. Dembczynski, E. Hullermeier. Bipartite ranking through minimization of univariate
    loss. ICML 2011.
    """

    _: KW_ONLY
    step_size: float = 0.3
    average: bool = True

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=self.average), State())

    def _pass(self, solver: Solver, data: Data) -> Solver:
        state, model = epoch(Hyper(self.step_size), solver.state, solver.model, data)
        return Solver(model, state)
