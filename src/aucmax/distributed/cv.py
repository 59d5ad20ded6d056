"""DaskAUCClassifierCV: penalty, push and scaling of sparse columns by cross-validation on many machines."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from dask import is_dask_collection

from ..base import ProbabilityMixin
from ..batch.choosing import SettingSearch
from ..batch.defaults import default_l2
from ..batch.newton import Limits
from ..batch.reporting import progress_printer, warn_at_edge
from ..batch.search import L2Search, l2s_rule, pushes_rule, pushes_to_try
from ..batch.solver import Penalty, Problem
from ..batch.splits import selection_max_fpr
from ..metrics.partial import max_fpr_rule
from ..pairs.losses import Loss, get_loss
from ..pairs.push import push_loss
from ..validation.parameters import Rule, boolean, is_whole, one_of
from .classifier import DaskAUCClassifier
from .folds import Folds
from .problem import PartitionedRows

n_folds_rule = Rule(lambda value: is_whole(value) and value >= 2, "a whole number of at least 2")


class DaskAUCClassifierCV(SettingSearch, ProbabilityMixin, DaskAUCClassifier):
    r"""`AUCClassifierCV` on Dask arrays and data frames: `l2`, `push` and `standardize` by cross-validation.

    .. math:: \Bigl(\frac{1}{n_-} \sum_{j-}
              \Bigl(\frac{1}{n_+} \sum_{i+} \ell(w \cdot x_i - w \cdot x_j)\Bigr)^p \Bigr)^{1/p}
              + \frac{l_2}{2} \sum_k s_k^{2a} w_k^2

    Settings are judged by AUC on the rows held out, or with `max_fpr` by partial AUC, and chosen as by
    :class:`aucmax.AUCClassifierCV`. A fold is a random part of every partition, chosen by the places of its
    rows, and not stratified by class: for many rows it need not be. All folds, and as many values of `l2` as
    the size of a round allows, are fitted at the same time and share rounds. Held-out scores are counted in
    4,096 cells of about equal weight, from which AUC follows to some 1e-6. ``score`` is AUC. Probabilities of
    the rows of Dask data are a lazy Dask array of two columns.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, the score of a positive row less that of a negative one.
    l2s : int or list of float, default=13
        Values to try, or how many, as in :class:`aucmax.AUCClassifierCV`.
    cv : int, default=5
        Number of folds.
    max_fpr : float, optional
        Judge by the area under the ROC curve up to this false positive rate, in (0, 1], standardised.
    pushes : "auto" or list of float, default="auto"
        Values of `push` to try, each at least 1. "auto" is 1, 2, 4 and 8 with `max_fpr`, else only 1.
    calibration : {"auto", "sigmoid"}, default="auto"
        How probabilities follow from scores, as in :class:`aucmax.AUCClassifierCV`.
    one_se : bool, default=False
        Take the largest `l2` whose mean AUC is within one standard error of the best instead.
    standardize : "auto", bool or float, default="auto"
        As in :class:`aucmax.AUCClassifierCV`; "auto" is 1, and chosen among 1/2, 3/4 and 1 where every
        partition is CSR.
    tol, max_iter, persist, verbose
        As in :class:`DaskAUCClassifier`; folds are fitted to 0.0002 at the tightest.

    Attributes
    ----------
    l2_, l2s_, scores_, standardize_, push_, calibration_, held_out_, coef_se_
        As in :class:`aucmax.AUCClassifierCV`.
    intercept_ : ndarray of shape (1,)
        Puts the decision where both classes are equally likely, so that `predict` gives the likelier class.
    coef_, classes_, feature_scale_, objective_, optimality_, n_iter_, n_rounds_, bytes_, n_features_in_
        As in :class:`DaskAUCClassifier`.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax.distributed import DaskAUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(200, -1)), da.from_array(y, chunks=200)
    >>> model = DaskAUCClassifierCV(l2s=5, cv=3).fit(X, y)
    >>> print(f"{model.score(X, y):.3f}")
    0.99...
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **{name: rule for name, rule in DaskAUCClassifier._rules.items() if name not in ("l2", "push")},
        "l2s": l2s_rule,
        "cv": n_folds_rule,
        "max_fpr": max_fpr_rule,
        "pushes": pushes_rule,
        "calibration": one_of("auto", "sigmoid"),
        "one_se": boolean,
    }

    coef_se_: np.ndarray

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        l2s: Any = 13,
        cv: int = 5,
        max_fpr: float | None = None,
        pushes: Any = "auto",
        calibration: str = "auto",
        one_se: bool = False,
        standardize: bool | float | str = "auto",
        tol: float = 3e-8,
        max_iter: int = 100,
        persist: bool | str = "auto",
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.l2s = l2s
        self.cv = cv
        self.max_fpr = max_fpr
        self.pushes = pushes
        self.calibration = calibration
        self.one_se = one_se
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.persist = persist
        self.verbose = verbose

    def _fit(self, rows: PartitionedRows) -> None:
        pushes, name = pushes_to_try(self.pushes, self.max_fpr), type(self).__name__
        losses = {push: push_loss(get_loss(self.loss), push, name) for push in pushes}
        rarest = float(rows.class_weight.min())
        limits, folds = Limits(self.tol, self.max_iter), Folds(rows, int(self.cv))
        max_fpr = (
            None if self.max_fpr is None else selection_max_fpr(self.max_fpr, folds.fewest_negatives, name)
        )

        def search(problem: Problem, push: float) -> L2Search:
            return L2Search(problem, losses[push], partial(folds.cross_validate, max_fpr), limits)

        def choose(search: L2Search) -> int:
            if self.one_se:
                return search.largest_within_error()
            return search.nearest(default_l2(search.loss, search.problem.moments, rarest))

        found = self._search(rows, list(losses), search, choose)
        best = choose(found)
        self.l2s_, self.scores_, self.l2_ = found.l2s, found.scores, float(found.l2s[best])
        limits, problem = limits._replace(report=progress_printer(self)), found.problem
        solution = problem.solve(found.loss, Penalty(self.l2_), limits, found.coefs[best])
        middle = self._calibrate(*np.split(found.held_out[best], 2))
        # The jackknife for folds that each leave one part of cv out.
        self.coef_se_ = problem.products.coef(np.sqrt((self.cv - 1.0) * found.variances[best]))[None]
        centre = float(np.sum(problem.moments.centre * solution.w))
        self._accept(solution, problem.products.coef(solution.w), centre + middle)
        warn_at_edge(self, best)

    def _probabilities(self, X: Any, method: str, function: Callable = np.asarray) -> Any:
        """A function of the probabilities of both classes; of Dask data a lazy Dask array."""
        if not is_dask_collection(X):
            return super()._probabilities(X, method, function)
        decision, probability = self.decision_function(X), self.calibration_.probability

        def both(score: np.ndarray) -> np.ndarray:
            positive = probability(score)
            with np.errstate(divide="ignore"):  # of the logarithm of zero
                return function(np.column_stack([1.0 - positive, positive]))

        chunks = decision.chunks[0], (2,)
        return decision.map_blocks(both, new_axis=1, chunks=chunks, meta=np.empty((0, 2)))
