"""SPDAM: stochastic primal-dual AUC maximisation (Natole, Ying and Lyu, 2019).

The squared pair loss is a sum over centred rows, each with its own dual variable. Each batch of rows
updates its dual variables, then the weights, which converges at a linear rate.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import ClassVar, cast

import numpy as np

from ...kernels.rows import products
from ...validation.parameters import fraction, positive, positive_integer
from ..engine.class_sums import class_statistics
from ..engine.estimator import Solver, StochasticAUCClassifier
from ..engine.loop import Data
from ..engine.model import MeanScores, Model
from .batches import (
    Hyper,
    Memory,
    State,
    best_duals,
    combine_rows,
    epoch,
    max_centred_sqnorm,
    recompute_products,
)


def theorem_steps(kappa2: float, lam: float, n: float, m: float) -> tuple[float, float, float]:
    """The theorem's sigma, tau and theta; the factor lam, missing in the paper's sigma, is added."""
    root = np.sqrt((n - m) ** 2 + 4.0 * n * m * kappa2 / lam)
    sigma = lam * (n - m + root) / (4.0 * m * kappa2)
    return sigma, 1.0 / (4.0 * sigma * kappa2), 1.0 - lam / (lam + 2.0 * sigma * kappa2)


def _largest_eigenvalue(data: Data, means: tuple[np.ndarray, np.ndarray]) -> float:
    """Largest eigenvalue of the scaled centred rows' second moment, to a few per cent, by power iteration."""
    (row_table,), largest = data.context, 0.0
    beta = np.random.RandomState(0).standard_normal(len(data.y))
    for _ in range(20):
        v, before = combine_rows(data.X, data.y, row_table, beta, *means), largest
        beta = best_duals(data.X, data.y, row_table, v / (np.linalg.norm(v) or 1.0), *means)
        largest = float(beta @ beta) / np.count_nonzero(data.y)
        if largest <= 1.01 * before:
            break
    return largest


@dataclass(eq=False, repr=False)
class SPDAM(StochasticAUCClassifier):
    r"""Squared pair loss with an L2 penalty, by stochastic primal-dual steps at a linear rate.

    .. math:: \min_w \; \frac12 \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2 + \frac{\mathtt{l2}}{2} \|w\|^2

    A batch costs O(its non-zeros), memory is O(features + rows). The dual variables need all rows, so there
    is no ``partial_fit``. ``AUCClassifier(loss="squared", standardize=False)`` has the same minimiser with
    its l2 equal to 2 l2. ``score`` is AUC.

    The saddle problem is the paper's with its misprints corrected: rows are centred by their class and
    divided by √p or √(1-p), and σ has the factor λ. The paper bounds the norm of a batch by κ², its longest
    row; here it is bounded for a random batch of m rows, which allows longer steps. This bound lies between
    κ² for one row and the largest eigenvalue of the rows' second moment for all rows.

    Parameters
    ----------
    l2 : float, default=1e-3
        Strength of the penalty, the paper's λ.
    batch_size : int or float, default=0.1
        The paper's m: a number of rows, or a fraction of them. Small batches need the fewest passes. Each
        pass cuts a new random order of the rows into batches.
    step_size : float, default=1.0
        1 gives the theorem's σ, τ and θ; larger values take longer steps, as if κ² were divided by it.
    max_iter, tol, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    M. Natole, Y. Ying, S. Lyu. Stochastic AUC optimization algorithms with linear convergence.
    Frontiers in Applied Mathematics and Statistics 5, 2019.
    """

    l2: float = 1e-3
    _: KW_ONLY
    batch_size: float = 0.1
    step_size: float = 1.0
    max_iter: int = 40

    _rules: ClassVar = {"l2": positive, "batch_size": positive_integer | fraction}
    # No parameter: with the batches of the stored order the method converges slowly.
    shuffle: ClassVar[bool] = True  # type: ignore[misc]

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=False), State())

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        X, y, w = data.X, data.y, cast(Model, solver.model).u
        stats = class_statistics(X, y, len(w))
        means = stats.pos_mean, stats.neg_mean
        share = np.where(y > 0, stats.p, 1.0 - stats.p)
        row_table = np.column_stack([*products(X, *means), np.sqrt(np.abs(y) / share)])
        beta = best_duals(X, y, row_table, w, *means)
        u = combine_rows(X, y, row_table, beta, *means)
        data = data._replace(context=(row_table,))
        memory = Memory(beta, w.copy(), u, np.zeros(len(w)), *means, self._hyper(data, means))
        return solver._replace(memory=memory), data

    def _hyper(self, data: Data, means: tuple[np.ndarray, np.ndarray]) -> Hyper:
        """Step sizes for random batches, whose expected norm is smaller than the largest possible one."""
        (m_pos, m_neg), (row_table,) = means, data.context
        pos_pos, pos_neg, neg_neg = float(m_pos @ m_pos), float(m_pos @ m_neg), float(m_neg @ m_neg)
        kappa2 = max_centred_sqnorm(data.X, data.y, row_table, pos_pos, neg_neg)
        n = int(np.count_nonzero(data.y))
        m = n / self._n_batches(n)
        if m > 1.0:
            overlap = (m - 1.0) / (n - 1.0)
            together = max(n * _largest_eigenvalue(data, means), kappa2)
            kappa2 = ((1.0 - overlap) * kappa2 + overlap * together) / m
        steps = theorem_steps(kappa2 / self.step_size, self.l2, n, m)
        return Hyper(*steps, self.l2, pos_pos, pos_neg, neg_neg)

    def _n_batches(self, n: int) -> int:
        rows = self.batch_size if isinstance(self.batch_size, Integral) else self.batch_size * n
        return int(np.ceil(n / min(max(1.0, rows), n)))

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, memory = cast(tuple[Model, State, Memory], solver)
        state = state._replace(  # computed afresh in each pass, so that rounding errors do not accumulate
            w=recompute_products(memory, state.w, memory.z),
            u=recompute_products(memory, state.u, memory.U),
            du=recompute_products(memory, state.du, memory.D),
        )
        state = epoch(memory.hyper, state, memory, data, self._n_batches(len(data.order)))
        w = memory.z + state.w.pos * memory.m_pos + state.w.neg * memory.m_neg
        scores = MeanScores(state.w.by_pos, 1.0, state.w.by_neg, 1.0)
        return Solver(model.moved_to(w, scores), state, memory)
