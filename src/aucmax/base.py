"""Methods that all estimators share: scores, predictions, AUC, and conversion to scikit-learn."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Area under the ROC curve on the given rows; ties count one half."""
        decision = self.decision_function(X)
        check_known_labels(np.asarray(y), self.classes_)
        return auc(np.asarray(y) == self.classes_[1], decision, sample_weight)

    def to_sklearn(self) -> LinearSVC:
        """Return a fitted scikit-learn ``LinearSVC`` with the same decision function."""
        check_is_fitted(self)
        model = LinearSVC()
        model.coef_, model.intercept_ = self.coef_.copy(), self.intercept_.copy()
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
