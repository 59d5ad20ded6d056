"""AUCClassifier: the exact minimiser of a pair loss, on data that fit in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.utils import Tags

from ..base import LinearAUCClassifier, restored_on_error
from ..pairs.losses import Loss
from ..pairs.push import push_loss, push_rule
from ..pairs.sigmoid import any_loss_rule, get_any_loss
from ..validation.columns import warn_of_constant_columns, warn_of_wild_values
from ..validation.namespaces import as_numpy, find_arrays, move_attributes, naming_memory
from ..validation.parameters import (
    Rule,
    boolean,
    check_params,
    non_negative,
    one_of,
    positive,
    positive_integer,
)
from .array_products import FIXED_BYTES, ROW_BYTES, make_products
from .defaults import check_l1, check_l2, default_l2, rarer_class_weight
from .newton import Limits
from .reporting import progress_printer, verbose_rule, warn_not_converged
from .scaling import Columns, scaling_exponent, standardize_rule
from .solver import Penalty, Problem, Solution
from .threads import Map, n_jobs_rule, thread_map
from .threshold import balanced_threshold

Self = TypeVar("Self", bound="AUCClassifier")


@contextmanager
def fitting(estimator: Any, X: Any) -> Iterator[None]:
    """Restore the estimator if a fit fails; move what it has fitted to the library and device of ``X``."""
    with restored_on_error(estimator), naming_memory(type(estimator).__name__, X, ROW_BYTES, FIXED_BYTES):
        yield
        move_attributes(estimator, X)


class AUCClassifier(LinearAUCClassifier):
    r"""Linear classifier that maximises AUC: the exact minimiser of a loss over all pairs.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} \ell(w \cdot x_i - w \cdot x_j)
              + \frac{l_2}{2} \sum_k s_k^{2a} w_k^2 + l_1 \sum_k s_k^a |w_k|

    with :math:`s_k` the spread of column k and a the exponent that `standardize` stands for, so that columns
    need no scaling. Every pair of a positive and a negative row counts, at the cost of a sort: a fit takes as
    long as a logistic regression, or less. ``score`` is AUC, since that is what the model maximises; for
    probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`.

    Parameters
    ----------
    loss : str or Loss, default="squared_hinge"
        Loss of a margin, the score of a positive row minus that of a negative one: "squared_hinge", "hinge",
        "logistic", "squared", "exponential" or "sigmoid"; for your own loss see :class:`aucmax.losses.Loss`.
        The sigmoid, ``1 / (1 + exp(margin))``, is AUC itself made smooth, and not convex: a local minimum is
        found, from the minimiser of the squared hinge.
    l2 : float or "auto", default="auto"
        Weight of the squared penalty; a number means the same for any number of rows. "auto" is 0.2 times the
        mean curvature of the loss times the variance within classes, summed over the scaled columns, over the
        number of rows, or the total weight, of the rarer class; `AUCClassifierCV` chooses better. The hinge
        loss needs a number above 0.
    l1 : float, default=0.0
        Weight of the absolute penalty, which makes weights exactly zero; 0 for the sigmoid.
    standardize : "auto", bool or float, default="auto"
        The exponent a of the spread in the penalty, from 0 to 1. True is 1: the penalty is that of columns
        divided by their spread, and multiplying a column by a constant changes no score. False is 0: the
        penalty is the same for all columns as they are. "auto" is 1 for dense X and 1/2 for sparse X, where
        rare columns are less reliable. X is neither copied nor changed.
    push : float, default=1.0
        Above 1, negatives at the top of the list count more (the p-norm push): the mean loss becomes
        :math:`(\frac{1}{n_-} \sum_j L_j^p)^{1/p}`, with p the push and :math:`L_j` the mean loss of negative
        j over all positives. 1 is AUC; 2 to 8 suit lists of which only the top is read. `AUCClassifierCV`
        chooses it for a range of false positive rates.
    tol : float, default=1e-4
        Stop when `optimality_` is at most this.
    max_iter : int, default=100
        Most Newton steps.
    warm_start : bool, default=False
        Start from the last fit's weights.
    n_jobs : int, optional
        Threads for products with X; all cores for None or -1. Results do not depend on it.
    verbose : int, default=0
        Print a line for each Newton step.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights of the columns of X as they are.
    intercept_ : ndarray of shape (1,)
        Chosen so that `predict` has the best balanced accuracy on the training rows.
    classes_ : ndarray of shape (2,)
    l2_ : float
        The squared penalty's weight that was used.
    feature_scale_ : ndarray of shape (n_features,)
        The spread of each column: of dense columns the standard deviation within classes (all rows counted
        alike), of sparse ones the root mean square. A dense column of spread 0 is constant and gets no
        weight.
    objective_ : float
    optimality_ : float
        Norm of the gradient relative to that at zero weights, in plain and in scaled columns, the larger
        of the two; with `l1` the same of the KKT residual. For the hinge loss a proven bound on the
        distance to the minimum relative to the objective (proven for `l2 > 0`).
    n_iter_ : int
        Newton steps taken.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where X has column names.

    References
    ----------
    Joachims, T. (2006). Training linear SVMs in linear time. KDD.

    Rudin, C. (2009). The P-Norm Push: a simple convex ranking algorithm that concentrates at the top of the
    list. Journal of Machine Learning Research.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifier().fit(X[::2], y[::2])
    >>> print(f"{model.score(X[1::2], y[1::2]):.3f}")
    0.99...
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "loss": any_loss_rule,
        "l2": non_negative | one_of("auto"),
        "l1": non_negative,
        "standardize": standardize_rule,
        "push": push_rule,
        "tol": positive,
        "max_iter": positive_integer,
        "warm_start": boolean,
        "n_jobs": n_jobs_rule,
        "verbose": verbose_rule,
    }

    l2_: float
    feature_scale_: np.ndarray
    objective_: float
    optimality_: float

    def __init__(
        self,
        loss: str | Loss = "squared_hinge",
        *,
        l2: float | str = "auto",
        l1: float = 0.0,
        standardize: bool | float | str = "auto",
        push: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 100,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.l1 = l1
        self.standardize = standardize
        self.push = push
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights that minimise the objective.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense or CSR, float32 or float64, used without a copy; other forms are converted once. Under
            scikit-learn's array API dispatch also an array of torch or CuPy, on a GPU for example; fitted
            attributes are then arrays of that library on that device.
        y : array-like of shape (n_samples,)
            Two labels of any type; the second in sorted order is the positive class.
        sample_weight : array-like of shape (n_samples,), optional
            A pair counts the product of its weights.

        Returns
        -------
        self
        """
        check_params(self)
        with fitting(self, X):
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        loss = push_loss(get_any_loss(self.loss), self.push, type(self).__name__)
        check_l1(self, loss)
        last = as_numpy(self.coef_)[0] if self.warm_start and hasattr(self, "coef_") else None
        X, signed = self._validate(X, y, sample_weight)
        start = last if last is not None and len(last) == X.shape[1] else None
        with thread_map(self._n_threads(X)) as run:
            columns = self._measure_columns(X, signed, run)
            problem = columns.problem(scaling_exponent(self.standardize, columns.sparse))
            auto = default_l2(loss, problem.moments, rarer_class_weight(signed, sample_weight))
            self.l2_ = auto if isinstance(self.l2, str) else float(self.l2)
            check_l2(self, loss, self.l2_)
            limits = Limits(self.tol, self.max_iter, progress_printer(self))
            if start is not None:
                start = problem.products.scaled_coef(start)
            solution = problem.solve(loss, Penalty(self.l2_, self.l1), limits, start)
        self._accept(solution, problem, balanced_threshold(solution.scores, problem.classes))

    def _n_threads(self, X: Any) -> int | None:
        """Threads for a fit: one where another library than NumPy has the work."""
        return self.n_jobs if find_arrays(X) is None else 1

    def _measure_columns(self, X: Any, signed: np.ndarray, run: Map) -> Columns:
        """Set ``feature_scale_``, and warn of wild values and constant columns; of sparse ones if all are."""
        columns = Columns.of(make_products(X, run), signed)
        self.feature_scale_ = columns.spread
        if not (columns.sparse and columns.spread.any()):
            warn_of_constant_columns(self, columns.spread)
        if find_arrays(X) is None:
            variance = np.maximum(columns.moments.pos_variance, columns.moments.neg_variance)
            warn_of_wild_values(self, X, np.sqrt(variance))
        return columns

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        return tags

    def _accept(self, solution: Solution, problem: Problem, threshold: float) -> None:
        """Set the fitted attributes, and warn if the solution did not converge."""
        self.objective_, self.optimality_ = solution.objective, solution.optimality
        self.n_iter_ = max(1, solution.n_iter)
        self._set_coef(problem.products.coef(solution.w), threshold)
        if not solution.converged:
            warn_not_converged(self, "max_iter, tol or l2")
