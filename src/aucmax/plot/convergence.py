"""How fast each method improves."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation.parameters import one_of
from .axes import Axes, get_axes, label_axes

X_LABELS = {"seconds": "training time [s]", "rows": "rows seen", "passes": "passes over the data"}
Y_LABELS = {"auc": "AUC", "gap": "objective minus its minimum"}


def convergence(
    records: Iterable[Mapping[str, Any]], x: str = "seconds", y: str = "auc", ax: "Axes | None" = None
) -> "Axes":
    """Draw how fast each method improves.

    Parameters
    ----------
    records : iterable of mappings, or a data frame
        One for each measurement, with the keys named by ``x`` and ``y`` and, for one curve per method,
        ``"method"``. Measurements of one method at the same ``x`` (several seeds or folds) are drawn as their
        median, within a band from their minimum to their maximum.
    x : {"seconds", "rows", "passes"}, default="seconds"
        The horizontal axis: the cost of training so far.
    y : {"auc", "gap"}, default="auc"
        The vertical axis: AUC, or the objective minus its minimum, on a logarithmic scale.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> records = [{"method": "SOLAM", "passes": k, "auc": 1 - 0.5**k} for k in range(1, 5)]
    >>> plot.convergence(records, x="passes").get_ylabel()
    'AUC'
    """
    one_of(*X_LABELS).check("x", x)
    one_of(*Y_LABELS).check("y", y)
    ax = get_axes(ax)
    for method, values_at in _group_by_method(records, x, y).items():
        costs = np.array(sorted(values_at))
        low, median, high = _summarise([values_at[cost] for cost in costs], log_scale=y == "gap")
        (line,) = ax.plot(costs, median, marker="o", markersize=3, linewidth=1.5, label=method)
        if (low < high).any():
            ax.fill_between(costs, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    if y == "gap":
        ax.set_yscale("log")
    return label_axes(ax, X_LABELS[x], Y_LABELS[y], "best")


def _summarise(groups: list[list[float]], log_scale: bool) -> NDArray:
    """Minima, medians and maxima; for a log scale, zeros become half of the smallest positive number."""
    summary = np.array([(min(group), np.median(group), max(group)) for group in groups]).T
    if log_scale:
        above = summary[summary > 0]
        summary = np.maximum(summary, above.min() / 2 if above.size else 1e-16)
    return summary


def _group_by_method(records: Any, x: str, y: str) -> dict[str, dict[float, list[float]]]:
    """The values of ``y`` by method and by the value of ``x``."""
    if hasattr(records, "to_dict") and not isinstance(records, Mapping):
        records = records.to_dict("records")
    curves: dict[str, dict[float, list[float]]] = {}
    for number, record in enumerate(records):
        for key in (x, y):
            if key not in record:
                keys = ", ".join(map(repr, record))
                raise ValueError(f"record {number} has no {key!r}; choose x and y among {keys}.")
        points = curves.setdefault(str(record.get("method", "")), {})
        points.setdefault(float(record[x]), []).append(float(record[y]))
    if not curves:
        raise ValueError("records is empty; pass at least one measurement.")
    return curves
