"""SPAM: stochastic proximal AUC maximisation (Natole, Ying and Lyu, 2018).

The scalars of SOLAM's saddle problem have a closed form in the class means; what is left is a proximal step.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, cast

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.proximal import proximal_step
from ...kernels.rows import CSR, axpy, dot, dot2, products
from ...kernels.vectors import inner_product
from ..engine.class_sums import ClassSums, add_to_class_sum, class_statistics
from ..engine.estimator import OnlineAUCClassifierBase, Solver
from ..engine.loop import Data, descend
from ..engine.model import Model, apply_scales
from .saddle import State, count_row, record_score, score_derivative
from .sparse_elastic_net import LazyMemory, heap_epoch, start_lazy, with_weights

WIDE = 10_000  # number of features above which `heap_epoch` is faster, for rows of about 80 non-zeros


class Hyper(NamedTuple):
    eta: float
    beta: float
    beta1: float


@inlined
def step(hyper, state, row):
    a, b, pos, neg, t = state
    t += 1.0
    eta = row.inv_max_sqnorm * (hyper.eta / np.sqrt(t))
    shrink = 1.0 / (1.0 + eta * hyper.beta)
    c = -shrink * eta * row.weight * score_derivative(state, row.score, row.positive)
    x_pos, x_neg = row.context
    gamma = 1.0 if t > 1.0 else 0.0  # the average begins with the second iterate
    return c, shrink, gamma, State(shrink * a + c * x_pos, shrink * b + c * x_neg, pos, neg, t)


@inlined
def stream_step(hyper, state, row):
    """The same step with running class weights and sums, which include the row afterwards."""
    a, b, pos, neg, t = state
    if row.positive:
        pos += row.weight
    else:
        neg += row.weight
    c, shrink, gamma, state = step(hyper, State(a, b, pos, neg, t), row)
    a, b, pos, neg, t = state
    gain = row.weight * (shrink * row.score + c * row.sqnorm)  # weight * (new w . x)
    if row.positive:
        a += gain
    else:
        b += gain
    return c, shrink, gamma, State(a, b, pos, neg, t)


@inlined
def stored_products(context, X, i, signed_weight):
    """The row's products with the sums of both classes, computed before the first pass."""
    return context[0][i], context[1][i]


@inlined
def running_products(sums, X, i, signed_weight):
    """The row's products with the sums of both classes so far; then the row is added to its own."""
    x_pos, x_neg = dot2(X, i, sums.pos, sums.neg)
    add_to_class_sum(X, i, signed_weight, sums.pos, sums.neg)
    return x_pos, x_neg


@kernel
def epoch(hyper, state, model, sums, data):
    # Computed afresh in each pass, so that rounding errors do not accumulate.
    a, b = model.scale * inner_product(model.u, sums.pos), model.scale * inner_product(model.u, sums.neg)
    state = State(a, b, state.pos, state.neg, state.t)
    return descend(step, stored_products, hyper, state, model, data)


@kernel
def stream_epoch(hyper, state, model, data):
    return descend(stream_step, running_products, hyper, state, model, data)


@kernel
def elastic_net_epoch(hyper, state, model, sums, data, running):
    """The steps with an elastic net, in O(features) per row: each row moves every weight.

    Each row is added to ``running`` sums after its gradient.
    """
    X, y, u, v = data.X, data.y, model.u, model.v
    if model.scale != 1.0 or model.average_scale != 0.0:
        apply_scales(u, v, model.scale, model.average_scale)
    for i in data.order:
        state = count_row(state, y[i], running)
        score, x2 = dot(X, i, u)
        gamma = 1.0 if state.t > 1.0 else 0.0  # the average begins with the second iterate
        model = record_score(model, y[i], score, x2, gamma)
        for j in range(len(v)):
            v[j] += gamma * u[j]
        eta = (hyper.eta / np.sqrt(state.t)) / model.max_sqnorm if model.max_sqnorm > 0.0 else 0.0
        axpy(X, i, -eta * abs(y[i]) * score_derivative(state, score, y[i] > 0.0), u)
        if running:
            add_to_class_sum(X, i, y[i], sums.pos, sums.neg)
        a, b = proximal_step(u, eta * hyper.beta1, 1.0 / (1.0 + eta * hyper.beta), sums.pos, sums.neg)
        state = State(a, b, state.pos, state.neg, state.t)
    _, _, radius, _, _, _, average_weight, max_sqnorm, scores, n_seen = model
    sqnorm = inner_product(u, u)
    return state, Model(u, v, radius, 1.0, sqnorm, 0.0, average_weight, max_sqnorm, scores, n_seen)


def one_pass_average(hyper: Hyper, state: State, model: Model, sums: ClassSums, data: Data) -> np.ndarray:
    """The average of one pass over the rows."""
    if hyper.beta1 > 0.0:
        return elastic_net_epoch(hyper, state, model, sums, data, False)[1].result()
    return epoch(hyper, state, model, sums, data)[1].result()


@dataclass(eq=False, repr=False)
class SPAM(OnlineAUCClassifierBase):
    r"""Squared pair loss with an L2 penalty or elastic net, by stochastic proximal steps.

    .. math:: \min_w \; p(1-p) \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2 + \frac{\mathtt{l2}}{2} \|w\|^2 + \mathtt{l1} \|w\|_1

    with p the fraction of positives. A row costs O(its non-zeros). If l1 > 0 it costs O(features), or
    O(non-zeros log features) where the rows are sparse and wide; both are exact. ``fit`` computes p and the
    class means from all rows before the first pass; ``partial_fit`` uses those of the rows so far. The
    average is over the iterates that scored a row, from the second row on: neither the zero weights of the
    start nor the iterate after the last row are in it.
    ``AUCClassifier(loss="squared", standardize=False)`` has the same minimiser with its l2 and l1 equal to l2
    / (p(1-p)) and l1 / (p(1-p)). ``score`` is AUC.

    Parameters
    ----------
    l2 : float, default=1e-4
        Strength of the L2 penalty, the paper's β.
    l1 : float, default=0.0
        Strength of the L1 penalty, the paper's β₁. The last iterate is sparse, the average much less.
    step_size : float, default=1.0
        The steps are η_t = step_size / (κ² √t), κ the largest row norm (1 for the paper's unit rows).
    average, max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    M. Natole, Y. Ying, S. Lyu. Stochastic proximal algorithms for AUC maximization. ICML 2018.
    """

    l2: float = 1e-4
    l1: float = 0.0
    _: KW_ONLY
    step_size: float = 1.0
    average: bool = True

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=self.average), State(), ClassSums.zeros(len(w)))

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        model = cast(Model, solver.model)
        stats = class_statistics(data.X, data.y, len(model.u))
        model = model._replace(max_sqnorm=stats.max_sqnorm)
        if self.l1 == 0.0:
            data = data.defer_average(model)._replace(context=products(data.X, *stats.sums))
        return Solver(model, State(pos=stats.pos_weight, neg=stats.neg_weight), stats.sums), data

    def _pass(self, solver: Solver, data: Data) -> Solver:
        if self.l1 > 0.0:
            return self._elastic_net_pass(solver, data, running=False)
        model, state, sums = solver
        state, model = epoch(self._hyper(), state, model, sums, data)
        return Solver(model, state, sums)

    def _chunk(self, solver: Solver, data: Data) -> Solver:
        model, state, memory = solver
        if self.l1 > 0.0 or isinstance(memory, LazyMemory):
            return self._elastic_net_pass(solver, data, running=True)
        data = data._replace(context=cast(ClassSums, memory))
        state, model = stream_epoch(self._hyper(), state, model, data)
        return Solver(model, state, memory)

    def _elastic_net_pass(self, solver: Solver, data: Data, *, running: bool) -> Solver:
        """A pass with an elastic net; the form and number of features of the first rows choose the kernel."""
        model, state, memory = cast(tuple[Model, State, ClassSums | LazyMemory], solver)
        if state.t == 0.0 and isinstance(memory, ClassSums):
            state = state._replace(a=float(model.u @ memory.pos), b=float(model.u @ memory.neg))
            if isinstance(data.X, CSR) and len(model.u) > WIDE:
                memory = start_lazy(model.u, memory)
        if isinstance(memory, LazyMemory):
            state, model, memory = heap_epoch(self._hyper(), state, model, memory, data, running)
            return Solver(with_weights(model, memory), state, memory)
        state, model = elastic_net_epoch(self._hyper(), state, model, memory, data, running)
        return Solver(model, state, memory)

    def _hyper(self) -> Hyper:
        return Hyper(self.step_size, self.l2, self.l1)
