"""OAM: online AUC maximisation (Zhao, Hoi, Jin and Yang, 2011).

Each row is compared with a sample of earlier rows of the other class, kept by reservoir sampling.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.random import seed_state
from ...kernels.rows import axpy, axpy2, dot
from ...validation.parameters import one_of, positive, positive_integer
from ..engine.estimator import OnlineAUCClassifierBase, Solver
from ..engine.loop import Data
from ..engine.model import SCORE_MEMORY, Model, update_mean_scores
from .buffer import Buffer, axpy_buffered, dot2_buffered, kept_rows, replace_rows, sample_place


class Hyper(NamedTuple):
    c: float
    size: int


class State(NamedTuple):
    """Weights of the positives and negatives so far, and the number of each in the buffer."""

    pos: float = 0.0
    neg: float = 0.0
    pos_kept: int = 0
    neg_kept: int = 0


@inlined
def gradient(X, kept, others, w, x, score, x2, sign, max_step):
    """Step along all buffered rows whose pair with this row has a margin of at most 1 under ``w``."""
    violates = np.zeros(len(others), dtype=np.bool_)
    for k in range(len(others)):
        inner, _, _ = dot2_buffered(X, kept, others[k], w, x)
        violates[k] = sign * (score - inner) <= 1.0
    total = 0.0
    for k in range(len(others)):
        if violates[k]:
            total += sign * max_step
            axpy_buffered(X, kept, others[k], -sign * max_step, w)
    return total


@inlined
def sequential(X, kept, others, w, x, score, x2, sign, max_step):
    """Step along one buffered row after another, each step at most up to a margin of 1.

    ``total`` times the row itself is added to ``w`` only at the end; ``score`` is that of ``w`` without it.
    """
    total = 0.0
    for k in range(len(others)):
        inner, cross, z2 = dot2_buffered(X, kept, others[k], w, x)
        loss = 1.0 - sign * (score + total * x2 - inner - total * cross)
        distance = x2 + z2 - 2.0 * cross
        if loss > 0.0 and distance > 0.0:
            step = sign * min(max_step, loss / distance)
            total += step
            score -= step * cross
            axpy_buffered(X, kept, others[k], -step, w)
    return total


@inlined
def visit_rows(update, hyper, state, model, kept, row_of_place, generator, data):
    """Update ``w`` with each row against the other class's buffer, then offer the row to its own buffer."""
    pos, neg, pos_kept, neg_kept = state
    w, max_sqnorm, scores = model.u, model.max_sqnorm, model.scores
    X, y, size, x = data.X, data.y, hyper.size, np.zeros(len(w))
    for i in data.order:
        score, x2 = dot(X, i, w)
        max_sqnorm, weight = max(max_sqnorm, x2), abs(y[i])
        scores = update_mean_scores(scores, score, y[i] > 0.0, weight, SCORE_MEMORY)
        if y[i] > 0.0:
            pos += weight
            place, sign = sample_place(generator, pos, weight, pos_kept, size), 1.0
            first, last, other_weight, pos_kept = size, size + neg_kept, neg, max(pos_kept, place + 1)
        else:
            neg += weight
            place, sign = sample_place(generator, neg, weight, neg_kept, size), -1.0
            first, last, other_weight, neg_kept = 0, pos_kept, pos, max(neg_kept, place + 1)
        max_step = 0.5 * hyper.c * weight * max(1.0, other_weight / size)
        max_step = max_step / max_sqnorm if max_sqnorm > 0.0 else 0.0
        axpy(X, i, 1.0, x)
        move = update(X, kept, row_of_place[first:last], w, x, score, x2, sign, max_step)
        axpy2(X, i, move, w, -1.0, x)
        if place >= 0:
            row_of_place[size - first + place] = i
    return State(pos, neg, pos_kept, neg_kept), max_sqnorm, scores


@kernel
def gradient_epoch(hyper, state, model, kept, row_of_place, generator, data):
    return visit_rows(gradient, hyper, state, model, kept, row_of_place, generator, data)


@kernel
def sequential_epoch(hyper, state, model, kept, row_of_place, generator, data):
    return visit_rows(sequential, hyper, state, model, kept, row_of_place, generator, data)


@dataclass(eq=False, repr=False)
class OAM(OnlineAUCClassifierBase):
    r"""Hinge loss of pairs, each row against a random sample of earlier rows of the other class.

    .. math:: \min_w \; \frac{1}{2} \|w\|^2
              + C \sum_{i \in +,\, j \in -} \max\bigl(0, 1 - w^\top (x_i - x_j)\bigr)

    by passive-aggressive updates: there is no shrinkage, and the last iterate is the result. A row costs
    O(buffer_size times its non-zeros), and memory is that of twice buffer_size rows.
    ``AUCClassifier(loss="hinge", standardize=False)`` minimises this with its l2 equal to
    :math:`1/(C n_+ n_-)`, but one or a few passes of these updates do not reach its minimiser.
    ``score`` is AUC.

    Parameters
    ----------
    update : {"gradient", "sequential"}, default="gradient"
        "gradient" (OAMgra) makes one step along the sum over the buffered rows whose margin is at most 1;
        "sequential" (OAMseq) makes a step for each of them in turn, up to a margin of 1.
    C : float, default=0.001
        The longest step for one pair is C/2 in units of 1/κ², κ the largest row norm so far (1 for unit
        rows), and grows in proportion once the other class has had more rows than the buffer holds.
    buffer_size : int, default=100
        Rows kept of each class, the paper's N₊ and N₋. A row's weight multiplies its C and its probability
        of being kept.
    max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    P. Zhao, S. C. H. Hoi, R. Jin, T. Yang. Online AUC maximization. ICML 2011.
    """

    update: str = "gradient"
    _: KW_ONLY
    C: float = 0.001
    buffer_size: int = 100
    max_iter: int = 1

    _rules: ClassVar = {
        "update": one_of("gradient", "sequential"),
        "C": positive,
        "buffer_size": positive_integer,
    }
    _step_parameter = "C"

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=False), State(), Buffer(None, seed_state(self.random_state)))

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, buffer = cast(tuple[Model, State, Buffer], solver)
        n_features, n_places = len(model.u), 2 * self.buffer_size
        kept, row_of_place = kept_rows(buffer, data.X, n_places, n_features), -1 - np.arange(n_places)
        epoch = gradient_epoch if self.update == "gradient" else sequential_epoch
        hyper = Hyper(self.C, self.buffer_size)
        state, max_sqnorm, scores = epoch(hyper, state, model, kept, row_of_place, buffer.generator, data)
        model = model._replace(max_sqnorm=max_sqnorm).moved_to(model.u, scores)
        rows = replace_rows(kept, data.X, row_of_place, n_features)
        return Solver(model, state, buffer._replace(rows=rows))
