"""FSAUC: fast stochastic AUC maximisation (Liu, Zhang, Chen, Wang and Yang, 2018).

SOLAM's saddle problem in stages: each starts at the previous stage's average, in a ball of half the radius.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, cast

import numpy as np

from ...kernels.jit import kernel
from ...kernels.proximal import soft_threshold_array
from ...kernels.rows import CSR, dot
from ...validation.parameters import one_of, positive
from ..engine.class_sums import ClassSums, add_to_class_sum, class_statistics
from ..engine.estimator import OnlineAUCClassifierBase, Solver
from ..engine.loop import REFRESH_PERIOD, Data
from ..engine.model import SCORE_MEMORY, Model, update_mean_scores
from .lazy import lazy_epoch
from .projection import l1_threshold, move_along_row, project, search_theta
from .stages import (
    GROWTH,
    SLACK,
    Hyper,
    Memory,
    Stage,
    State,
    add_row,
    end_stage,
    finish_row,
    scalar_distance2,
    step,
)

PATIENCE = 4  # rows that left the L1 ball before the lazy loop, which takes O(features) to start, takes over


@kernel
def epoch(hyper, state, model, memory, data, patience):
    """Visit rows until ``patience`` of them left the L1 ball, but not the trust ball; also their number."""
    w, v, _, _, sqnorm, _, weight, max_sqnorm, scores, n_seen = model
    radius, X, y, centre, sums, n_visited = hyper.radius, data.X, data.y, memory.centre, memory.sums, 0
    for i in data.order:
        score, x2 = dot(X, i, w)
        max_sqnorm = max(max_sqnorm, x2)
        bound, positive, row_weight = radius * np.sqrt(max_sqnorm), y[i] > 0.0, abs(y[i])
        scores = update_mean_scores(scores, score, positive, row_weight, SCORE_MEMORY)
        add_to_class_sum(X, i, y[i], sums.pos, sums.neg)
        state, weight = add_row(state, positive, row_weight), weight + row_weight
        stage, point, origin, _, _, pos, neg, l1, distance2 = state

        c, moved = step(hyper, stage, point, pos / (pos + neg), score, positive, row_weight, max_sqnorm)
        more_l1, more_distance2 = move_along_row(X, i, c, w, -weight * c, v, centre)
        l1, distance2, sqnorm = l1 + more_l1, distance2 + more_distance2, sqnorm + c * (2.0 * score + c * x2)
        n_seen += 1
        if n_seen % REFRESH_PERIOD == 0:
            l1, distance2, sqnorm = project(w, v, weight, centre, 1.0, 0.0)
        theta, reach = 1.0, stage.reach * bound
        of_scalars = scalar_distance2(moved, origin, bound)
        if l1 > SLACK * radius or max_sqnorm * distance2 + of_scalars > SLACK * reach * reach:
            scalars = (moved.a, origin.a, moved.b, origin.b)
            theta, tau = search_theta(w, centre, radius, scalars, bound, max_sqnorm, reach)
            l1, distance2, sqnorm = project(w, v, weight, centre, theta, tau)
            patience -= 1 if theta == 1.0 else 0
        state, n_visited = finish_row(state, moved, theta, bound, l1, distance2), n_visited + 1
        if state.stage.rows == state.stage.length:
            state, sqnorm = end_stage(hyper, state, w, v, weight, memory)
            weight = 0.0
        if patience <= 0:
            break
    model = Model(w, v, np.inf, 1.0, sqnorm, weight, weight, max_sqnorm, scores, n_seen)
    return state, model, n_visited


@dataclass(eq=False, repr=False)
class FSAUC(OnlineAUCClassifierBase):
    r"""Squared pair loss on an L1 ball, by SOLAM's saddle point in stages with shrinking trust balls.

    .. math:: \min_{\|w\|_1 \le \mathtt{radius}} \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2

    Each stage starts at the average of the previous one and stays in a ball around it of half the previous
    radius. A row costs O(its non-zeros), or O(features) if its step violates a constraint; in ``fit`` sparse
    rows that leave the L1 ball alone cost O(non-zeros log features). The projection is exact. Memory is
    O(features). The result is the average of the current stage's iterates.
    ``AUCClassifier(loss="squared", l2=0, standardize=False)`` has the same minimiser for some l1, which is 0
    if the minimiser is inside the L1 ball. ``score`` is AUC.

    Rows are divided by κ, the largest row norm so far: the paper's formulas hold with its κ = 1 and with
    κ radius for its R, and rescaling the rows changes nothing. ``fit`` has n = rows times passes and makes
    the paper's ⌊log₂(2n / log₂ n) / 2⌋ - 1 stages, of ⌈n / stages⌉ rows instead of ⌊n / stages⌋. The stages
    of a stream, whose length is unknown, have 128, 512, 2048, ... rows, so that after n rows the ball has
    shrunk about as much; steps at most halve from stage to stage, though a stage is four times as long. The
    fraction of positives and the class means are of all rows so far, where the poster begins anew in each
    stage, and α at a stage's end has the sign that maximises the saddle function, the opposite of line 8.

    Parameters
    ----------
    radius : float, default=1000.0
        The L1 ball's radius, the paper's R.
    step_size : float or "theory", default=0.1
        The first stage's step η, in units of 1/κ² for the weights. Later steps have the paper's ratios to it
        but never grow: in effect η, η, η/2, η/4, ... "theory" gives the paper's own steps, the second of
        which is about thirty times the first.
    max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    M. Liu, X. Zhang, Z. Chen, X. Wang, T. Yang. Fast stochastic AUC maximization with O(1/n)-convergence
    rate. ICML 2018.
    """

    radius: float = 1000.0
    _: KW_ONLY
    step_size: float | str = 0.1

    _rules: ClassVar = {"step_size": positive | one_of("theory")}

    def _start(self, w: np.ndarray) -> Solver:
        w = soft_threshold_array(w, l1_threshold(w, np.zeros(len(w)), 1.0, self.radius))
        eta = 0.0 if isinstance(self.step_size, str) else float(self.step_size)
        state = State(Stage(eta), l1=float(np.abs(w).sum()))
        return Solver(Model.at(w, average=True), state, Memory(w.copy(), ClassSums.zeros(len(w))))

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        model, state, memory = cast(tuple[Model, State, Memory], solver)
        n = self.max_iter * np.count_nonzero(data.y)
        n_stages = max(1, int(0.5 * np.log2(2.0 * n / np.log2(n))) - 1)
        state = state._replace(stage=state.stage._replace(length=float(-(-n // n_stages))))
        max_sqnorm = class_statistics(data.X, data.y, len(model.u)).max_sqnorm
        return Solver(model._replace(max_sqnorm=max_sqnorm), state, memory), data

    def _chunk(self, solver: Solver, data: Data) -> Solver:
        # Without the lazy loop, whose rounding depends on where it starts, and so on the sizes of chunks.
        model, state, memory = solver
        state, model, _ = epoch(self._hyper(GROWTH), state, model, memory, data, len(data.order))
        return Solver(model, state, memory)

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, memory = solver
        hyper, order = self._hyper(1.0), data.order
        patience = PATIENCE if isinstance(data.X, CSR) else len(order)
        while len(order):
            part = data._replace(order=order)
            state, model, n_visited = epoch(hyper, state, model, memory, part, patience)
            order = order[n_visited:]
            if len(order):
                part = data._replace(order=order)
                state, model, n_visited = lazy_epoch(hyper, state, model, memory, part)
                order, patience = order[n_visited:], 2 * patience
        return Solver(model, state, memory)

    def _hyper(self, growth: float) -> Hyper:
        return Hyper(self.radius, isinstance(self.step_size, str), growth)
