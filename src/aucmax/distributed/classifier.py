"""DaskAUCClassifier: the exact minimiser of a pair loss, over rows on many machines."""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import dask.array as da
import numpy as np
from dask import is_dask_collection
from dask.delayed import Delayed, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base import LinearAUCClassifier, NoProbabilities, restored_on_error
from ..batch.defaults import check_l2, default_l2
from ..batch.newton import Limits
from ..batch.reporting import progress_printer, verbose_rule, warn_not_converged
from ..batch.scaling import scaling_exponent, standardize_rule
from ..batch.solver import Penalty, Solution
from ..batch.threads import thread_map
from ..kernels.rows import as_rows, scores
from ..pairs.losses import Loss, get_loss, loss_rule
from ..pairs.push import push_loss, push_rule
from ..validation.columns import warn_of_constant_columns
from ..validation.parameters import (
    Rule,
    boolean,
    check_params,
    non_negative,
    one_of,
    positive,
    positive_integer,
)
from .dask_engine import watch_rounds
from .inputs import (
    DaskCollection,
    Table,
    align_partitions,
    check_collections,
    check_table,
    naming_partition,
    validate_rows,
    zip_partitions,
)
from .preparation import prepare_rows
from .problem import PartitionedRows
from .ranking import compute_auc

Self = TypeVar("Self", bound="DaskAUCClassifier")


class DaskAUCClassifier(LinearAUCClassifier):
    r"""`AUCClassifier` on Dask arrays and data frames: the same minimiser, with little traffic.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} \ell(w \cdot x_i - w \cdot x_j)
              + \frac{l_2}{2} \sum_k s_k^{2a} w_k^2

    with :math:`s_k` the spread of column k and a the exponent that `standardize` stands for. The sum over all
    pairs follows from the weights of both classes on a mesh of scores, a few thousand numbers that add up
    over partitions, to a relative error of some 1e-10. Newton's method takes five to ten steps of one round
    each; with more than 1024 features, one more for each step of conjugate gradients. If a worker leaves, its
    partitions are read again. The result does not depend on the partitions or on the number of workers, up
    to rounding. ``score`` is AUC.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, the score of a positive row less that of a negative one.
    l2 : float or "auto", default="auto"
        As in :class:`aucmax.AUCClassifier`.
    standardize : "auto", bool or float, default="auto"
        As in :class:`aucmax.AUCClassifier`; "auto" is 1/2 where every partition is CSR, else 1.
    push : float, default=1.0
        As in :class:`aucmax.AUCClassifier`: above 1, negatives at the top of the list count more.
    tol : float, default=3e-8
        Stop when ``optimality_`` is at most this. With more than 1024 features a looser one saves rounds.
    max_iter : int, default=100
        Maximum number of Newton steps.
    persist : "auto" or bool, default="auto"
        Whether the workers keep the rows in memory. "auto" keeps them if they take at most half of it. Rows
        that are not kept are read again in each pass, two for each Newton step.
    verbose : int, default=0
        Print a line for each Newton step; on a terminal, also show the round that runs, if rich is
        installed.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Chosen so that ``predict`` has the best balanced accuracy on the training rows; of more than 65,536
        rows, among thresholds between the scores of a sample.
    classes_ : ndarray of shape (2,)
    l2_ : float
        The weight of the penalty that was used.
    feature_scale_ : ndarray of shape (n_features,)
        The spread of each column.
    objective_ : float
    optimality_ : float
        As in :class:`aucmax.AUCClassifier`.
    n_iter_ : int
        Newton steps taken.
    n_rounds_ : int
        Rounds over the partitions, after the labels; of rows that are not kept, passes over them.
    bytes_ : int
        Size of the numbers that were sent to the partitions and returned by them; an upper bound of the
        traffic, since partitions on one worker share what is sent, and add up what they return.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if X was a data frame with named columns.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax.distributed import DaskAUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    >>> model = DaskAUCClassifier().fit(X, y)
    >>> print(f"{model.score(X, y):.3f}")
    0.99...
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "loss": loss_rule,
        "l2": non_negative | one_of("auto"),
        "standardize": standardize_rule,
        "push": push_rule,
        "tol": positive,
        "max_iter": positive_integer,
        "persist": one_of("auto") | boolean,
        "verbose": verbose_rule,
    }

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        l2: float | str = "auto",
        standardize: bool | float | str = "auto",
        push: float = 1.0,
        tol: float = 3e-8,
        max_iter: int = 100,
        persist: bool | str = "auto",
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.standardize = standardize
        self.push = push
        self.tol = tol
        self.max_iter = max_iter
        self.persist = persist
        self.verbose = verbose

    def fit(
        self: Self, X: DaskCollection, y: DaskCollection, sample_weight: DaskCollection | None = None
    ) -> Self:
        """Learn from all partitions, on the cluster of the current Dask client, or on threads without one.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask data frame
            Blocks are numpy arrays or CSR matrices.
        y : dask array or series of shape (n_samples,)
            Two labels; the second in sorted order is the positive class.
        sample_weight : dask array or series of shape (n_samples,), optional
            A pair counts the product of its weights.

        Returns
        -------
        self
        """
        check_params(self)
        check_collections("aucmax.AUCClassifier", X=X, y=y, sample_weight=sample_weight)
        # One thread, as on cluster workers: with more, BLAS adds in another order.
        watched = watch_rounds(type(self).__name__, self.verbose)
        with restored_on_error(self), thread_map(1), watched as watch:
            self._check_columns(X, reset=True)
            n_features, persist = self.n_features_in_, self.persist
            self.classes_, rows, engine = prepare_rows(X, y, sample_weight, n_features, persist, watch)
            self.feature_scale_ = rows.spread
            if not rows.sparse:
                warn_of_constant_columns(self, self.feature_scale_)
            self._fit(rows)
            self.n_rounds_, self.bytes_ = engine.n_rounds, engine.n_bytes
        return self

    def _fit(self, rows: PartitionedRows) -> None:
        loss = push_loss(get_loss(self.loss), self.push, type(self).__name__)
        problem = rows.problem(scaling_exponent(self.standardize, rows.sparse))
        auto = default_l2(loss, problem.moments, float(rows.class_weight.min()))
        self.l2_ = auto if isinstance(self.l2, str) else float(self.l2)
        check_l2(self, loss, self.l2_)
        limits = Limits(self.tol, self.max_iter, progress_printer(self))
        solution = problem.solve(loss, Penalty(self.l2_), limits)
        coef = problem.products.coef(solution.w)
        self._accept(solution, coef, rows.threshold(coef))

    def _accept(self, solution: Solution, coef: np.ndarray, threshold: float) -> None:
        self.objective_, self.optimality_ = float(solution.objective), float(solution.optimality)
        self.n_iter_ = max(1, solution.n_iter)
        self._set_coef(coef, threshold)
        if not solution.converged:
            warn_not_converged(self, "max_iter, tol or l2")

    predict_proba: Any = NoProbabilities("DaskAUCClassifierCV, which calibrates on its folds")
    predict_log_proba: Any = predict_proba

    def _check_columns(self, X: DaskCollection, *, reset: bool) -> None:
        """Check the number and names of columns, as scikit-learn does, before anything is computed."""
        check_table(X)
        validate_data(self, X if isinstance(X, da.Array) else X._meta, reset=reset, skip_check_array=True)

    def decision_function(self, X: Any) -> Any:
        """Score each row; the scores of Dask data are a lazy Dask array."""
        if not is_dask_collection(X):
            return super().decision_function(X)
        check_is_fitted(self)
        check_collections("aucmax.AUCClassifier", X=X)
        self._check_columns(X, reset=False)
        if isinstance(X, da.Array):
            settings = {"w": self.coef_[0], "intercept": self.intercept_[0], "meta": np.empty(0)}
            return X.rechunk({1: -1}).map_blocks(_score_partition, **settings, drop_axis=1, dtype=np.float64)
        parts = self._score_partitions([row[0] for row in zip_partitions(X)])
        return da.concatenate([da.from_delayed(part, (np.nan,), np.float64) for part in parts])

    def _score_partitions(self, parts: Sequence[Delayed]) -> list[Delayed]:
        w, intercept = delayed(self.coef_[0], pure=False), self.intercept_[0]  # sent once, not with each task
        return [
            delayed(_score_partition, pure=False)(part, w, intercept, (k,)) for k, part in enumerate(parts)
        ]

    def predict(self, X: Any) -> Any:
        """Label each row; the labels of Dask data are a lazy Dask array."""
        if not is_dask_collection(X):
            return super().predict(X)
        decision, classes = self.decision_function(X), self.classes_
        return decision.map_blocks(
            lambda score: classes[(score > 0).astype(int)], dtype=classes.dtype, meta=classes[:0]
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Area under the ROC curve on the given rows; ties count one half."""
        if not is_dask_collection(X):
            return super().score(X, y, sample_weight)
        check_is_fitted(self)
        check_collections("aucmax.AUCClassifier", X=X, y=y, sample_weight=sample_weight)
        self._check_columns(X, reset=False)
        rows, *rest = zip(*align_partitions(False, X=X, y=y, sample_weight=sample_weight), strict=True)
        return compute_auc(list(zip(self._score_partitions(rows), *rest, strict=True)), self.classes_)


def _score_partition(rows: Table, w: np.ndarray, intercept: float, block_id: tuple[int, ...]) -> np.ndarray:
    """Scores of one partition; ``map_blocks`` of an array passes ``block_id`` itself."""
    with naming_partition(block_id[0]):
        return scores(as_rows(validate_rows(rows, len(w))), w) + intercept
