"""Probabilities from a stream: log-odds as a broken line of the decision, fitted to rows not learnt yet.

The line bends midway between the classes' mean decisions. Its height there and its two slopes follow by one
Newton step of the logistic loss for each new row; row t counts t, as iterate t does in the averaged model,
since the decisions of a young model say little about those of an old one.
"""

from typing import Any

import numpy as np

from ..calibration import Calibration
from ..kernels.jit import inlined
from .constants import RECENT

FIRST_SLOPE = 1.0  # log-odds for a margin of one, before any row has been counted
PRIOR = 1.0  # rows that the first line counts as, so that the first rows move it little
ENOUGH = 8.0  # rows of the class that counted less, at which the line is believed half
LARGEST_STEP = 1.0  # in log-odds of the row, so that an outlier does not throw the line
FARTHEST = 100.0  # a margin further from the middle, that of a broken row perhaps, counts as this
SMALLEST_SLOPE = 1e-3  # keeps the order of the rows


@inlined
def calibrate(state, classes, c, decision, weight):
    """Adapt the line to the decision of a new row of class c.

    ``weight`` is the row's as it was given; relative to the mean of all rows it counts at most as many as the
    short memory has.
    """
    neg, pos = classes[0].mean_weight * classes[0].faded_rows, classes[1].mean_weight * classes[1].faded_rows
    weight = min(weight / (neg + pos) * (classes[0].faded_rows + classes[1].faded_rows), float(RECENT))
    kept = max(1.0 - 2.0 / (state.faded_rows + 1.0), 0.0)
    distance = decision - 0.5 * (classes[0].mean_decision + classes[1].mean_decision)
    distance = min(max(distance, -FARTHEST), FARTHEST)
    below, above = min(distance, 0.0), max(distance, 0.0)
    log_odds = state.odds + state.slope_below * below + state.slope_above * above
    p = 1.0 / (1.0 + np.exp(-log_odds)) if log_odds > -700.0 else 0.0
    curvature = weight * p * (1.0 - p)
    state.odds_curvature = kept * state.odds_curvature + curvature
    state.below_curvature = kept * state.below_curvature + curvature * below * below
    state.above_curvature = kept * state.above_curvature + curvature * above * above
    state.below_cross = kept * state.below_cross + curvature * below
    state.above_cross = kept * state.above_cross + curvature * above
    for each in range(2):
        classes[each].calibrated *= kept
    classes[c].calibrated += weight
    # The two slopes do not meet in one row, so the equations are solved from the height at the bend.
    to_below = state.below_cross / (state.below_curvature + PRIOR)
    to_above = state.above_cross / (state.above_curvature + PRIOR)
    pivot = state.odds_curvature + PRIOR - to_below * state.below_cross - to_above * state.above_cross
    odds = (1.0 - to_below * below - to_above * above) / pivot
    slope_below = (below - state.below_cross * odds) / (state.below_curvature + PRIOR)
    slope_above = (above - state.above_cross * odds) / (state.above_curvature + PRIOR)
    step = weight * (c - p)
    change = abs(step * (odds + slope_below * below + slope_above * above))
    step *= LARGEST_STEP / max(change, LARGEST_STEP)
    state.odds += step * odds
    state.slope_below = max(state.slope_below + step * slope_below, SMALLEST_SLOPE)
    state.slope_above = max(state.slope_above + step * slope_above, SMALLEST_SLOPE)
    state.gap = classes[1].mean_decision - classes[0].mean_decision


def stream_calibration(state: Any, classes: Any) -> Calibration:
    """The line as a calibration of the distance from the classes' middle, for the classes' shares so far.

    The rows that counted may have had other shares, which are replaced. If few rows of a class counted, as
    when the classes come one after the other, the line says little; then the classes' shares are the odds at
    their middle. Decisions that have grown in later passes of ``fit`` are brought back to their size before.
    """
    so_far, counted = classes.mean_weight * classes.faded_rows, classes.calibrated
    mean = so_far.sum() / max(classes.faded_rows.sum(), 1e-300) or 1.0
    shares, counted_shares = (float(np.diff(np.log(part + 0.5))[0]) for part in (so_far / mean, counted))
    trust = float(counted.min() / (counted.min() + ENOUGH))
    gap = float(classes.mean_decision[1] - classes.mean_decision[0])
    size = min(float(state.gap) / gap, 1.0) if state.gap > 0.0 and gap > 0.0 else 1.0
    odds = shares + trust * (float(state.odds) - counted_shares)
    below, above = (
        size * (FIRST_SLOPE + trust * (float(slope) - FIRST_SLOPE))
        for slope in (state.slope_below, state.slope_above)
    )
    return Calibration(np.array([-1.0, 0.0, 1.0]), np.array([odds - below, odds, odds + above]))
