"""Curves from records: the mean over repeats at each point, and how far repeats spread."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

Records = list[dict[str, Any]]


class Curve(NamedTuple):
    """Means over repeats, with the least and the greatest value at each point.

    Each split of the rows has its own level of AUC, which says nothing about the way to it: curves of AUC
    are shifted to end at the common mean, or to have it, before the least and the greatest are taken.
    """

    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray


def names(figure: Any, records: Records) -> tuple[list[str], list[str]]:
    """The data sets and the methods that there are records of, in the figure's order."""
    jobs = figure.jobs(records[0]["quick"])
    found = {(record["data"], record["method"]) for record in records}
    kept = [job for job in jobs if (job.data, job.method) in found]
    return list(dict.fromkeys(job.data for job in kept)), list(dict.fromkeys(job.method for job in kept))


def curve(records: Records, data: str, method: str, x: str, y: str) -> Curve | None:
    """A method's curve on a data set; None where nothing of the kind was measured."""
    kept = [record for record in records if (record["data"], record["method"]) == (data, method)]
    points: dict[int, list[tuple[float, float]]] = {}
    for record in sorted(kept, key=lambda record: record["repeat"]):
        if x in record and y in record:
            points.setdefault(record["point"], []).append((record[x], record[y]))
    if not points:
        return None
    pairs = [np.array(points[point]) for point in sorted(points)]
    levels = _levels(pairs, x) if y == "auc" else np.zeros(1)
    columns = []
    for pair in pairs:
        level = levels - levels.mean() if len(levels) == len(pair) else 0.0
        columns.append((*pair.mean(axis=0), (pair[:, 1] - level).min(), (pair[:, 1] - level).max()))
    return Curve(*np.array(columns).T)


def _levels(pairs: list[np.ndarray], x: str) -> np.ndarray:
    """Each repeat's own AUC: where its curve ends, or its mean where the points are in no order of time."""
    if x == "degree" and len({len(pair) for pair in pairs}) == 1:
        return np.mean([pair[:, 1] for pair in pairs], axis=0)
    return pairs[-1][:, 1]


def measured(records: Records, data: str, method: str, x: str, y: str) -> Curve:
    """The same of what is known to have been measured."""
    found = curve(records, data, method, x, y)
    if found is None:
        raise ValueError(f"There are no records of {method} on {data} with {x} and {y}.")
    return found


def first_within(found: Curve, margin: float) -> float:
    """Where the curve first comes within ``margin`` of its own best."""
    return float(found.x[np.argmax(found.y >= found.y.max() - margin)])


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(heads), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
