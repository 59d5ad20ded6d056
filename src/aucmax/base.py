"""Methods that all estimators share: scores, predictions, AUC, and conversion to scikit-learn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .calibration import Calibration
from .kernels.rows import as_rows, scores
from .metrics import auc
from .validation.arrays import check_labelled, check_rows
from .validation.labels import check_classes, check_known_labels
from .validation.parameters import Rule
from .validation.weights import check_total_weight, check_weights, signed_weights


@contextmanager
def restored_on_error(estimator: Any) -> Iterator[None]:
    """Restore the estimator's attributes if an error or an interrupt ends the block."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class _NoProbabilities:
    """A method that an estimator does not have: reading it raises an error that says what to use instead."""

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        raise AttributeError(
            f"{owner.__name__} has no predict_proba, since it scores no row that it has not learnt from; use "
            "AUCClassifierCV, which calibrates on its folds, or wrap this model in "
            "sklearn.calibration.CalibratedClassifierCV."
        )


class LinearAUCClassifier(ClassifierMixin, BaseEstimator):
    """A linear classifier of two classes whose ``score`` is AUC, so that a grid search maximises AUC.

    ``classes_[1]`` is the positive class.
    """

    _rules: ClassVar[dict[str, Rule]] = {}

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray
    n_features_in_: int
    n_iter_: int

    def decision_function(self, X: Any) -> np.ndarray:
        """Score each row; higher scores are more likely ``classes_[1]``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        return scores(as_rows(X), self.coef_[0]) + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Label each row: ``classes_[1]`` where the decision function is positive."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    predict_proba: Any = _NoProbabilities()
    predict_log_proba: Any = _NoProbabilities()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Area under the ROC curve on the given rows; ties count one half."""
        decision = self.decision_function(X)
        check_known_labels(np.asarray(y), self.classes_)
        return auc(np.asarray(y) == self.classes_[1], decision, sample_weight)

    def to_sklearn(self) -> LinearSVC:
        """Return a fitted scikit-learn ``LinearSVC`` with the same decision function."""
        check_is_fitted(self)
        return self._linear_model(LinearSVC(), 1.0, 0.0)

    def _linear_model(self, model: Any, slope: float, shift: float) -> Any:
        """Fit a linear model of scikit-learn to ``slope`` times the decision function plus ``shift``."""
        model.coef_, model.intercept_ = slope * self.coef_, slope * self.intercept_ + shift
        for name in ("classes_", "n_iter_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _validate(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray]:
        """Validate the data of a fit; return ``X`` and signed weights, scaled to a mean of one."""
        X, y = check_labelled(self, X, y, reset=True)
        weights = check_weights(sample_weight, len(y))
        if sample_weight is None:
            self.classes_ = check_classes(y)
            return X, signed_weights(y, self.classes_, weights)
        with np.errstate(over="ignore"):
            check_total_weight(weights.sum())
        counted = weights > 0
        self.classes_ = check_classes(y[counted])
        check_known_labels(y, self.classes_)
        return X, signed_weights(y, self.classes_, weights / weights[counted].mean())

    def _set_coef(self, w: np.ndarray, threshold: float) -> None:
        """Set ``coef_`` and ``intercept_``; scores above ``threshold`` are predicted positive."""
        self.coef_ = w[None, :]
        self.intercept_ = np.array([-threshold])


class ProbabilityMixin:
    """Probabilities for a linear classifier that has scores of rows it had not learnt from.

    ``calibration_`` turns its decision function into log-odds.
    """

    calibration_: Calibration
    decision_function: Callable[[Any], np.ndarray]
    _linear_model: Callable[[Any, float, float], Any]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class; it ranks the rows as the decision function does.

        Calibrated on scores of rows that the model had not learnt from.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2)
            In the order of ``classes_``.
        """
        positive = self._calibrated(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def to_sklearn(self, probabilities: bool = False) -> LinearSVC | LogisticRegression:
        """Return a fitted scikit-learn classifier with the same weights.

        Parameters
        ----------
        probabilities : bool, default=False
            False gives a ``LinearSVC`` with the same decision function. True gives a ``LogisticRegression``
            with the same probabilities, which must follow a sigmoid.

        Returns
        -------
        LinearSVC or LogisticRegression
        """
        check_is_fitted(self)
        if not probabilities:
            return self._linear_model(LinearSVC(), 1.0, 0.0)
        self._calibrated(np.zeros(0))
        if not self.calibration_.is_sigmoid:
            raise ValueError(
                "A logistic regression has the same probabilities only if they follow a sigmoid; fit the "
                'model with calibration="sigmoid".'
            )
        return self._linear_model(LogisticRegression(), *self.calibration_.as_line())

    def _calibrated(self, decision: np.ndarray) -> np.ndarray:
        if not hasattr(self, "calibration_"):
            raise AttributeError(
                f"This {type(self).__name__} has no probabilities, as it comes from a file of version 0.1; "
                "fit it again, or wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        return self.calibration_.probability(decision)
