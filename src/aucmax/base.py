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
from .validation.array_labels import check_same_device, positive_rows, signed_array_labels, signed_labels
from .validation.arrays import check_labelled, check_rows
from .validation.labels import check_known_labels, check_two_classes
from .validation.namespaces import as_numpy, find_arrays
from .validation.parameters import Rule


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


class ReadWhenAsked:
    """A fitted attribute that ``_values`` of the estimator computes when it is first read.

    Where it has been set, as by a model file, that value is read.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        return self if estimator is None else estimator._values(self._name)[self._name]


class NoProbabilities:
    """A method that an estimator does not have: reading it raises an error that says what to use instead."""

    def __init__(self, instead: str) -> None:
        self._instead = instead

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        raise AttributeError(
            f"{owner.__name__} has no predict_proba, since it scores no row that it has not learnt from; use "
            f"{self._instead}."
        )


_CALIBRATED = (
    "AUCClassifierCV, which calibrates on its folds, or wrap this model in "
    "sklearn.calibration.CalibratedClassifierCV"
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
        return self._scores(X, "decision_function")

    def _scores(self, X: Any, method: str) -> Any:
        """Scores of the rows; ``method`` is named in errors."""
        check_is_fitted(self)
        check_same_device(self, X, method)
        X = check_rows(self, X, reset=False)
        arrays = find_arrays(X)
        if arrays is None:
            return scores(as_rows(X), self.coef_[0]) + self.intercept_[0]
        weights = arrays.xp.astype(self.coef_[0, :], X.dtype, copy=False)
        return arrays.float64(X @ weights) + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Label each row: ``classes_[1]`` where the decision function is positive."""
        positive = self._scores(X, "predict") > 0
        arrays = find_arrays(positive)
        if arrays is None:
            return self.classes_[positive.astype(int)]
        if isinstance(self.classes_, np.ndarray):  # labels that the library of X cannot hold, such as text
            return self.classes_[arrays.get(positive).astype(int)]
        return self.classes_[arrays.xp.astype(positive, arrays.xp.int64)]

    predict_proba: Any = NoProbabilities(_CALIBRATED)
    predict_log_proba: Any = NoProbabilities(_CALIBRATED)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Area under the ROC curve on the given rows; ties count one half."""
        decision = self._scores(X, "score")
        arrays = find_arrays(decision)
        if arrays is not None:
            positive = positive_rows(arrays, y, self.classes_)
        else:
            y = np.asarray(as_numpy(y))
            check_known_labels(y, self.classes_)
            positive = y == self.classes_[1]
        found = as_numpy(positive)
        if found.size and found.all() == found.any():  # one class: `auc` would call it True or False
            check_two_classes(as_numpy(self.classes_)[[int(found.all())]])
        return auc(positive, decision, sample_weight)

    def to_sklearn(self) -> LinearSVC:
        """Return a fitted scikit-learn ``LinearSVC`` with the same decision function."""
        check_is_fitted(self)
        return self._linear_model(LinearSVC(), 1.0, 0.0)

    def _linear_model(self, model: Any, slope: float, shift: float) -> Any:
        """Make a scikit-learn model a fitted one with scores ``slope * decision_function(X) + shift``."""
        coef, intercept = as_numpy(self.coef_), as_numpy(self.intercept_)
        model.coef_, model.intercept_ = slope * coef, slope * intercept + shift
        for name in ("classes_", "n_iter_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, as_numpy(getattr(self, name)))
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _validate(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray]:
        """Validate the data of a fit; return ``X`` and signed weights, whose sizes have a mean of one.

        They are negative for rows of the negative class.
        """
        X, y = check_labelled(self, X, y, reset=True)
        arrays = find_arrays(X)
        if arrays is None:
            self.classes_, signed = signed_labels(as_numpy(y), as_numpy(sample_weight))
        else:
            self.classes_, signed = signed_array_labels(arrays, y, sample_weight)
        return X, signed

    def _set_coef(self, w: np.ndarray, threshold: float) -> None:
        """Set ``coef_`` and ``intercept_``; scores above ``threshold`` are predicted positive."""
        self.coef_ = w[None, :]
        self.intercept_ = np.array([-threshold])


class ProbabilityMixin:
    """Probabilities for a linear classifier, calibrated on scores of rows that it was not trained on.

    ``calibration_`` turns its decision function into log-odds.
    """

    calibration_: Calibration
    _scores: Callable[[Any, str], Any]
    _linear_model: Callable[[Any, float, float], Any]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class; it ranks the rows as the decision function does.

        They are calibrated on scores of rows that the model was not trained on.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2)
            In the order of ``classes_``.
        """
        return self._probabilities(X, "predict_proba")

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return self._probabilities(X, "predict_log_proba", np.log)

    def _probabilities(self, X: Any, method: str, function: Callable = np.asarray) -> Any:
        """A function of the probabilities of both classes, in X's array library and on its device."""
        decision = self._scores(X, method)
        positive = self._calibrated(as_numpy(decision))
        both, arrays = function(np.column_stack([1.0 - positive, positive])), find_arrays(decision)
        return both if arrays is None else arrays.put(both)

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
            takes_sigmoid = "calibration" in self.get_params()  # type: ignore[attr-defined]
            model = "the model" if takes_sigmoid else "an AUCClassifierCV"
            raise ValueError(
                "A logistic regression has the same probabilities only if they follow a sigmoid; fit "
                f'{model} with calibration="sigmoid".'
            )
        return self._linear_model(LogisticRegression(), *self.calibration_.as_line())

    def _calibrated(self, decision: np.ndarray) -> np.ndarray:
        if not hasattr(self, "calibration_"):
            raise AttributeError(
                f"This {type(self).__name__} has no probabilities, as it comes from a file of version 0.1; "
                "fit it again, or wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        return self.calibration_.probability(decision)
