"""AUCClassifierCV: the penalty, and for sparse columns its scaling, chosen by cross-validated AUC."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from ..base import ProbabilityMixin
from ..calibration import MAX_PIECES, fit_calibration
from ..pairs.losses import Loss, get_loss
from ..validation.columns import warn_caller
from ..validation.parameters import Rule, boolean, is_whole, one_of
from ..validation.weights import check_weights
from .classifier import AUCClassifier
from .defaults import check_l2, default_l2, rarer_class_weight, within_class_variance
from .folds import FoldResults, Split, cross_validate
from .moments import Moments
from .newton import Limits
from .reporting import progress_printer
from .scaling import SPARSE_EXPONENTS, scaling_exponent
from .search import GRID_DECADES, L2Search, clearly_worse
from .solver import Penalty, Problem
from .threads import thread_map

Self = TypeVar("Self", bound="AUCClassifierCV")

MAX_REPEATS = 5
ENOUGH_ROWS = 500  # of the rarer class, for which folds are drawn once
SMALL_CELLS = 2**22  # rows times columns up to which drawing folds again costs little


l2s_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else np.ndim(value) == 1 and np.size(value) > 0,
    "a whole number of at least 2 or a list of numbers",
)
cv_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else hasattr(value, "split") or np.iterable(value),
    "a whole number of at least 2, a splitter or an iterable of splits",
)


def n_repeats(rarer_rows: int, cells: int) -> int:
    """How often the folds are drawn: more often for fewer rows of the rarer class, while X is small."""
    return min(MAX_REPEATS, -(-ENOUGH_ROWS // rarer_rows)) if cells <= SMALL_CELLS else 1


def l2_grid(l2s: Any, loss: Loss, moments: Moments) -> np.ndarray:
    """The values to try, in ascending order."""
    if isinstance(l2s, Integral):
        top = loss.mean_curvature() * within_class_variance(moments)
        return top * np.logspace(-GRID_DECADES, 0.0, int(l2s))
    grid = np.unique(np.asarray(l2s, dtype=float))
    if not (np.all(np.isfinite(grid)) and grid[0] >= 0.0):
        raise ValueError(f"AUCClassifierCV: l2s must be finite and at least 0; got {l2s!r}.")
    return grid


class AUCClassifierCV(ProbabilityMixin, AUCClassifier):
    r"""`AUCClassifier` with its `l2`, and for sparse X its `standardize`, chosen by cross-validated AUC.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} \ell(w \cdot x_i - w \cdot x_j)
              + \frac{l_2}{2} \sum_k s_k^{2a} w_k^2 + l_1 \sum_k s_k^a |w_k|

    Each fold is fitted along the path of `l2`, from the largest down, every fit starting from the last; for
    the squared loss the folds share one pass over the rows. An automatic path is extended while the value
    chosen is at one of its ends. Of the values that are not clearly worse than the best, that nearest to the
    default of `AUCClassifier` is chosen: clearly worse is a mean difference, fold by fold, of more than half
    its standard error. Then all rows are fitted. The rows are never copied. ``score`` is AUC.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, as in `AUCClassifier`.
    l2s : int or list of float, default=13
        Values to try, or how many: they are then spread evenly in the logarithm over six decades, from the
        mean curvature of the loss times the variance within classes of the scaled columns downwards.
    cv : int, splitter or iterable, default=5
        Number of stratified folds (fewer where a class has fewer rows), or anything scikit-learn takes for
        `cv`. With a number, and fewer than 500 rows of the rarer class, the folds are drawn up to five times
        and all count, since the AUC on few rows is noisy.
    calibration : {"auto", "sigmoid"}, default="auto"
        How probabilities follow from scores, judged by the scores of held-out rows: log-odds that rise along
        straight pieces, one for each 50 rows of the rarer class up to ten, or along one, which is a sigmoid.
    one_se : bool, default=False
        Take the largest `l2` whose mean AUC is within one standard error of the best instead.
    l1 : float, default=0.0
        Weight of the absolute penalty.
    standardize : "auto", bool or float, default="auto"
        As in `AUCClassifier`; "auto" is 1 for dense X, and chosen among 1/2, 3/4 and 1 for sparse X.
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
        AUC on the rows held out, at the exponent chosen.
    standardize_ : float
        The exponent a that was used.
    intercept_ : ndarray of shape (1,)
        Puts the decision where both classes are equally likely, so that `predict` gives the likelier class.
    calibration_ : Calibration
        The log-odds at some scores of the decision function, from the scores of held-out rows.
    coef_, classes_, feature_scale_, objective_, optimality_, n_iter_, n_features_in_
        As in `AUCClassifier`.

    References
    ----------
    Joachims, T. (2006). Training linear SVMs in linear time. KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV().fit(X[::2], y[::2])
    >>> print(f"{model.score(X[1::2], y[1::2]):.3f}")
    0.98...
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **{
            name: rule
            for name, rule in AUCClassifier._rules.items()
            if name not in ("l2", "push", "warm_start")
        },
        "l2s": l2s_rule,
        "cv": cv_rule,
        "calibration": one_of("auto", "sigmoid"),
        "one_se": boolean,
    }

    l2s_: np.ndarray
    scores_: np.ndarray
    standardize_: float

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        l2s: Any = 13,
        cv: Any = 5,
        calibration: str = "auto",
        one_se: bool = False,
        l1: float = 0.0,
        standardize: bool | float | str = "auto",
        tol: float = 1e-4,
        max_iter: int = 100,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.l2s = l2s
        self.cv = cv
        self.calibration = calibration
        self.one_se = one_se
        self.l1 = l1
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        loss = get_loss(self.loss)
        X, signed = self._validate(X, y, sample_weight)
        limits = Limits(self.tol, self.max_iter)
        with thread_map(self.n_jobs) as run:
            columns = self._measure_columns(X, signed, run)
            rarer = rarer_class_weight(signed, sample_weight)
            splits = self._splits(signed, X.shape[1])

            def cross_validated(problem: Problem, l2s: np.ndarray, limits: Limits, start: Any) -> FoldResults:
                return cross_validate(problem, signed, splits, loss, l2s, limits, self.l1, run, start)

            def search(exponent: float) -> L2Search:
                return L2Search(columns.problem(exponent), cross_validated, limits)

            def choose(search: L2Search) -> int:
                if self.one_se:
                    return search.largest_within_error()
                return search.nearest(default_l2(loss, search.problem.moments, rarer))

            self.standardize_, found = self._search(columns.sparse, search, loss, choose)
            best = choose(found)
            self.l2s_, self.scores_, self.l2_ = found.l2s, found.scores, float(found.l2s[best])
            limits = limits._replace(report=progress_printer(self))
            penalty = Penalty(self.l2_, self.l1)
            solution = found.problem.solve(loss, penalty, limits, found.coefs[best])
        self._accept(solution, found.problem)
        weight = np.copysign(check_weights(sample_weight, len(signed)), signed)
        held_out = np.concatenate([split.test for split in splits if split.kept])
        self._calibrate(found.held_out[best], weight[held_out], found.problem.moments.centre @ solution.w)
        self._warn_at_edge(best)

    def _search(
        self, sparse: bool, search: Callable[[float], L2Search], loss: Loss, choose: Callable[[L2Search], int]
    ) -> tuple[float, L2Search]:
        """Try values of ``l2`` for the default scaling, then some near the best one for other scalings."""
        several = isinstance(self.standardize, str) and sparse
        first, *others = SPARSE_EXPONENTS if several else [scaling_exponent(self.standardize, sparse)]
        searches = {first: search(first)}
        problem = searches[first].problem
        grid = l2_grid(self.l2s, loss, problem.moments)
        check_l2(self, loss, float(grid[0]))
        searches[first].try_values(grid)
        automatic = isinstance(self.l2s, Integral)
        ratio = 10.0 ** (GRID_DECADES / (len(grid) - 1)) if automatic else 1.0
        if automatic:
            searches[first].widen(ratio, choose)
        for exponent in others:
            searches[exponent] = search(exponent)
            if automatic:
                searches[exponent].try_near(searches[first], ratio)
            else:
                searches[exponent].try_values(grid)
            if clearly_worse(searches[exponent].best_scores(), searches[first].best_scores()):
                break  # further exponents lie on the same side of the first
        top = {exponent: found.best_scores() for exponent, found in searches.items()}
        best = max(top, key=lambda exponent: top[exponent].mean())
        chosen = next(exponent for exponent in searches if not clearly_worse(top[exponent], top[best]))
        return chosen, searches[chosen]

    def _calibrate(self, scores: np.ndarray, signed: np.ndarray, centre: float) -> None:
        """Set ``calibration_`` and the intercept from scores of held-out rows, less that of the centre."""
        calibration = fit_calibration(scores, signed, 1 if self.calibration == "sigmoid" else MAX_PIECES)
        middle = calibration.middle()
        self.calibration_, self.intercept_ = calibration.shifted(-middle), np.array([-centre - middle])

    def _warn_at_edge(self, best: int) -> None:
        """Warn if values of ``l2`` were given and the first or the last of several is the best."""
        if isinstance(self.l2s, Integral) or len(self.l2s_) == 1 or 0 < best < len(self.l2s_) - 1:
            return
        end, direction = ("largest", "larger") if best else ("smallest", "smaller")
        warn_caller(
            f"AUCClassifierCV: the best of the given l2s is the {end}, {self.l2_:g}; add {direction} ones."
        )

    def _splits(self, signed: np.ndarray, n_features: int) -> list[Split]:
        """Rows of each fold with a weight above zero; training and test rows must hold both classes.

        Where rows of a class are few, held-out AUC is noisy: the folds are drawn several times.
        """
        labels = (~np.signbit(signed)).astype(int)
        cv, rarest = self.cv, int(np.bincount(labels).min())
        if isinstance(cv, Integral):
            if rarest < 2:
                raise ValueError(
                    f"AUCClassifierCV: cv={cv} folds need two rows of each class; one has {rarest}."
                )
            cv = min(int(cv), rarest)
            repeats = n_repeats(rarest, len(labels) * n_features)
            drawn = [StratifiedKFold(cv, shuffle=True, random_state=seed) for seed in range(1, repeats)]
        else:
            drawn = []
        try:
            splitters = [check_cv(cv, labels, classifier=True), *drawn]
            rows = np.zeros((len(labels), 1))
            splits = [
                Split(train, test, kept=splitter is splitters[0])
                for splitter in splitters
                for train, test in splitter.split(rows, labels)
            ]
        except ValueError as error:
            raise ValueError(f"AUCClassifierCV: cv={self.cv!r} does not split the rows: {error}") from error
        weighted = [split.of_rows(signed != 0.0) for split in splits]
        if any(len(np.unique(labels[rows])) < 2 for split in weighted for rows in (split.train, split.test)):
            raise ValueError(
                "AUCClassifierCV: a fold holds rows of one class only; give fewer folds, or more rows."
            )
        return weighted
