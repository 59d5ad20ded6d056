"""Probabilities from a stream: log-odds as a broken line of the decision, fitted to rows not learnt yet.

The line bends midway between the classes' mean decisions, and on either side of it at the distance that the
means are apart. Its height in the middle and its four slopes follow by one Newton step of the logistic loss
for each new row; row t counts t, as iterate t does in the averaged model, since the decisions of a young
model say little about those of an old one.
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
SMALLEST_BEND = 1e-6  # distance of the outer bends from the middle where the classes' means do not differ


@inlined
def calibrate(state, classes, c, decision, weight):
    """Adapt the line to the decision of a new row of class c.

    ``weight`` is the row's as it was given; relative to the mean of all rows it counts at most as many as the
    short memory has. The slopes of either side of the middle are kept with the class that belongs there.
    """
    neg, pos = classes[0].mean_weight * classes[0].faded_rows, classes[1].mean_weight * classes[1].faded_rows
    weight = min(weight / (neg + pos) * (classes[0].faded_rows + classes[1].faded_rows), float(RECENT))
    state.gap = classes[1].mean_decision - classes[0].mean_decision
    distance = decision - 0.5 * (classes[0].mean_decision + classes[1].mean_decision)
    distance = min(max(distance, -FARTHEST), FARTHEST)
    s, bend = 1 if distance > 0.0 else 0, max(state.gap, 0.0)
    near = min(max(distance, -bend), bend)
    far = distance - near
    log_odds = state.odds + classes[s].near_slope * near + classes[s].far_slope * far
    p = 1.0 / (1.0 + np.exp(-log_odds)) if log_odds > -700.0 else 0.0
    count_curvature(state, classes, c, s, near, far, weight, p)
    step_line(state, classes, s, near, far, weight * (c - p))


@inlined
def count_curvature(state, classes, c, s, near, far, weight, p):
    """Fade what was counted, and count a row of class c on side s of the middle."""
    kept = max(1.0 - 2.0 / (state.faded_rows + 1.0), 0.0)
    state.odds_curvature *= kept
    for each in range(2):
        side = classes[each]
        side.calibrated *= kept
        side.near_curvature *= kept
        side.far_curvature *= kept
        side.near_far *= kept
        side.odds_near *= kept
        side.odds_far *= kept
    curvature, side = weight * p * (1.0 - p), classes[s]
    classes[c].calibrated += weight
    state.odds_curvature += curvature
    side.near_curvature += curvature * near * near
    side.far_curvature += curvature * far * far
    side.near_far += curvature * near * far
    side.odds_near += curvature * near
    side.odds_far += curvature * far


@inlined
def step_line(state, classes, s, near, far, slope):
    """One Newton step. The sides do not meet in one row, so either is eliminated for itself."""
    own_near, own_far = solve_side(classes[s], classes[s].odds_near, classes[s].odds_far)
    other = classes[1 - s]
    other_near, other_far = solve_side(other, other.odds_near, other.odds_far)
    pivot = state.odds_curvature + PRIOR - own_near * classes[s].odds_near - own_far * classes[s].odds_far
    pivot -= other_near * other.odds_near + other_far * other.odds_far
    odds = (1.0 - own_near * near - own_far * far) / pivot
    to_near, to_far = solve_side(classes[s], near, far)
    to_near, to_far = to_near - odds * own_near, to_far - odds * own_far
    change = abs(slope * (odds + to_near * near + to_far * far))
    slope *= LARGEST_STEP / max(change, LARGEST_STEP)
    state.odds += slope * odds
    move_side(classes[s], slope * to_near, slope * to_far)
    move_side(other, -slope * odds * other_near, -slope * odds * other_far)


@inlined
def solve_side(side, near, far):
    """The curvature of a side's slopes, inverted, times a vector."""
    a, b, d = side.near_curvature + PRIOR, side.near_far, side.far_curvature + PRIOR
    scale = 1.0 / (a * d - b * b)
    return scale * (d * near - b * far), scale * (a * far - b * near)


@inlined
def move_side(side, near, far):
    """Change the slopes of a side, which stay positive."""
    side.near_slope = max(side.near_slope + near, SMALLEST_SLOPE)
    side.far_slope = max(side.far_slope + far, SMALLEST_SLOPE)


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
    near, far = (
        size * (FIRST_SLOPE + trust * (slope - FIRST_SLOPE))
        for slope in (classes.near_slope, classes.far_slope)
    )
    bend = max(gap, SMALLEST_BEND)
    below, above = odds - bend * near[0], odds + bend * near[1]
    knots = np.array([-bend - 1.0, -bend, 0.0, bend, bend + 1.0])
    return Calibration(knots, np.array([below - far[0], below, odds, above, above + far[1]]))
