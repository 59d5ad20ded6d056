"""AUCClassifierCV: the penalty, the push and the scaling of sparse columns, by cross-validated AUC."""

from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from ..base import ProbabilityMixin
from ..metrics.partial import max_fpr_rule
from ..pairs.losses import Loss
from ..pairs.push import push_loss
from ..pairs.sigmoid import SIGMOID, any_loss_rule, get_any_loss
from ..validation.namespaces import as_numpy
from ..validation.parameters import Rule, boolean, check_params, one_of
from ..validation.weights import check_weights
from .choosing import SettingSearch
from .classifier import AUCClassifier, fitting
from .defaults import check_l1, check_max_fpr, default_l2, rarer_class_weight
from .folds import FoldResults, cross_validate
from .newton import Limits
from .reporting import progress_printer, report_folds, warn_at_edge
from .search import L2Search, grid_ratio, l2_grid, l2s_rule, pushes_rule, pushes_to_try
from .solver import Penalty, Problem, Solution
from .splits import Split, cv_rule, draw_splits, is_cheap, jackknife_error, selection_max_fpr, split_arguments
from .threads import thread_map

Self = TypeVar("Self", bound="AUCClassifierCV")


class AUCClassifierCV(SettingSearch, ProbabilityMixin, AUCClassifier):
    r"""`AUCClassifier` with `l2`, `push`, and for sparse X `standardize`, chosen by cross-validation.

    .. math:: \Bigl(\frac{1}{n_-} \sum_{j-}
              \Bigl(\frac{1}{n_+} \sum_{i+} \ell(w \cdot x_i - w \cdot x_j)\Bigr)^p \Bigr)^{1/p}
              + \frac{l_2}{2} \sum_k s_k^{2a} w_k^2 + l_1 \sum_k s_k^a |w_k|

    Settings are judged by AUC on the rows held out, or with `max_fpr` by partial AUC: then the push p is
    chosen too, and the model is one for the top of the list. ``score`` is AUC in any case.

    Each fold is fitted along the path of `l2`, from the largest down, every fit starting from the last; for
    the squared loss the folds share one pass over the rows. An automatic path is extended while the value
    chosen is at one of its ends. Of the values that are not clearly worse than the best, that nearest to the
    default of `AUCClassifier` is chosen: clearly worse is a mean difference, fold by fold, of more than half
    its standard error. Further scalings and pushes are tried with values near the best of the last one, until
    one is clearly worse than the best. The best push is taken, and the first scaling that is not clearly
    worse than the best. With ``loss="auto"``, the sigmoid loss, AUC itself made smooth, comes last: each fold
    starts from its minimiser of the squared hinge, and the sigmoid is taken where its held-out AUC is higher.
    Then all rows are fitted. The rows are never copied.

    Parameters
    ----------
    loss : str or Loss, default="auto"
        Loss of a margin, as in `AUCClassifier`. "auto" is the squared hinge, or the sigmoid where that ranks
        held-out rows better; its weights are then multiplied by a constant, so that scores spread as those of
        the squared hinge and models of both losses can be compared, as in one class against the rest. With
        `max_fpr`, `l1`, or values of `l2` that are given, "auto" is the squared hinge.
    l2s : int or list of float, default=13
        Values to try, or how many: they are then spread evenly in the logarithm over six decades, from the
        mean curvature of the loss times the variance within classes of the scaled columns downwards.
    cv : int, splitter or iterable, default=5
        Number of stratified folds (fewer where a class has fewer rows), or anything scikit-learn takes for
        `cv`; `fit` describes `groups`. With a number, and fewer than 500 rows of the rarer class, the folds
        are drawn up to five times and all count, since the AUC on few rows is noisy.
    max_fpr : float, optional
        Judge by the area under the ROC curve up to this false positive rate, in (0, 1], standardised as by
        :func:`aucmax.metrics.partial_auc`: what counts if only the top of the list is read. A wider range is
        judged, with a warning, where a fold has fewer than ten negatives in it. None is AUC.
    pushes : "auto" or list of float, default="auto"
        Values of `push` to try, each at least 1. "auto" is 1, 2, 4 and 8 with `max_fpr`, else only 1.
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
        As in `AUCClassifier`, for the final fit; folds are fitted to 0.0002 at the tightest.
    max_iter : int, default=100
        Most Newton steps of one fit.
    n_jobs : int, optional
        Threads, over the folds and over products with X; all cores for None or -1.
    verbose : int, default=0
        Print a line for each fold and for each Newton step of the final fit.

    Attributes
    ----------
    loss_ : str or Loss
        The loss that was used.
    l2_ : float
        The value chosen.
    l2s_ : ndarray of shape (n_l2,)
        The values tried, ascending.
    scores_ : ndarray of shape (n_l2, n_folds)
        AUC on the rows held out, or with `max_fpr` standardised partial AUC, at the exponent and push chosen.
    standardize_ : float
        The exponent a that was used.
    push_ : float
        The push p that was used.
    intercept_ : ndarray of shape (1,)
        Puts the decision where both classes are equally likely, so that `predict` gives the likelier class.
    calibration_ : Calibration
        The log-odds at some scores of the decision function, from the scores of held-out rows.
    held_out_ : HeldOutScores
        A summary of these scores: ``model.held_out_.operating_point(recall=0.9)`` gives a threshold.
    coef_se_ : ndarray of shape (1, n_features)
        Standard errors of the weights at the chosen `l2`, by the jackknife over the folds.
    coef_, classes_, feature_scale_, objective_, optimality_, n_iter_, n_features_in_
        As in `AUCClassifier`.

    References
    ----------
    Joachims, T. (2006). Training linear SVMs in linear time. KDD.

    Rudin, C. (2009). The P-Norm Push: a simple convex ranking algorithm that concentrates at the top of the
    list. Journal of Machine Learning Research.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV().fit(X[::2], y[::2])
    >>> print(f"{model.score(X[1::2], y[1::2]):.2f}")
    0.99
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **{
            name: rule
            for name, rule in AUCClassifier._rules.items()
            if name not in ("l2", "push", "warm_start")
        },
        "loss": one_of("auto") | any_loss_rule,
        "l2s": l2s_rule,
        "max_fpr": max_fpr_rule,
        "pushes": pushes_rule,
        "cv": cv_rule,
        "calibration": one_of("auto", "sigmoid"),
        "one_se": boolean,
    }

    def __init__(
        self,
        loss: str | Loss = "auto",
        *,
        l2s: Any = 13,
        cv: Any = 5,
        max_fpr: float | None = None,
        pushes: Any = "auto",
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
        self.max_fpr = max_fpr
        self.pushes = pushes
        self.calibration = calibration
        self.one_se = one_se
        self.l1 = l1
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the penalty on folds, then find the weights that minimise the objective on all rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `AUCClassifier`.
        **params : dict
            ``groups`` of shape (n_samples,) for a ``cv`` that keeps rows of a group together, such as
            ``StratifiedGroupKFold``. With scikit-learn's metadata routing, all that ``cv.split`` requests.

        Returns
        -------
        self
        """
        check_params(self)
        with fitting(self, X):
            self._fit(X, y, sample_weight, **split_arguments(self, params))
        return self

    @property
    def _automatic_loss(self) -> bool:
        return isinstance(self.loss, str) and self.loss == "auto"

    def _sigmoid_suits(self) -> bool:
        """Whether the sigmoid may be tried: the whole list is judged, and penalties are found, not given."""
        plain = self.max_fpr is None and self.push_ == 1.0 and self.l1 == 0.0
        return plain and isinstance(self.l2s, Integral)

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn's metadata routing passes arguments on: those of ``fit`` to ``cv.split``."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        return MetadataRouter(self).add_self_request(self).add(splitter=self.cv, method_mapping=to_split)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **arguments: Any) -> None:
        self.loss_ = "squared_hinge" if self._automatic_loss else self.loss
        losses = self._pushed_losses()
        X, signed = self._validate(X, y, sample_weight)
        limits = Limits(self.tol, self.max_iter)
        with thread_map(self._n_threads(X)) as run:
            columns = self._measure_columns(X, signed, run)
            rarer = rarer_class_weight(signed, sample_weight)
            signed = as_numpy(signed)
            splits = draw_splits(self.cv, signed, X.shape[1], arguments)
            over_folds = report_folds(self, run)
            max_fpr = self._selection_max_fpr(signed, splits)

            def cross_validated(
                problem: Problem, loss: Loss, l2s: np.ndarray, limits: Limits, start: Any
            ) -> FoldResults:
                return cross_validate(
                    problem, signed, splits, loss, l2s, limits, self.l1, over_folds, max_fpr, start
                )

            def search(problem: Problem, push: float) -> L2Search:
                return L2Search(problem, losses[push], cross_validated, limits)

            def choose(search: L2Search) -> int:
                if self.one_se:
                    return search.largest_within_error()
                return search.nearest(default_l2(search.loss, search.problem.moments, rarer))

            found = convex = self._search(columns, list(losses), search, choose)
            if self._automatic_loss and self._sigmoid_suits():
                sigmoid = L2Search(convex.problem, SIGMOID, cross_validated, limits)
                found = self._try_sigmoid(convex, sigmoid, is_cheap(signed, X.shape[1]))
            best = choose(found)
            self.l2s_, self.scores_, self.l2_ = found.l2s, found.scores, float(found.l2s[best])
            limits = limits._replace(report=progress_printer(self))
            solution = found.problem.solve(found.loss, Penalty(self.l2_, self.l1), limits, found.coefs[best])
        length = 1.0 if found is convex else found.length_to_match(best, convex, choose(convex))
        weight = np.copysign(check_weights(as_numpy(sample_weight), len(signed)), signed)
        self._accept_scaled(solution, length, found, best, splits, weight)
        warn_at_edge(self, best)

    def _accept_scaled(
        self,
        solution: Solution,
        length: float,
        found: L2Search,
        best: int,
        splits: list[Split],
        weight: np.ndarray,
    ) -> None:
        """Set the fitted attributes, with weights and scores times ``length``; ``weight`` has signs."""
        held_out = np.concatenate([split.test for split in splits if split.kept])
        middle = self._calibrate(length * found.held_out[best], weight[held_out])
        error = jackknife_error(found.variances[best], splits)
        self.coef_se_ = found.problem.products.coef(length * error)[None]
        solution = solution._replace(w=length * solution.w)
        centre = float(np.sum(found.problem.moments.centre * solution.w))
        self._accept(solution, found.problem, centre + middle)

    def _pushed_losses(self) -> dict[float, Loss]:
        """The loss with each push to try."""
        loss = get_any_loss(self.loss_)
        check_l1(self, loss)
        check_max_fpr(self, loss)
        pushes = pushes_to_try(self.pushes, self.max_fpr)
        return {push: push_loss(loss, push, type(self).__name__) for push in pushes}

    def _selection_max_fpr(self, signed: np.ndarray, splits: list[Split]) -> float | None:
        """The false positive rate up to which folds are compared; None for all."""
        if self.max_fpr is None:
            return None
        fewest = min(int(np.sum(signed[split.test] < 0.0)) for split in splits)
        return selection_max_fpr(self.max_fpr, fewest, type(self).__name__)

    def _try_sigmoid(self, found: L2Search, sigmoid: L2Search, everywhere: bool) -> L2Search:
        """The search with the sigmoid if it ranks held-out rows better than what was found.

        It tries the whole grid of ``l2``, for its curve has several maxima, or only values near the best one.
        """
        if everywhere:
            sigmoid.try_values(l2_grid(self.l2s, SIGMOID, sigmoid.problem.moments))
        else:
            sigmoid.try_near(found, grid_ratio(self.l2s))
        if not sigmoid.is_better_than(found):
            return found
        self.loss_ = "sigmoid"
        return sigmoid
