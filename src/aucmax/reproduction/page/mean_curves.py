"""Curves from records: the mean over repeats at each point, and the range of the repeats."""

from typing import NamedTuple

import numpy as np

from ..experiments.figure import Figure
from ..experiments.job import Record


class Curve(NamedTuple):
    """Means over repeats, with the smallest and the largest value at each point.

    The rows of some splits are easier to rank than others, which shifts a whole curve of AUC. To show how
    training differs, each repeat's AUC at the end of training, or its mean over all degrees, is subtracted
    before the smallest and the largest are taken, and the mean of these over the repeats is added again.
    """

    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def first_x(self, level: float) -> float:
        """Where the curve first reaches the level."""
        return float(self.x[np.argmax(self.y >= level)])


def mean_curves(figure: Figure, records: list[Record], x: str, y: str) -> dict[str, dict[str, Curve]]:
    """The recorded curves of a figure by data set and method, in the figure's order."""
    recorded: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        recorded.setdefault((record["data"], record["method"]), []).append(record)
    curves: dict[str, dict[str, Curve]] = {}
    for job in figure.jobs(records[0]["quick"]):
        if found := recorded.get((job.data, job.method)):
            curves.setdefault(job.data, {})[job.method] = mean_curve(found, x, y)
    return curves


def mean_curve(records: list[Record], x: str, y: str) -> Curve:
    """A method's curve on a data set, from its records; without points where y was not measured."""
    points: dict[int, list[tuple[float, float]]] = {}
    for record in sorted(records, key=lambda record: record["repeat"]):
        if x in record and y in record:
            points.setdefault(record["point"], []).append((record[x], record[y]))
    repeats = [np.array(points[point]) for point in sorted(points)]
    levels = _split_levels(repeats, x) if y == "auc" and repeats else np.zeros(1)
    columns = []
    for values in repeats:
        shift = levels - levels.mean() if len(levels) == len(values) else 0.0
        shifted = values[:, 1] - shift
        columns.append((*values.mean(axis=0), shifted.min(), shifted.max()))
    return Curve(*np.array(columns).reshape(-1, 4).T)


def _split_levels(repeats: list[np.ndarray], x: str) -> np.ndarray:
    """Each repeat's AUC at the end of training, or its mean over all degrees."""
    if x == "degree" and len({len(values) for values in repeats}) == 1:
        return np.mean([values[:, 1] for values in repeats], axis=0)
    return repeats[-1][:, 1]
