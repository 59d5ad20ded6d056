"""Logistic regression to compare AUC models with.

It is scaled and tuned with care, since better results than those of a weak baseline would prove nothing.
"""

import warnings
from typing import Any

import numpy as np

N_FOLDS = 5
C_GRID = 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0  # tried by cross-validation
# C is chosen on at most so many rows, half of each class: the best C depends more on the columns than on the
# number of rows.
MAX_TUNING_ROWS = 5000
# Up to so many columns newton-cholesky is the fastest solver; its steps cost the square of that number.
MAX_NEWTON_FEATURES = 1000


def stratified_folds(y: np.ndarray, seed: int) -> Any:
    """Splitter into shuffled folds with equal shares of each class; fewer folds if a class has few rows."""
    from sklearn.model_selection import StratifiedKFold

    rarest_size = int(np.unique(y, return_counts=True)[1].min())
    return StratifiedKFold(max(2, min(N_FOLDS, rarest_size)), shuffle=True, random_state=seed)


def with_scaler(model: Any, X: Any) -> Any:
    """The model in a pipeline after a StandardScaler; sparse columns are not centred."""
    from scipy import sparse
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=not sparse.issparse(X)), model)


def sparse_scaler(X: Any) -> Any:
    """A transformer that scales sparse columns as `AUCClassifier` does, so that rare values stay small."""
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.utils.sparsefuncs import mean_variance_axis

    from ..batch.scaling import SPARSE_EXPONENT

    mean, variance = mean_variance_axis(X, axis=0)
    scale = np.sqrt(variance + mean**2) ** SPARSE_EXPONENT
    scale[scale == 0.0] = 1.0
    return FunctionTransformer(divide_columns, kw_args={"scale": scale}, accept_sparse=True)


def divide_columns(X: Any, scale: np.ndarray) -> Any:
    """Sparse rows with each column divided by its scale."""
    from scipy import sparse

    return sparse.csr_array(X @ sparse.diags_array(1.0 / scale))


def logistic_regression(
    X: Any, y: np.ndarray, class_weight: str | None = None, max_fpr: float | None = None
) -> Any:
    """LogisticRegression after scaling, with the C of the highest mean AUC, or partial AUC, over folds."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer, roc_auc_score
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    solver = "newton-cholesky" if X.shape[1] <= MAX_NEWTON_FEATURES else "lbfgs"
    model: Any = LogisticRegression(solver=solver, max_iter=1000, class_weight=class_weight)
    model = make_pipeline(sparse_scaler(X), model) if sparse.issparse(X) else with_scaler(model, X)
    rows = tuning_rows(y)
    scoring = make_scorer(roc_auc_score, response_method="decision_function", max_fpr=max_fpr)
    grid, folds = {"logisticregression__C": C_GRID}, stratified_folds(y[rows], seed=0)
    search = GridSearchCV(model, grid, scoring=scoring, cv=folds, refit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = search.fit(X[rows], y[rows]).best_params_
    return model.set_params(**best)


def tuning_rows(y: np.ndarray) -> np.ndarray:
    """Numbers of the rows that C is chosen on: all, or at most half of the limit from each class."""
    if len(y) <= MAX_TUNING_ROWS:
        return np.arange(len(y))
    rng = np.random.default_rng(0)
    parts = [rng.permutation(np.flatnonzero(y == label))[: MAX_TUNING_ROWS // 2] for label in np.unique(y)]
    return np.sort(np.concatenate(parts))


def linear_weights(fitted: Any) -> np.ndarray:
    """The weights of a fitted ``logistic_regression``, for columns before scaling."""
    scaler = fitted[0]
    return fitted[-1].coef_[0] / (scaler.scale_ if hasattr(scaler, "scale_") else scaler.kw_args["scale"])
