"""OnlineAUCClassifier: any convex pair loss in one pass, by tracked Bernstein moments.

A row needs only how its score stands to the other class's scores so far, and a few running means of
Bernstein polynomials say that for any loss.
"""

from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..kernels.rows import CSR
from ..pairs.losses import Loss, get_loss, loss_rule
from ..stochastic.engine.estimator import OnlineAUCClassifierBase, Solver
from ..stochastic.engine.loop import Data
from ..validation.parameters import Rule, boolean, generator, non_negative, nothing, one_of, positive, whole
from .class_moments import Hyper, Moments, State, loss_tables
from .dense_columns import DenseColumns, dense_epoch
from .sparse_columns import SparseColumns, sparse_epoch

half_life_rule = Rule(lambda value: positive.allows(value) and value >= 1, "a finite number of at least 1")
degree_rule = Rule(lambda value: whole.allows(value) and value <= 1000, "a whole number from 1 to 1000")


class StreamModel(NamedTuple):
    """Weights and running statistics; ``columns`` is None before the first row."""

    n_features: int
    columns: DenseColumns | SparseColumns | None
    moments: Moments
    state: State

    def weights(self, at: np.ndarray | slice = slice(None), average: bool = True) -> np.ndarray:
        """Weights for rows as they are given, of some columns, by the average or the last iterate."""
        s = self.state
        if self.columns is None or s.average_weight == 0.0:
            return np.zeros(self.n_features)[at]
        if average:
            return self.columns.weights(s, at, s.average_offset / s.average_weight, 1.0 / s.average_weight)
        return self.columns.weights(s, at, 1.0 / s.forget_scale, 0.0)

    def last(self) -> np.ndarray:
        """The last iterate."""
        return self.weights(average=False)

    def result(self) -> np.ndarray:
        """The mean of the iterates, the newer the heavier."""
        return self.weights()

    def append_columns(self, extra: int) -> "StreamModel":
        """The same model with columns added that were zero in all rows so far."""
        columns = None if self.columns is None else self.columns.append(extra)
        return self._replace(n_features=self.n_features + extra, columns=columns)

    def threshold(self) -> float:
        """Midway between the classes' mean scores; the one mean while only one is known."""
        both = self.state.pos_rows > 0 and self.state.neg_rows > 0
        middle = (0.5 if both else 1.0) * (self.state.pos_score + self.state.neg_score)
        if isinstance(self.columns, DenseColumns):
            middle += float((self.result() * self.columns.mean).sum())
        return middle


class OnlineAUCClassifier(OnlineAUCClassifierBase):
    r"""Any convex pair loss from a stream: one pass, fixed memory, nothing to tune.

    .. math:: \min_w \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \ell\bigl(w^\top (x_i - x_j)\bigr) + \frac{\mathtt{l2}}{2} \|w\|^2

    Each class keeps the running mean of a Bernstein basis of its scores, ``degree + 1`` numbers,
    from which the derivative of the loss over all pairs with a new row follows without a buffer of
    past rows. Steps are divided by the root of the sum of squared gradients: one sum where columns are
    standardised, one for each column elsewhere. A row costs O(its non-zeros + ``degree``), and memory is
    O(features + ``degree``). The model is the mean of the iterates, iterate t with weight t.
    ``score`` is AUC.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, the score of a positive row less that of a negative one.
    step_size : float, default=0.4
        Size of the steps: step t of a weight is about ``step_size * t**(-1/4)``. Where columns are
        standardised, it is longer the more alike they are: times the root of their number over the
        number of directions the rows take, which is estimated from inner products of rows.
    score_range : float, default=4.0
        Where the loss is taken, scores are clipped to this distance from the middle of the classes. Where
        the classes' mean scores are more than 3/4 of the range apart, range and loss are stretched.
    degree : int, default=15
        Degree of the polynomials that stand for the loss, at most 1000. A low degree follows a bend of
        the loss only roughly, which costs little AUC but makes scores larger than the minimiser's.
    l2 : float, default=0.0
        Penalty on the weights of the rows as they are learnt from: standardised and divided by
        the root of the number of features, or divided by the mean row norm.
    center : {"auto", True, False}, default="auto"
        Whether columns are standardised, by running means and variances; the result is folded
        into ``coef_``. That makes rows dense, so "auto" does it for dense rows only, which need no
        scaling beforehand. Sparse rows are divided by their running mean norm. Their columns stay as
        they are, as suits words, but for those with values over 64 times larger than usual, or that
        start with one as much smaller: they are brought within a factor of 8 of the usual size.
    half_life : float, optional
        For streams that drift: number of rows, at least 1, after which a row counts half in
        everything that is kept, the weights included: it should hold some 100 rows of the rarer class. By
        default nothing is forgotten, and steps get smaller for ever.
    max_iter : int, default=1
        Passes of ``fit``.
    shuffle : bool, default=True
        Visit the rows of ``fit`` in a new random order in each pass.
    random_state : int, RandomState or None, default=None
        Seed of the visits.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Puts the decision midway between the running mean scores of the classes.
    classes_ : ndarray of shape (2,)
    auc_ : float
        AUC of the scores that rows had before they were learnt from (prequential AUC), in units of the
        range then; later passes of ``fit`` left out. It is counted in 2048 bins, in which scores count as
        ties. With ``half_life``, older rows count less. NaN until both classes have come, and once the
        rows of one are forgotten.
    n_seen_ : int
        Rows learnt from.
    class_count_ : ndarray of shape (2,)
        The same by class, in the order of ``classes_``.
    n_iter_ : int
        Passes made.

    Notes
    -----
    Values beyond 30 standard deviations, and rows longer than 30 mean row norms, are cut back to
    that when they are learnt from, so that a broken row cannot ruin the model. Where columns are
    standardised, a row over twice as long as usual takes a step as much shorter as its square is larger.
    Columns whose values are all beyond 1e150 or below 1e-150 in size teach nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import OnlineAUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OnlineAUCClassifier(random_state=0).fit(X, y)
    >>> print(f"{model.score(X, y):.3f}, before learning {model.auc_:.2f}")
    0.99..., before learning 0.9...
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "loss": loss_rule,
        "step_size": positive,
        "score_range": positive,
        "degree": degree_rule,
        "l2": non_negative,
        "center": boolean | one_of("auto"),
        "half_life": half_life_rule | nothing,
        "max_iter": whole,
        "shuffle": boolean,
        "random_state": generator,
    }
    # What the other methods take as parameters is settled here.
    tol = None
    warm_start = False

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        step_size: float = 0.4,
        score_range: float = 4.0,
        degree: int = 15,
        l2: float = 0.0,
        center: bool | str = "auto",
        half_life: float | None = None,
        max_iter: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.step_size = step_size
        self.score_range = score_range
        self.degree = degree
        self.l2 = l2
        self.center = center
        self.half_life = half_life
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    @property
    def auc_(self) -> float:
        return self._known("auc_").moments.auc()

    @property
    def n_seen_(self) -> int:
        return self._known("n_seen_").state.rows

    @property
    def class_count_(self) -> np.ndarray:
        state = self._known("class_count_").state
        return np.array([state.neg_rows, state.pos_rows])

    def _known(self, name: str) -> StreamModel:
        """The model, for the attribute called ``name``: a model file keeps its weights only."""
        check_is_fitted(self)
        if not hasattr(self, "_solver"):
            raise AttributeError(
                f"This OnlineAUCClassifier comes from a model file, which holds the weights only, no {name}; "
                "to keep it, use a checkpoint (aucmax.io.save_checkpoint, aucmax.io.load_checkpoint)."
            )
        return cast(StreamModel, self._solver.model)

    def _start(self, w: np.ndarray) -> Solver:
        model = StreamModel(len(w), None, Moments.zeros(self.degree), State())
        return Solver(model, model.state)

    def _pass(self, solver: Solver, data: Data) -> Solver:
        model = cast(StreamModel, solver.model)
        return self._visit(model, data, count_prequential=model.state.rows == 0)

    def _chunk(self, solver: Solver, data: Data) -> Solver:
        return self._visit(cast(StreamModel, solver.model), data, count_prequential=True)

    def _visit(self, model: StreamModel, data: Data, count_prequential: bool) -> Solver:
        columns, length = self._prepare_columns(model, data), 2.0 * self.score_range
        keep = 1.0 if self.half_life is None else 0.5 ** (1.0 / self.half_life)
        tables = loss_tables(get_loss(self.loss), self.degree, length)
        hyper = Hyper(float(self.step_size), float(self.l2), keep, length, count_prequential, *tables)
        if isinstance(columns, DenseColumns):
            state = dense_epoch(hyper, model.state, model.moments, columns, data)
            return Solver(model._replace(columns=columns, state=state), state)
        state, done = sparse_epoch(hyper, model.state, model.moments, columns, data)
        if done < len(data.order):  # the first column to rescale
            columns = columns._replace(sizes=np.zeros((model.n_features, 2)))
            model = model._replace(columns=columns, state=state)
            return self._visit(model, data.in_order(data.order[done:]), count_prequential)
        return Solver(model._replace(columns=columns, state=state), state)

    def _prepare_columns(self, model: StreamModel, data: Data) -> DenseColumns | SparseColumns:
        """The columns of the model; the first rows decide whether they are standardised."""
        is_csr, columns = isinstance(data.X, CSR), model.columns
        if is_csr and (self.center is True or isinstance(columns, DenseColumns)):
            raise ValueError(
                "OnlineAUCClassifier: sparse rows cannot be standardised without making them dense. "
                "Give dense rows, or center=False from the first row on."
            )
        if columns is None:
            standardised = not is_csr and self.center is not False
            columns = (DenseColumns if standardised else SparseColumns).zeros(model.n_features)
        if isinstance(columns, SparseColumns) and self.l2 > 0.0 and not len(columns.seen):
            columns = columns._replace(seen=np.full(model.n_features, float(model.state.rows)))
        return columns
