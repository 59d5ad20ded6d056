"""Every public estimator passes every check and scikit-learn's; every check fails on a broken estimator."""

import inspect
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import aucmax
from aucmax import testing
from aucmax.base import LinearAUCClassifier
from aucmax.stochastic.engine.estimator import StochasticAUCClassifier
from aucmax.validation.arrays import check_labelled
from aucmax.validation.labels import check_classes
from aucmax.validation.weights import check_weights, signed_weights

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ESTIMATORS = [
    cls
    for name in aucmax.__all__
    if inspect.isclass(cls := getattr(aucmax, name)) and issubclass(cls, BaseEstimator)
]


# By default these scale dense columns and sparse ones differently, as their docstrings say.
SETTINGS = {
    "AUCClassifier": {"standardize": False},
    "AUCClassifierCV": {"standardize": False},
    "OnlineAUCClassifier": {"center": False, "reservoir": 16},  # full after few rows
}


def make(cls, **settings):
    parameters = inspect.signature(cls).parameters
    quick = {"random_state": 0, "cv": 2}
    return cls(**{name: value for name, value in quick.items() if name in parameters} | settings)


def expected_failures(estimator):
    if not isinstance(estimator, StochasticAUCClassifier):
        return {}
    reason = "a row of weight two makes one step of twice the length, which is not two steps"
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
        "check_sample_weight_equivalence_on_sparse_data": reason,
    }


@pytest.mark.parametrize("check", testing.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_behaviour(cls, check, layout):
    check(make(cls, **SETTINGS.get(cls.__name__, {})), layout)


@parametrize_with_checks([make(cls) for cls in ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_docstring_says_that_score_is_auc(cls):
    assert "``score`` is AUC" in cls.__doc__


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_to_sklearn_has_the_same_decision_function(cls, problem):
    X, y, _ = problem
    model = make(cls).fit(X, y)
    np.testing.assert_allclose(
        model.to_sklearn().decision_function(X), model.decision_function(X), atol=1e-12
    )


class Sums(NamedTuple):
    """Weighted sums of the rows of each class, negative and positive, and the weights' squared norm."""

    rows: np.ndarray
    weight: np.ndarray
    sqnorm: float

    def last(self):
        return np.subtract(*(self.rows / np.maximum(self.weight, 1e-300)[:, None])[::-1])


class Solver(NamedTuple):
    model: Sums


class MeanDifference(LinearAUCClassifier):
    """The difference of the class means: the simplest estimator with all the behaviour."""

    def fit(self, X, y, sample_weight=None):
        vars(self).clear()
        return self.partial_fit(X, y, sample_weight=sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        first = not hasattr(self, "_solver")
        X, y = check_labelled(self, X, y, reset=first)
        if first:
            self.classes_ = check_classes(y, classes)
            self._solver = Solver(Sums(np.zeros((2, X.shape[1])), np.zeros(2), 0.0))
        sums = self._solver.model
        dense = X.toarray() if sparse.issparse(X) else X
        weights = signed_weights(y, self.classes_, self.read_weights(sample_weight, len(y)))
        for row, signed in zip(dense, weights, strict=True):
            sums.rows[int(signed > 0)] += abs(signed) * row
            sums.weight[int(signed > 0)] += abs(signed)
        w = self.change(sums.last(), X)
        self._solver = Solver(sums._replace(sqnorm=self.measure(sums.last())))
        self.n_iter_ = 1
        self._set_coef(w, 0.0)
        return self

    def read_weights(self, sample_weight, n_rows):
        return check_weights(sample_weight, n_rows)

    def measure(self, w):
        return w @ w

    def change(self, w, X):
        return w


class DependsOnLayout(MeanDifference):
    def change(self, w, X):
        return w * (1 + 1e-6 * sparse.issparse(X))


class DependsOnChunks(MeanDifference):
    def change(self, w, X):
        return w * (1 + 1e-12 * X.shape[0])


class FavoursTheFirstColumn(MeanDifference):
    def change(self, w, X):
        return w + 1e-6 * np.eye(len(w))[0]


class FavoursPositiveWeights(MeanDifference):
    def change(self, w, X):
        return w + 1e-6


class LearnsNothingFromFloat32(MeanDifference):
    def change(self, w, X):
        return w * (X.dtype != np.float32)


class ForgetsWhenPickled(MeanDifference):
    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name != "_solver"}


class NeedsBothClasses(MeanDifference):
    def change(self, w, X):
        return w if self._solver.model.weight.all() else np.full_like(w, np.nan)


class IgnoresWeights(MeanDifference):
    def read_weights(self, sample_weight, n_rows):
        return np.ones(n_rows)


class DividesByTheNumberOfRows(MeanDifference):
    """Rows of weight zero count, though not their values."""

    def change(self, w, X):
        return w / X.shape[0]


class ApproximatesTheNorm(MeanDifference):
    def measure(self, w):
        return (1 + 1e-6) * (w @ w)


class Overflows(MeanDifference):
    def change(self, w, X):
        with np.errstate(over="ignore", invalid="ignore"):
            return w * (w @ w) / (w @ w)


class RefusesWithoutAdvice(MeanDifference):
    def change(self, w, X):
        if np.abs(w).max() > 1e6:
            raise ValueError("bad input")
        return w


class KeepsTheRows(MeanDifference):
    def change(self, w, X):
        self.rows_ = [*getattr(self, "rows_", ()), X]
        return w


BROKEN = {
    DependsOnLayout: "layouts_agree",
    DependsOnChunks: "chunks_agree",
    FavoursTheFirstColumn: "features_permute",
    FavoursPositiveWeights: "labels_swap",
    LearnsNothingFromFloat32: "input_is_not_changed",
    ForgetsWhenPickled: "pickle_continues_the_stream",
    NeedsBothClasses: "second_class_may_come_late",
    IgnoresWeights: "zero_weights_do_nothing",
    DividesByTheNumberOfRows: "zero_weights_do_nothing",
    ApproximatesTheNorm: "squared_norm_is_exact",
    Overflows: "huge_values_give_no_nan",
    RefusesWithoutAdvice: "huge_values_give_no_nan",
    KeepsTheRows: "memory_is_bounded",
}


@pytest.mark.parametrize("check", testing.CHECKS, ids=lambda check: check.__name__)
def test_a_sound_estimator_passes(check, layout):
    check(MeanDifference(), layout)


@pytest.mark.parametrize("cls", BROKEN)
def test_a_broken_estimator_fails(cls):
    with pytest.raises(AssertionError):
        getattr(testing, BROKEN[cls])(cls(), sparse.csr_array)


def test_every_check_can_fail():
    assert {check.__name__ for check in testing.CHECKS} == set(BROKEN.values())
