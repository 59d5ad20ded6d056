"""The numbers of ``OnlineAUCClassifier`` that change with each row, by name."""

from typing import Any, NamedTuple

import numpy as np


class Hyper(NamedTuple):
    """Step size, penalty, what a row keeps of the past, whether the rows are new, slopes of the loss."""

    step_size: float
    l2: float
    keep: float
    new: bool
    slopes: np.ndarray


def _numbers(*names: str) -> Any:
    return np.dtype((np.record, [(name, "f8") for name in names]))


# What forgets with the half-life is "faded", or kept as if only new rows grew in weight, to `newest`.
STATE = _numbers(
    "rows",  # so far
    "faded_rows",
    "newest",  # weight of a row that comes now
    "steps",  # of new and replayed rows, faded
    "average_weight",  # of the iterates so far in their average
    "lead",  # what the positives' weights have been ahead of the negatives', faded
    "pairs_in_order",  # of the prequential AUC, faded
    "pairs",
    "close_pairs",  # their number
    "mixed_pairs",  # the number to expect if the classes are mixed
    "new_slope",  # running mean of the slopes of new rows
    "replayed_slope",  # the same of replayed rows
    "odds",  # probabilities: log-odds midway between the classes' mean decisions
    "odds_curvature",  # of the logistic loss
    "gap",  # between the classes' mean decisions when a new row was last counted
    "slopes",  # dense: the sum of squared slopes, faded
    "alike",  # dense: columns over directions that the rows take
    "varying",  # dense: columns that are not constant
    "norm",  # sparse: the usual norm of a row, in units of the usual value; dense: 1
    "unit",  # sparse: the usual size of a value
    "penalty",  # sparse: l2 times the weight of all steps
    "pool_end",  # sparse: where the next kept row goes
)
CLASS = _numbers(
    "rows",
    "faded_rows",
    "mean_weight",  # of its rows
    "steps",  # of new and replayed rows, faded
    "scores",  # written to its recent scores
    "decisions",
    "mean_decision",
    "calibrated",  # weight of its rows in the probabilities, later ones more
    "near_slope",  # of the log-odds on its side of the middle, up to the bend
    "far_slope",  # beyond the bend
    "near_curvature",  # of the logistic loss in these slopes
    "far_curvature",
    "near_far",
    "odds_near",
    "odds_far",
    "kept",  # rows in the reservoir
    "places",  # for rows in the reservoir
    "replayed",  # place of the row that was last replayed
)


def by_name(numbers: np.ndarray, names: Any) -> Any:
    """A view of the last axis with a name for each number; what is assigned to one changes ``numbers``."""
    return np.recarray(numbers.shape[:-1], dtype=names, buf=numbers)  # type: ignore[call-overload]
