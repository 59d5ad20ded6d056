"""The loop over rows of ``OnlineAUCClassifier``: each new row makes a step, and now and then a past row."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import in_place_kernel, inlined
from ..kernels.random import uniform
from .columns import divide, fetch_ahead, load, move, score_row
from .constants import BACKGROUND, FORGETTING, HEAVY, LARGE, RECENT, TREND
from .probability import calibrate
from .recent_scores import count_prequential, mean_slope
from .reservoir import has_room, keep_row, next_kept, place_to_keep, recall


class Hyper(NamedTuple):
    """Step size, penalty, what a row keeps of the past, whether the rows are new, slopes of the loss."""

    step_size: float
    l2: float
    keep: float
    new: bool
    slopes: np.ndarray


def _numbers(*names: str) -> Any:
    return np.dtype((np.record, [(name, "f8") for name in names]))


# Numbers that change with each row. Those that forget with the half-life are "faded", or kept as if only new
# rows grew in weight, to `newest`.
STATE = _numbers(
    "rows",  # so far
    "faded_rows",
    "head_rows",  # from which the scales were first taken
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
    "entries",  # sparse: the usual number of values that are not 0
    "unit",  # sparse: the usual size of a value
    "penalty",  # sparse: l2 times the weight of all steps
    "pool_end",  # sparse: where the next kept row goes
    "longest",  # sparse: entries of the longest kept row
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


@in_place_kernel
def learn_rows(hyper, state, classes, recent, reservoir, draws, columns, row, X, y, order):
    """Learn from the rows in this order; how many, fewer where the reservoir needs ``make_room`` first.

    Everything but ``hyper``, ``X``, ``y`` and ``order`` is changed in place.
    """
    for done in range(len(order)):
        fetch_ahead(X, order, done, columns)
        i = order[done]
        c = 1 if y[i] > 0.0 else 0
        n = load(X, i, row)
        if not has_room(X, reservoir, state, n):
            return done
        weight = arrive(state, classes, c, abs(y[i]), hyper.keep)
        k = place_to_keep(classes, c, draws)
        if k >= 0:
            reservoir.weights[c, k] = weight
            keep_row(X, row, n, reservoir, state, classes, c, k)
        rate = min(weight / state.faded_rows, 1.0) if state.rows > state.head_rows else 0.0
        for turn in range(2):  # the new row, then perhaps a replayed one
            if turn == 1:
                c = class_to_replay(state, classes, c, draws, hyper.keep)
                k = next_kept(classes, c) if c >= 0 else -1
                n = recall(X, reservoir, c, k, row) if k >= 0 else -1
                if n < 0:
                    break
                weight, rate = reservoir.weights[c, k], 0.0
            cut, score, offset = score_row(X, columns, row, n, state, rate, turn == 0)
            if classes[1 - c].rows == 0.0:
                break
            decision = score - offset / max(state.average_weight, 1.0)
            sign = 2.0 * c - 1.0
            if turn == 0 and hyper.new and state.average_weight > 0.0:
                unshortened = decision / (cut * state.norm)  # as `decision_function` gives it
                count_prequential(state, classes, c, sign, unshortened, weight, recent)
                calibrate(state, classes, c, unshortened, abs(y[i]))
            step_weight = weight * balance(state, classes, c)
            slope = mean_slope(hyper.slopes, score, sign, 1 - c, recent.scores, recent.weights, state.newest)
            note_slope(state, abs(slope), turn == 0)
            remember(state, classes, c, score, decision, weight, recent)
            state.steps += 1.0
            move(X, columns, row, n, state, classes, hyper, -sign * step_weight * slope, cut, step_weight)
            count_iterate(state)
        if max(state.newest, state.average_weight) > LARGE:
            lower(X, state, recent, columns)
    return len(order)


@inlined
def arrive(state, classes, c, weight, keep):
    """Count a row and fade the older ones; its weight relative to the mean of its class is returned.

    Only weights relative to the class matter to AUC. One row counts at most as many as the short memory has.
    """
    state.rows += 1.0
    state.newest /= keep
    state.faded_rows = keep * state.faded_rows + 1.0
    state.steps *= keep
    state.lead *= keep
    state.slopes *= keep
    for each in range(2):
        classes[each].faded_rows *= keep
        classes[each].steps *= keep
    classes[c].rows += 1.0
    classes[c].faded_rows += 1.0
    classes[c].mean_weight += (weight - classes[c].mean_weight) / classes[c].faded_rows
    return min(weight / classes[c].mean_weight, float(RECENT))


@inlined
def balance(state, classes, c):
    """Weight of a step of class c: the further the class is behind, the more."""
    behind = max(-state.lead if c == 1 else state.lead, 0.0)
    weight = min(1.0 + (HEAVY - 1.0) * behind / RECENT, float(HEAVY))
    classes[c].steps += 1.0
    state.lead += weight if c == 1 else -weight
    return weight


@inlined
def class_to_replay(state, classes, c, draws, keep):
    """The class whose turn it is to be replayed after a row of class c; -1 if none is.

    The class that is behind in weight: at once if it has rows that no step was made for, since they came
    before the other class had; otherwise where larger weights do not suffice. In balance, either class now
    and then, and after each row while the model forgets what came early: the slopes of old rows are then
    larger than those of new ones. With a half-life it is meant to forget.
    """
    behind = 0 if state.lead > 0.0 else 1
    has_unlearnt = classes[behind].steps < classes[behind].faded_rows
    if abs(state.lead) > (0.5 if has_unlearnt else RECENT):
        return behind
    forgetting = state.replayed_slope > FORGETTING * state.new_slope
    if keep == 1.0 and (forgetting or int(state.rows) % BACKGROUND == 0):
        return c if uniform(draws) < 0.5 else 1 - c
    return -1


@inlined
def note_slope(state, slope, new):
    """Take the size of a slope into the running mean of new or of replayed rows."""
    if new:
        state.new_slope += (slope - state.new_slope) / RECENT
    else:
        state.replayed_slope += (slope - state.replayed_slope) / RECENT


@inlined
def remember(state, classes, c, score, decision, weight, recent):
    """Add a score to the recent ones of its class, and a decision to the mean."""
    place = int(classes[c].scores) % RECENT
    recent.scores[c, place] = score
    recent.weights[c, place] = weight * state.newest
    classes[c].scores += 1.0
    rate = min(weight / min(classes[c].scores, float(TREND)), 1.0)
    classes[c].mean_decision += rate * (decision - classes[c].mean_decision)


@inlined
def count_iterate(state):
    """Let the newest iterate count in the average: the t-th with weight t while nothing is forgotten."""
    if state.average_weight > 0.0:
        state.average_weight *= (state.steps + 1.0) / (state.steps - 1.0)
    else:
        state.average_weight = 1.0


@inlined
def lower(X, state, recent, columns):
    """Bring down what grows."""
    if state.average_weight > LARGE:
        state.average_weight /= LARGE
        divide(X, columns, LARGE, 1.0)
    if state.newest > LARGE:
        state.newest /= LARGE
        state.pairs_in_order /= LARGE
        state.pairs /= LARGE
        for c in range(2):
            for k in range(RECENT):
                recent.weights[c, k] /= LARGE
                recent.decision_weights[c, k] /= LARGE
        divide(X, columns, 1.0, LARGE)
