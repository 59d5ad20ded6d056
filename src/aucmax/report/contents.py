"""What the page tells: the rows it is about, AUC beside logistic regression, effects and warnings."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..io.storage.models import Scorer
from ..metrics import AUCDifference, AUCInterval, OperatingPoint, auc_difference, auc_interval
from .effects import ColumnCurve, Effect, feature_names, find_spread

FEW_ROWS = 50  # of a class: fewer make all intervals wide
SHIFTED = 1.0  # spreads: a mean this far from that of the training is another population, or another unit
CHANGED_SHARE = 2.0  # a share of positives that differs by this factor makes probabilities wrong
MOST_NAMES = 5  # columns named in a warning


class EvaluatedRows(NamedTuple):
    """Rows that the model did not learn from: which are positive, their scores, and what they are.

    ``baseline_score`` has the scores of logistic regression, ``means`` and ``spread`` are those of the
    columns; each if it is known.
    """

    positive: np.ndarray
    score: np.ndarray
    what: str
    baseline_score: np.ndarray | None = None
    means: np.ndarray | None = None
    spread: np.ndarray | None = None
    skipped: int = 0


class Comparison(NamedTuple):
    """AUC of the model and of logistic regression, how they were found, and their difference if tested."""

    model: AUCInterval
    logistic: AUCInterval | None
    difference: AUCDifference | None
    how: str


class Report(NamedTuple):
    """All that the page shows."""

    title: str
    scorer: Scorer
    rows: EvaluatedRows
    comparison: Comparison
    point: OperatingPoint
    goal: str | None
    effects: list[Effect]
    warnings: list[str]
    curves: Sequence[ColumnCurve] = ()


def compare(rows: EvaluatedRows, summary: dict[str, Any], from_training: bool) -> Comparison:
    """AUC beside logistic regression, on the rows or, if they are those of the training, by its folds."""
    if from_training and "auc" in summary and "low" in summary:
        logistic = summary.get("logistic_regression")
        return Comparison(_interval(summary), logistic and _interval(logistic), None, summary["how"])
    model, how = auc_interval(rows.positive, rows.score), f"on {rows.what}"
    if rows.baseline_score is None:
        return Comparison(model, None, None, how)
    difference = auc_difference(rows.positive, rows.score, rows.baseline_score)
    return Comparison(model, auc_interval(rows.positive, rows.baseline_score), difference, how)


def _interval(found: dict[str, Any]) -> AUCInterval:
    return AUCInterval(found["auc"], found["low"], found["high"], float("nan"))


def find_warnings(scorer: Scorer, rows: EvaluatedRows, learnt: bool) -> list[str]:
    """What to know before trusting the figures; ``learnt``: the model has learnt from the rows."""
    found = [str(text) for text in scorer.summary.get("warnings", ())]
    if learnt:
        found.append("The model has learnt from these rows: give others, on which it will do worse.")
    positives = int(rows.positive.sum())
    negatives = len(rows.positive) - positives
    if min(positives, negatives) < FEW_ROWS:
        found.append(
            f"Only {positives:,} positive and {negatives:,} negative rows are judged: intervals are wide, "
            "and a threshold chosen by so few rows is uncertain."
        )
    if rows.skipped:
        found.append(f"{rows.skipped:,} rows could not be used and were left out.")
    return [*found, *_shifts(scorer, rows)]


def _shifts(scorer: Scorer, rows: EvaluatedRows) -> list[str]:
    """Columns and shares of positives that differ from those of the training."""
    found, summary = [], scorer.summary
    if "rows" in summary and rows.means is not None:
        before, now = summary["positives"] / summary["rows"], float(rows.positive.mean())
        if max(before, now) > CHANGED_SHARE * min(before, now):
            found.append(
                f"{100 * now:.3g} % of these rows are positive, but {100 * before:.3g} % in training: "
                "probabilities, and thresholds for a precision or a cost, are those of the training."
            )
    means, spread = summary.get("means"), find_spread(scorer)
    if means is not None and rows.means is not None and spread is not None:
        moved = np.abs(rows.means - np.asarray(means)) > SHIFTED * spread
        moved &= (spread > 0) & (scorer.coef != 0)
        if moved.any():
            names = np.array(feature_names(scorer))[moved].tolist()
            more = f" and {len(names) - MOST_NAMES:,} more columns" if len(names) > MOST_NAMES else ""
            listed = ", ".join(names[:MOST_NAMES]) + more
            found.append(f"Unlike the training rows: the mean is more than one spread away in {listed}.")
    return found
