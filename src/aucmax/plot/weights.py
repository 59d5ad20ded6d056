"""The weights that matter most in a linear model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from ..validation.errors import DataError
from ..validation.namespaces import as_numpy
from ..validation.parameters import positive_integer
from .axes import GREY, NEGATIVE, POSITIVE, Axes, get_axes, label_axes

LONGEST_NAME = 40  # characters of a feature's name


def coefficients(model: Any, X: Any = None, ax: "Axes | None" = None, *, top: int = 20) -> "Axes":
    """Draw the largest weights of a linear model, each times the spread of its column.

    This is how far the score moves with a typical change of the feature, so columns in different units can be
    compared; correlated columns share what they have in common in some proportion.

    Parameters
    ----------
    model : fitted estimator, or Pipeline that ends in one
        A linear classifier of two classes, of aucmax or scikit-learn.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Rows, such as those of the training, whose standard deviations are the spreads. By default the
        spreads are the model's ``feature_scale_``, which `AUCClassifier` and `AUCClassifierCV` have.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    top : int, default=20
        How many weights to draw; those of 0 are left out.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier, plot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> plot.coefficients(AUCClassifier().fit(X, y), top=5).get_yticklabels()[-1].get_text()
    'radius error'
    """
    positive_integer.check("top", top)
    linear = model[-1] if isinstance(model, Pipeline) else model
    check_is_fitted(linear, "coef_")
    weight = np.asarray(as_numpy(linear.coef_), dtype=float)
    if weight.shape[0] != 1 or weight.ndim != 2:
        raise DataError(f"coef_ has shape {weight.shape}", remedy="give a model of two classes")
    spread = _find_spread(model, linear, X)
    if spread.shape != weight[0].shape:
        raise DataError(f"X has shape {np.shape(X)}", remedy=f"give {{X}} with {weight.size} columns")
    effect = weight[0] * spread
    largest = np.argsort(-np.abs(effect), kind="stable")[:top]
    largest = largest[effect[largest] != 0][::-1]  # the largest is drawn last, at the top
    ax = get_axes(ax, (5, max(2.0, 1.4 + 0.21 * len(largest))))
    for sign, name, color in zip((1, -1), linear.classes_[::-1], (POSITIVE, NEGATIVE), strict=True):
        chosen = np.flatnonzero(np.sign(effect[largest]) == sign)
        ax.barh(chosen, effect[largest[chosen]], color=color, height=0.7, label=f"towards {name}")
    names = _find_names(model, linear, weight.size)
    names = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in names]
    ax.set_yticks(range(len(largest)), [names[k] for k in largest], fontsize="small")
    ax.axvline(0, color=GREY, linewidth=0.8)
    label_axes(ax, "weight × spread of the column", "", "best")
    title = f"the {len(largest)} largest of {np.count_nonzero(effect):,} weights"
    above: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 2}  # of the bars
    ax.legend(title=title, frameon=False, fontsize="small", **above)
    return ax


def _find_spread(model: Any, linear: Any, X: Any) -> NDArray:
    """The spread of each column that the linear model sees."""
    if X is None:
        if not hasattr(linear, "feature_scale_"):
            name = type(linear).__name__
            raise DataError(f"{name} does not know the spread of its columns", remedy="give {X} too")
        return np.asarray(as_numpy(linear.feature_scale_), dtype=float)
    if isinstance(model, Pipeline):
        X = model[:-1].transform(X)
    if not sparse.issparse(X):
        return np.std(np.asarray(as_numpy(X), dtype=float), axis=0)
    return np.sqrt(mean_variance_axis(sparse.csr_array(X, dtype=float), axis=0)[1])


def _find_names(model: Any, linear: Any, size: int) -> list[str]:
    """Names of the columns that the linear model sees; their numbers where they have none."""
    if hasattr(linear, "feature_names_in_"):
        return [str(name) for name in linear.feature_names_in_]
    if isinstance(model, Pipeline) and len(model) > 1:
        try:
            return [str(name) for name in model[:-1].get_feature_names_out()]
        except (AttributeError, ValueError):  # a step that does not name its columns
            pass
    return [f"column {k}" for k in range(size)]
