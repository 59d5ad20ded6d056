"""OAM: online AUC maximisation (Zhao, Hoi, Jin and Yang, 2011).

Each row is compared with a sample of earlier rows of the other class, kept by reservoir sampling.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from ..kernels.random import seed_state, uniform
from ..kernels.rows import Rows, axpy, axpy2, blank, dot, probe, read_only, refilled
from ..validation.parameters import one_of, positive, whole
from .engine.estimator import OnlineAUCClassifierBase, Solver
from .engine.model import MEMORY, Data, Model, inner_product, update_mean_scores


class Hyper(NamedTuple):
    c: float
    size: int


class State(NamedTuple):
    """Weights of positives and negatives seen, and how many of each are in the buffer."""

    pos: float = 0.0
    neg: float = 0.0
    pos_kept: int = 0
    neg_kept: int = 0


class Buffer(NamedTuple):
    """The rows kept, first the positives' places, then the negatives'; and the generator's state."""

    rows: Rows | None
    generator: np.ndarray


@inlined
def place(generator, seen, weight, kept, size):
    """Where a row goes in its class's buffer: the next free place, a random one, or nowhere (-1)."""
    if kept < size:
        return kept
    at = int(uniform(generator) * seen / weight)  # below size with the reservoir's probability
    return at if at < size else -1


@inlined
def products(X, at, u, v):
    return probe(X, at, u, v)


@inlined
def look_up(X, kept, at, u, v):
    """``probe`` of a buffered row: one of this chunk's, or (where negative) one kept from before."""
    if at >= 0:
        return products(X, at, u, v)
    return products(kept, -1 - at, u, v)


@inlined
def add_row(X, kept, at, c, u):
    """``u += c`` times a buffered row."""
    if at >= 0:
        axpy(X, at, c, u)
    else:
        axpy(kept, -1 - at, c, u)


@inlined
def gradient(X, kept, others, w, row, score, x2, sign, cap):
    """Step against all kept rows whose pair with this one has a margin of at most 1, w fixed meanwhile."""
    short = np.zeros(len(others), dtype=np.bool_)
    for k in range(len(others)):
        inner, _, _ = look_up(X, kept, others[k], w, row)
        short[k] = sign * (score - inner) <= 1.0
    total = 0.0
    for k in range(len(others)):
        if short[k]:
            total += sign * cap
            add_row(X, kept, others[k], -sign * cap, w)
    return total


@inlined
def sequential(X, kept, others, w, row, score, x2, sign, cap):
    """Step against one kept row after the other, each just far enough for a margin of 1.

    ``w`` lacks ``total`` times the row itself until the end; ``score`` is that of ``w`` as it is.
    """
    total = 0.0
    for k in range(len(others)):
        inner, cross, z2 = look_up(X, kept, others[k], w, row)
        loss = 1.0 - sign * (score + total * x2 - inner - total * cross)
        distance = x2 + z2 - 2.0 * cross
        if loss > 0.0 and distance > 0.0:
            step = sign * min(cap, loss / distance)
            total += step
            score -= step * cross
            add_row(X, kept, others[k], -step, w)
    return total


@inlined
def learn(update, hyper, state, model, kept, source, generator, data):
    """Update against the other class's buffer, then let the row into its own."""
    pos, neg, pos_kept, neg_kept = state
    w, v, _, _, _, _, _, kappa2, scores, seen = model
    X, y, size, row = data.X, data.y, hyper.size, np.zeros(len(w))
    for i in data.order:
        score, x2 = dot(X, i, w)
        kappa2, weight = max(kappa2, x2), abs(y[i])
        scores = update_mean_scores(scores, score, y[i] > 0.0, weight, MEMORY)
        if y[i] > 0.0:
            pos += weight
            at, sign, others, so_far = place(generator, pos, weight, pos_kept, size), 1.0, size, neg
            last, pos_kept = size + neg_kept, max(pos_kept, at + 1)
        else:
            neg += weight
            at, sign, others, so_far = place(generator, neg, weight, neg_kept, size), -1.0, 0, pos
            last, neg_kept = pos_kept, max(neg_kept, at + 1)
        cap = 0.5 * hyper.c * weight * max(1.0, so_far / size) / kappa2 if kappa2 > 0.0 else 0.0
        axpy(X, i, 1.0, row)
        move = update(X, kept, source[others:last], w, row, score, x2, sign, cap)
        axpy2(X, i, move, w, -1.0, row)
        if at >= 0:
            source[size - others + at] = i
        seen += 1
    square = inner_product(w, w)
    model = Model(w, v, np.inf, 1.0, square, 0.0, 0.0, kappa2, scores, seen)
    return State(pos, neg, pos_kept, neg_kept), model


@kernel
def gradient_pass(hyper, state, model, kept, source, generator, data):
    return learn(gradient, hyper, state, model, kept, source, generator, data)


@kernel
def sequential_pass(hyper, state, model, kept, source, generator, data):
    return learn(sequential, hyper, state, model, kept, source, generator, data)


class OAM(OnlineAUCClassifierBase):
    r"""Hinge loss of pairs, each row against a random sample of earlier rows of the other class.

    .. math:: \min_w \; \frac{1}{2} \|w\|^2
              + C \sum_{i \in +,\, j \in -} \max\bigl(0, 1 - w^\top (x_i - x_j)\bigr)

    in the way of passive-aggressive updates: there is no shrinkage, and the last iterate is the result. A
    row costs O(buffer_size times its non-zeros), and memory is that of twice buffer_size rows.
    ``AUCClassifier(loss="hinge")`` minimises this with its l2 equal to 1/(C n_+ n_-), but one or a few
    passes of these updates are not its minimiser. ``score`` is AUC.

    Parameters
    ----------
    update : {"gradient", "sequential"}, default="gradient"
        "gradient" (OAMgra) steps once along the sum over the buffer's rows in violation; "sequential"
        (OAMseq) goes from one to the next, as far as a margin of 1 needs.
    C : float, default=0.001
        The longest step for one pair is C/2 in units of 1/κ², κ the largest row norm so far (1 for unit
        rows), and grows in proportion once the other class has had more rows than the buffer holds.
    buffer_size : int, default=100
        Rows kept of each class, the paper's N₊ and N₋. A row's weight multiplies its C and its chance to be
        kept.
    max_iter : int, default=1
        Passes of ``fit``.
    tol : float or None, default=None
        Stop when a pass moves the weights by at most ``tol`` of their norm; None makes all passes.
    shuffle : bool, default=True
        Visit the rows of ``fit`` in a new random order in each pass.
    warm_start : bool, default=False
        Start ``fit`` from the weights of the last one.
    random_state : int, RandomState or None, default=None
        Seed of the visits, and of the sample.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Puts the decision midway between the running mean scores of the classes.
    classes_ : ndarray of shape (2,)
    n_iter_ : int
        Passes made.

    References
    ----------
    P. Zhao, S. C. H. Hoi, R. Jin, T. Yang. Online AUC maximization. ICML 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import normalize, scale
    >>> from aucmax import OAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = normalize(scale(X))
    >>> print(f"{OAM(random_state=0).fit(X, y).score(X, y):.3f}")
    0.99...
    """

    _rules = {
        name: rule
        for name, rule in OnlineAUCClassifierBase._rules.items()
        if name not in ("average", "step_size")
    } | {"update": one_of("gradient", "sequential"), "C": positive, "buffer_size": whole}
    _step_parameter = "C"

    def __init__(
        self,
        update: str = "gradient",
        *,
        C: float = 0.001,
        buffer_size: int = 100,
        max_iter: int = 1,
        tol: float | None = None,
        shuffle: bool = True,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.update = update
        self.C = C
        self.buffer_size = buffer_size
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.random_state = random_state

    def _start(self, w: np.ndarray) -> Solver:
        return Solver(Model.at(w, average=False), State(), Buffer(None, seed_state(self.random_state)))

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model, state, (rows, generator) = solver
        kept = blank(data.X, 2 * self.buffer_size, len(model.u)) if rows is None else read_only(rows)
        source = -1 - np.arange(2 * self.buffer_size)
        run = gradient_pass if self.update == "gradient" else sequential_pass
        state, model = run(Hyper(self.C, self.buffer_size), state, model, kept, source, generator, data)
        return Solver(model, state, Buffer(refilled(kept, data.X, source, len(model.u)), generator))
