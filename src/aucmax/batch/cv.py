"""AUCClassifierCV: the squared penalty chosen by cross-validated AUC."""

import functools
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.model_selection import check_cv

from ..kernels.rows import as_rows
from ..pairs.losses import Loss, get_loss
from ..pairs.sums import Classes
from ..validation.parameters import Rule, boolean, is_whole
from .classifier import AUCClassifier
from .defaults import check_l2, within_class_variance
from .folds import FOLD_TOL, FoldResults, Split, cross_validate, rises_after_fall
from .moments import Moments
from .newton import Limits
from .products import Products
from .reporting import progress_printer
from .solver import Penalty, Problem
from .threads import thread_map

Self = TypeVar("Self", bound="AUCClassifierCV")

GRID_DECADES = 6.0


l2s_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else np.ndim(value) == 1 and np.size(value) > 0,
    "a whole number of at least 2 or a list of numbers",
)
cv_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else hasattr(value, "split") or np.iterable(value),
    "a whole number of at least 2, a splitter or an iterable of splits",
)


def l2_grid(l2s: Any, moments: Moments) -> np.ndarray:
    """The values to try, in ascending order."""
    if isinstance(l2s, Integral):
        return within_class_variance(moments) * np.logspace(-GRID_DECADES, 0.0, int(l2s))
    grid = np.unique(np.asarray(l2s, dtype=float))
    if not (np.all(np.isfinite(grid)) and grid[0] >= 0.0):
        raise ValueError(f"AUCClassifierCV: l2s must be finite and at least 0; got {l2s!r}.")
    return grid


class AUCClassifierCV(AUCClassifier):
    r"""`AUCClassifier` with its `l2` chosen by cross-validated AUC.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} \ell(w \cdot x_i - w \cdot x_j)
              + \frac{l_2}{2} \|w\|^2 + l_1 \|w\|_1

    Each fold is fitted along the path of `l2`, from the largest down, every fit starting from the last;
    for the squared loss the folds share one pass over the rows. Then all rows are fitted with the best
    value. The rows are never copied. ``score`` is AUC.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, as in `AUCClassifier`.
    l2s : int or list of float, default=13
        Values to try, or how many: they are then spread evenly in the logarithm over six decades, from
        the mean squared distance of a row from the mean of its class downwards.
    cv : int, splitter or iterable, default=5
        Number of stratified folds (fewer where a class has fewer rows), or anything scikit-learn
        takes for `cv`.
    one_se : bool, default=False
        Take the largest `l2` whose mean AUC is within one standard error of the best.
    l1 : float, default=0.0
        Weight of the absolute penalty.
    tol : float, default=1e-4
        As in `AUCClassifier`, for the final fit; folds are fitted to 0.002 at the tightest.
    max_iter : int, default=100
        Most Newton steps of one fit.
    n_jobs : int, optional
        Threads, over the folds and over products with X; all cores for None or -1.
    verbose : int, default=0
        Print a line for each Newton step of the final fit.

    Attributes
    ----------
    l2_ : float
        The value chosen.
    l2s_ : ndarray of shape (n_l2,)
        The values tried, ascending.
    scores_ : ndarray of shape (n_l2, n_folds)
        AUC on the rows held out.
    coef_, intercept_, classes_, objective_, optimality_, n_iter_, n_features_in_, feature_names_in_
        As in `AUCClassifier`.

    References
    ----------
    Joachims, T. (2006). Training linear SVMs in linear time. KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = AUCClassifierCV().fit(X[::2], y[::2])
    >>> print(f"{model.score(X[1::2], y[1::2]):.3f}")
    0.98...
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **{name: rule for name, rule in AUCClassifier._rules.items() if name not in ("l2", "warm_start")},
        "l2s": l2s_rule,
        "cv": cv_rule,
        "one_se": boolean,
    }

    l2s_: np.ndarray
    scores_: np.ndarray

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        l2s: Any = 13,
        cv: Any = 5,
        one_se: bool = False,
        l1: float = 0.0,
        tol: float = 1e-4,
        max_iter: int = 100,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.l2s = l2s
        self.cv = cv
        self.one_se = one_se
        self.l1 = l1
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        loss = get_loss(self.loss)
        X, signed = self._validate(X, y, sample_weight)
        splits = self._splits(signed)
        with thread_map(self.n_jobs) as run:
            problem = Problem(Products(as_rows(X), X.shape[1], run), Classes.split(signed))
            self.l2s_ = l2_grid(self.l2s, problem.moments)
            check_l2(self, loss, float(self.l2s_[0]))
            search = functools.partial(cross_validate, problem, signed, splits, loss, l1=self.l1, run=run)
            folds = search(self.l2s_[::-1], Limits(max(self.tol, FOLD_TOL), self.max_iter))
            self.scores_, coefs = folds.scores[::-1], folds.coefs[::-1]
            if not folds.exact:
                self._refine_doubtful(search, coefs)
            best = self._choose()
            self.l2_ = float(self.l2s_[best])
            limits = Limits(self.tol, self.max_iter, progress_printer(self))
            solution = problem.solve(loss, Penalty(self.l2_, self.l1), limits, coefs[best])
        self._accept(solution, problem.classes)

    def _splits(self, signed: np.ndarray) -> list[Split]:
        """Rows of each fold with a weight above zero; training and test rows must hold both classes."""
        labels = (~np.signbit(signed)).astype(int)
        cv, rarest = self.cv, int(np.bincount(labels).min())
        if isinstance(cv, Integral):
            if rarest < 2:
                raise ValueError(
                    f"AUCClassifierCV: cv={cv} folds need two rows of each class; one has {rarest}."
                )
            cv = min(int(cv), rarest)
        try:
            parts = list(check_cv(cv, labels, classifier=True).split(np.zeros((len(labels), 1)), labels))
        except ValueError as error:
            raise ValueError(f"AUCClassifierCV: cv={self.cv!r} does not split the rows: {error}") from error
        weighted = [Split(*(rows[signed[rows] != 0.0] for rows in part)) for part in parts]
        if any(len(np.unique(labels[rows])) < 2 for part in weighted for rows in part):
            raise ValueError(
                "AUCClassifierCV: a fold holds rows of one class only; give fewer folds, or more rows."
            )
        return weighted

    def _refine_doubtful(self, search: Callable[..., FoldResults], coefs: np.ndarray) -> None:
        """Solve the folds of the best ``l2`` to ``tol`` while its AUC may be too high by early stopping."""
        refined: set[int] = set()
        limits = Limits(self.tol, self.max_iter)
        while (best := self._best()) not in refined and rises_after_fall(self.scores_.mean(axis=1)[best:]):
            self.scores_[best] = search(self.l2s_[best : best + 1], limits, start=coefs[best]).scores[0]
            refined.add(best)

    def _best(self) -> int:
        """Index of the highest mean AUC; among equals, that of the largest ``l2``."""
        mean = self.scores_.mean(axis=1)
        return len(mean) - 1 - int(np.argmax(mean[::-1]))

    def _choose(self) -> int:
        """Index of the ``l2`` to take: the best, or the largest within its standard error."""
        mean, best = self.scores_.mean(axis=1), self._best()
        if not self.one_se or self.scores_.shape[1] < 2:
            return best
        error = self.scores_[best].std(ddof=1) / np.sqrt(self.scores_.shape[1])
        return int(np.flatnonzero(mean >= mean[best] - error).max())
