"""DaskAUCClassifier: minimise a pair loss over rows on many machines."""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import dask.array as da
import numpy as np
from dask import is_dask_collection
from dask.delayed import Delayed, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base import LinearAUCClassifier, restored_on_error
from ..batch.defaults import check_l2, default_l2
from ..batch.moments import Moments, relative_gradient_norm
from ..batch.newton import Limits, Result, minimise
from ..batch.reporting import progress_printer, verbose_rule, warn_not_converged
from ..batch.scaling import column_factor, column_spread, scaling_exponent, standardize_rule
from ..batch.threads import thread_map
from ..kernels.rows import as_rows, scores
from ..pairs.losses import Loss, get_loss, loss_rule
from ..validation.columns import warn_of_constant_columns
from ..validation.parameters import Rule, check_params, non_negative, one_of, positive, whole
from .alignment import align_partitions, zip_partitions
from .inputs import DaskCollection, Table, check_collections, check_table, naming_partition, validate_rows
from .labels import LabelWeights, sum_class_weights
from .moments import class_moments
from .objective import Objective
from .partitions import PartitionedRows, has_csr_rows
from .ranking import compute_auc
from .threshold import balanced_threshold

Self = TypeVar("Self", bound="DaskAUCClassifier")

any_degree = Rule(lambda value: whole.allows(value) and 2 <= value <= 1000, "a whole number from 2 to 1000")


class DaskAUCClassifier(LinearAUCClassifier):
    r"""Minimise a convex pair loss on Dask arrays and data frames, with little traffic between workers.

    .. math:: \min_w \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              B\ell\bigl(w^\top (x_i - x_j)\bigr) + \frac{\mathtt{l2}}{2} \sum_k s_k^{2a} w_k^2

    with Bℓ the Bernstein polynomial of the loss, which is closer to it the higher the degree, :math:`s_k` the
    spread of column k and a the exponent that `standardize` stands for. The mean over all pairs of rows then
    follows from ``degree + 1`` numbers for each class that add up over partitions, without a sort and without
    scores on the network. Newton's method takes about five steps of three rounds each; with more than 1024
    features, two more for each step of conjugate gradients. If a worker leaves, its partitions are read
    again. The result does not depend on the number of workers. ``score`` is AUC.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, the score of a positive row less that of a negative one.
    l2 : float or "auto", default="auto"
        As in :class:`aucmax.AUCClassifier`.
    standardize : "auto", bool or float, default="auto"
        As in :class:`aucmax.AUCClassifier`; "auto" is 1/2 where every partition is CSR, else 1.
    degree : int, default=100
        Degree of the polynomials, from 2 to 1000. They smooth the loss over a width of
        ``2 * score_range / sqrt(degree)``, which makes scores larger and changes the direction of the
        weights a little.
    score_range : float, default=4.0
        The polynomials approximate the loss for scores within this distance of the midpoint between the
        class means. A score farther out on the correct side counts as the nearest one in the range; on the
        wrong side the loss is continued by its tangent.
    tol : float, default=1e-4
        Stop when ``optimality_`` is at most this.
    max_iter : int, default=100
        Maximum number of Newton steps.
    verbose : int, default=0
        Print a line for each Newton step.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Chosen so that ``predict`` has the best balanced accuracy on the training rows, among 256 quantiles
        of each partition's scores.
    classes_ : ndarray of shape (2,)
    l2_ : float
        The weight of the penalty that was used.
    feature_scale_ : ndarray of shape (n_features,)
        The spread of each column.
    objective_ : float
    optimality_ : float
        Norm of the gradient relative to that at zero weights, in plain and in scaled columns, the larger.
    n_iter_ : int
        Newton steps taken.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
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
        "degree": any_degree,
        "score_range": positive,
        "tol": positive,
        "max_iter": whole,
        "verbose": verbose_rule,
    }

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        l2: float | str = "auto",
        standardize: bool | float | str = "auto",
        degree: int = 100,
        score_range: float = 4.0,
        tol: float = 1e-4,
        max_iter: int = 100,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.standardize = standardize
        self.degree = degree
        self.score_range = score_range
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(
        self: Self, X: DaskCollection, y: DaskCollection, sample_weight: DaskCollection | None = None
    ) -> Self:
        """Learn from all partitions, on the cluster of the current Dask client, or on threads without one.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask data frame
            Blocks are numpy arrays or CSR matrices; they are kept in the workers' memory.
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
        with restored_on_error(self), thread_map(1):
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: DaskCollection, y: DaskCollection, sample_weight: DaskCollection | None) -> None:
        self._check_columns(X, reset=True)
        loss, partitions = get_loss(self.loss), align_partitions(X=X, y=y, sample_weight=sample_weight)
        totals = sum_class_weights([part[1:] for part in partitions])
        rows = PartitionedRows(partitions, totals, self.n_features_in_)
        del partitions  # the workers keep the validated rows only
        moments, factor = self._measure_columns(rows, totals)
        auto = default_l2(loss, moments.scaled(factor), totals.weight.min())
        l2 = auto if isinstance(self.l2, str) else float(self.l2)
        check_l2(self, loss, l2)
        gradient_norm = relative_gradient_norm(moments.scaled(factor), loss, l2)
        objective = Objective(rows, loss, self.degree, l2, moments.centre, factor, 2.0 * self.score_range)
        result = minimise(
            objective,
            objective.at(np.zeros(rows.n_features)),
            gradient_norm,
            lambda point: point.precondition(gradient_norm.scale),
            Limits(self.tol, self.max_iter, progress_printer(self)),
        )
        self.classes_, self.l2_ = totals.labels, l2
        self._accept(result, result.point.w * factor, rows)

    def _measure_columns(self, rows: PartitionedRows, totals: LabelWeights) -> tuple[Moments, np.ndarray]:
        """Moments of the columns as given, and what to multiply them by."""
        moments, sparse = class_moments(rows), all(rows.collect(has_csr_rows))
        self.feature_scale_ = column_spread(moments, float(totals.weight[1] / totals.weight.sum()), sparse)
        if not sparse:
            warn_of_constant_columns(self, self.feature_scale_)
        return moments, column_factor(self.feature_scale_, scaling_exponent(self.standardize, sparse))

    def _accept(self, result: Result, coef: np.ndarray, rows: PartitionedRows) -> None:
        self.objective_, self.optimality_ = float(result.point.value), float(result.optimality)
        self.n_iter_ = max(1, result.n_iter)
        self._set_coef(coef, balanced_threshold(rows, coef))
        if not result.converged:
            warn_not_converged(self, "score_range, max_iter, tol or l2")

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
        rows, *rest = zip(*align_partitions(X=X, y=y, sample_weight=sample_weight), strict=True)
        return compute_auc(list(zip(self._score_partitions(rows), *rest, strict=True)), self.classes_)


def _score_partition(rows: Table, w: np.ndarray, intercept: float, block_id: tuple[int, ...]) -> np.ndarray:
    """Scores of one partition; ``map_blocks`` of an array passes ``block_id`` itself."""
    with naming_partition(block_id[0]):
        return scores(as_rows(validate_rows(rows, len(w))), w) + intercept
