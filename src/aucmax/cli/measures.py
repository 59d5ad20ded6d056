"""How well scores rank rows: AUC, partial AUC, average precision and the top of the list."""

from typing import Any

import numpy as np

FRACTIONS = (0.01, 0.05, 0.1)  # of the rows, those with the highest scores
MAX_FPR = 0.05
TOP = FRACTIONS[0]


def describe_ranking(positive: np.ndarray, score: np.ndarray, max_fpr: float) -> dict[str, Any]:
    """AUC and partial AUC with intervals, average precision, and rates among the highest scores."""
    from ..metrics import average_precision, top

    return {
        **describe_auc(positive, score, max_fpr),
        "average_precision": average_precision(positive, score),
        "top": [
            {
                name: value._asdict() if hasattr(value, "_asdict") else value
                for name, value in row._asdict().items()
            }
            for row in top(positive, score, FRACTIONS)
        ],
    }


def compare_scores(
    positive: np.ndarray, score: np.ndarray, other: np.ndarray | None, max_fpr: float | None
) -> dict[str, Any]:
    """AUC, and partial AUC if given; those of logistic regression if its scores are given; the difference."""
    from ..metrics import auc_difference

    result = describe_auc(positive, score, max_fpr)
    if other is None:
        return result
    difference = auc_difference(positive, score, other)._asdict()
    if max_fpr is not None:
        partial = auc_difference(positive, score, other, max_fpr=max_fpr, standardized=True)
        difference["partial_auc"] = partial._asdict()
    return result | {"logistic_regression": describe_auc(positive, other, max_fpr), "difference": difference}


def describe_auc(positive: np.ndarray, score: np.ndarray, max_fpr: float | None) -> dict[str, Any]:
    """AUC with its interval and, where there is a largest rate, the standardized partial AUC with its own."""
    from ..metrics import auc_interval, partial_auc_interval

    result: dict[str, Any] = auc_interval(positive, score)._asdict()
    if max_fpr is not None:
        found = partial_auc_interval(positive, score, max_fpr, standardized=True)
        partial = {"max_fpr": max_fpr, "value": found.auc, "low": found.low, "high": found.high}
        result["partial_auc"] = partial
    return result


def measure(positive: np.ndarray, score: np.ndarray, max_fpr: float) -> dict[str, float]:
    """The measures that `compare` shows, of one fold; each is between 0 and 1, not yet standardized."""
    from ..metrics import auc, average_precision, partial_auc, top

    return {
        "auc": auc(positive, score),
        "partial_auc": partial_auc(positive, score, max_fpr) / max_fpr,
        "average_precision": average_precision(positive, score),
        "top_recall": top(positive, score, TOP)[0].recall.value,
    }


def fold_intervals(found: list[dict[str, float]], n: tuple[int, int], max_fpr: float) -> dict[str, Any]:
    """Mean and interval of each measure over the folds of a sample with ``n`` positive and negative rows."""
    from ..metrics.partial import Region

    pairs = dict.fromkeys(found[0], min(n)) | {"partial_auc": pairs_up_to(max_fpr, n)}
    intervals = {
        name: fold_interval(np.array([fold[name] for fold in found]), pairs[name]) for name in found[0]
    }
    auc = intervals.pop("auc")
    region, part = Region(max_fpr, 0.0), intervals["partial_auc"]
    intervals["partial_auc"] = {end: region.standardize(max_fpr * part[end]) for end in part}
    intervals["partial_auc"]["max_fpr"] = max_fpr
    intervals["top_recall"]["fraction"] = TOP
    return {"auc": auc["value"], "low": auc["low"], "high": auc["high"], **intervals}


def pairs_up_to(max_fpr: float, n: tuple[int, int]) -> int:
    """Number of independent pairs of a positive row and one of the negative rows up to a rate."""
    return max(1, min(n[0], int(n[1] * max_fpr)))


def fold_interval(scores: np.ndarray, pairs: int) -> dict[str, float]:
    """Mean of the folds with the 95 % interval of Student's t.

    If all folds have the same value, most often 1, the standard deviation is 0. Then the interval is the one
    of ``auc_interval`` for so many independent pairs: the rows of the rarer class.
    """
    from scipy import stats

    from ..metrics.delong import chernoff_interval

    mean, n_folds = float(np.mean(scores)), len(scores)
    if np.ptp(scores) == 0.0:
        low, high = chernoff_interval(mean, pairs, 0.025)
        return {"value": mean, "low": low, "high": high}
    half = float(stats.t.isf(0.025, n_folds - 1) * np.std(scores, ddof=1) / np.sqrt(n_folds))
    return {"value": mean, "low": max(mean - half, 0.0), "high": min(mean + half, 1.0)}
