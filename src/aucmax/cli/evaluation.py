"""The AUC of a model and of logistic regression: on test rows, or by cross-validation."""

import time
import warnings
from typing import TYPE_CHECKING, Any

from ..io.reading.options import ReadOptions
from .data import check_labels, labels, load
from .scoring import errors_about_model, score_labelled_rows

if TYPE_CHECKING:
    import numpy as np

N_FOLDS = 5
# Up to this many columns a Newton step, whose cost grows with the square of the columns, is the fastest.
MAX_NEWTON_FEATURES = 1000


def with_scaler(model: Any, X: Any) -> Any:
    """The model in a pipeline after a StandardScaler; sparse columns keep their mean."""
    from scipy import sparse
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=not sparse.issparse(X)), model)


def logistic_regression(X: Any) -> Any:
    """The baseline: scikit-learn's, on scaled features."""
    from sklearn.linear_model import LogisticRegression

    solver = "newton-cholesky" if X.shape[1] <= MAX_NEWTON_FEATURES else "lbfgs"
    return with_scaler(LogisticRegression(solver=solver, max_iter=1000), X)


def stratified_folds(y: "np.ndarray", seed: int) -> Any:
    """Splitter into shuffled folds with equal shares of each class; fewer folds if a class has few rows."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold

    rarest = int(np.unique(y, return_counts=True)[1].min())
    return StratifiedKFold(max(2, min(N_FOLDS, rarest)), shuffle=True, random_state=seed)


def cross_validate(model: Any, X: Any, y: "np.ndarray", folds: list) -> dict[str, Any]:
    """Mean and standard deviation of the AUC of the folds and mean seconds of a fit, or why a fit failed."""
    import numpy as np

    from ..metrics import auc

    scores, seconds = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X[folds[0][0]], y[folds[0][0]])  # compiles before the time is measured
            for train, test in folds:
                start = time.perf_counter()
                model.fit(X[train], y[train])
                seconds.append(time.perf_counter() - start)
                scores.append(auc(y[test], model.decision_function(X[test])))
        except (ValueError, MemoryError) as error:
            return {"failed": str(error) or "does not fit in memory"}
    return {"auc": np.mean(scores), "std": np.std(scores, ddof=1), "seconds": np.mean(seconds)}


def evaluate_by_folds(model: Any, table: Any, folds: Any, baseline: bool) -> dict[str, Any]:
    """AUC on the folds on which the penalty was chosen, and that of logistic regression."""
    import numpy as np
    from sklearn.model_selection import cross_val_score

    X, y = table.X, table.y
    best = int(abs(model.l2s_ - model.l2_).argmin())
    n_rarer = int(np.unique(y, return_counts=True)[1].min())
    result: dict[str, Any] = fold_interval(model.scores_[best], n_rarer)
    result["how"] = f"by {model.scores_.shape[1]}-fold cross-validation"
    if baseline:
        options = {"cv": folds, "scoring": "roc_auc", "error_score": "raise"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = cross_val_score(logistic_regression(X), X, y, **options)
        result["logistic_regression"] = fold_interval(found, n_rarer)
    return result


def fold_interval(scores: "np.ndarray", n_rarer: int) -> dict[str, float]:
    """Mean AUC of the folds with the 95 % interval of Student's t.

    If all folds have the same AUC, most often 1, the standard deviation is 0. Then the interval is the one
    of ``auc_interval`` for as many independent pairs as the rarer class has rows.
    """
    import numpy as np
    from scipy import stats

    from ..metrics.delong import chernoff_interval

    mean, n_folds = float(np.mean(scores)), len(scores)
    if np.ptp(scores) == 0.0:
        low, high = chernoff_interval(mean, n_rarer, 0.025)
        return {"auc": mean, "low": low, "high": high}
    half = float(stats.t.isf(0.025, n_folds - 1) * np.std(scores, ddof=1) / np.sqrt(n_folds))
    return {"auc": mean, "low": max(mean - half, 0.0), "high": min(mean + half, 1.0)}


def evaluate_on_test(
    model: Any, table: Any, test: str, options: ReadOptions, baseline: bool
) -> dict[str, Any]:
    """AUC on test rows, with DeLong's interval and test of the difference."""
    import numpy as np

    from ..metrics import auc_difference, auc_interval

    if table.feature_names is None and options.n_features is None:
        options = options._replace(n_features=table.X.shape[1])
    with errors_about_model():
        unseen = load(test, options._replace(features=table.feature_names))
    y = labels(unseen, test)
    check_labels(y, test, model.classes_)
    check_labels(np.unique(y), test)
    positive, score = y == model.classes_[1], model.decision_function(unseen.X)
    result: dict[str, Any] = auc_interval(positive, score)._asdict()
    result["how"] = f"on the {len(y):,} rows of {test}"
    if baseline:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = logistic_regression(table.X).fit(table.X, table.y).decision_function(unseen.X)
        result["logistic_regression"] = auc_interval(positive, other)._asdict()
        result["difference"] = auc_difference(positive, score, other)._asdict()
    return result


def evaluate_on_stream(model: Any, test: str, options: ReadOptions) -> dict[str, Any]:
    """AUC on test rows that are read by chunks; only their scores are kept in memory."""
    from ..io.storage.models import Scorer
    from ..metrics import auc_interval

    fitted = vars(model) | {"coef_": model.coef_, "intercept_": model.intercept_}  # computed when first read
    positive, score, _ = score_labelled_rows(Scorer.from_attributes(fitted), test, options)
    return auc_interval(positive, score)._asdict() | {"how": f"on the {len(score):,} rows of {test}"}
