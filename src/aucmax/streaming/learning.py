"""The loop over rows. A score is one by the last iterate, a decision one by the average of the iterates."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import in_place_kernel, inlined
from ..kernels.named_numbers import float_fields
from ..kernels.random import uniform
from ..kernels.reservoir import keep_row, next_row, store_rows
from ..kernels.rows import by_layout
from ..metrics.prequential import count_pairs
from ..pairs.slopes import mean_slope
from .constants import HISTORY, LARGE, MAX_BALANCE, PRIOR_ROWS, RECENT, REPLAY_PERIOD
from .dense_columns import move_dense, score_dense
from .recent_scores import add_decision, add_score
from .sparse_columns import move_csr, score_csr


class Hyper(NamedTuple):
    """Step size, penalty, share of its weight that a row keeps at each new one, slopes of the loss.

    ``reshuffled`` is True in later passes that bring all rows in random order: no more of them are kept, and
    none are replayed but to balance the classes.
    """

    step_size: float
    l2: float
    decay: float
    first_pass: bool
    reshuffled: bool
    slope_pieces: np.ndarray


# With a half-life, "faded" sums are multiplied by the decay at each row. Weights that are stored are not:
# ``weight_unit`` grows instead.
STATE = float_fields(
    "rows",  # so far
    "weight_unit",  # weight of a row that comes now
    "average_weight",  # of the iterates so far in their average
    "imbalance",  # weights of the positives' steps less those of the negatives', faded
    "comparisons",  # of new rows with replayed ones, up to HISTORY
    "drift",  # mean of their results: about 1/2 in a mixed stream
    "last_gap",  # between the classes' mean decisions when a new row was last scored
    "norm",  # the usual norm of a scaled row
    "squared_slopes",  # dense: their sum, faded
    "columns_per_direction",  # dense: columns over directions that the first rows take
    "unit",  # sparse: the usual size of a value
    "penalty",  # sparse: of all steps so far
)
CLASS = float_fields(
    "rows",
    "faded_rows",
    "mean_weight",  # of its rows
    "steps",  # of new and replayed rows, faded
    "new_steps",  # of new rows, faded
    "new_mean",  # running mean of the decisions on new rows
    "replayed_mean",
    "replayed_variance",
    "n_scores",  # that were put among its recent ones
    "mean_decision",
)


class Scratch(NamedTuple):
    """Room for the scaled values of one row, and, if sparse, the sums of squared slopes of its columns."""

    scaled: np.ndarray
    squares: np.ndarray


score_row = by_layout(score_dense, score_csr, "Scale a row and score it: see ``score_dense``.")
move = by_layout(move_dense, move_csr, "A step along a scored row: see ``move_dense``.")


@in_place_kernel
def learn_rows(hyper, state, classes, recent, reservoir, in_chunk, rng, columns, scratch, kept, X, y, order):
    """Learn from the rows in this order until weights that grow get large; returns from how many.

    ``kept`` is a read-only view of the rows of ``reservoir``, like X as a rule, so that less is compiled.
    """
    done = 0
    while done < len(order) and max(state.weight_unit, state.average_weight) <= LARGE:
        i, c = order[done], 1 if y[done] > 0.0 else 0
        weight = count_row(state, classes, c, abs(y[done]), hyper.decay)
        if not hyper.reshuffled:
            keep_row(reservoir, in_chunk, X, i, c, weight, classes[c].faded_rows, rng)
        new = True
        while True:
            learn_row(hyper, state, classes, recent, reservoir, columns, scratch, X, i, c, weight, new)
            c = class_to_replay(state, classes, c, reservoir, rng, hyper) if new else -1
            k = next_row(reservoir, c, classes[c].faded_rows) if c >= 0 else -1
            if k < 0:
                break
            i, weight, new = in_chunk[c, k], reservoir.weights[c, k], False
            if i < 0:
                i = reservoir.places[c, k]
                learn_row(hyper, state, classes, recent, reservoir, columns, scratch, kept, i, c, weight, new)
                break
        done += 1
    store_rows(reservoir, in_chunk, X)
    return done


@inlined
def learn_row(hyper, state, classes, recent, reservoir, columns, scratch, X, i, c, weight, new):
    """A step along row i of class c, which is either a new one or one that is replayed."""
    n_rows = classes[0].faded_rows, classes[1].faded_rows
    rate = min(weight / (n_rows[0] + n_rows[1]), 1.0) if new and state.rows > RECENT else 0.0
    factor, score, offset = score_row(X, i, columns, scratch, state, classes, rate, new)
    if classes[1 - c].rows == 0.0:
        return  # there are no pairs yet
    decision, sign = score - offset / max(state.average_weight, 1.0), 2.0 * c - 1.0
    if new and hyper.first_pass and state.average_weight > 0.0:
        unshortened = decision / (factor * state.norm)  # as `decision_function` does not shorten rows
        add_decision(state, classes, c, unshortened, weight, recent)
        count_pairs(recent.prequential, c, unshortened, weight, state.weight_unit, state.rows, n_rows)
    step_weight = weight * count_step(state, classes, c, reservoir, new)
    pairs = score, sign, 1 - c, recent.scores, recent.weights, state.weight_unit
    slope = -sign * step_weight * mean_slope(hyper.slope_pieces, *pairs)
    measure_drift(state, classes, c, decision, new)
    add_score(state, classes, c, score, decision, weight, recent)
    move(X, i, columns, scratch, state, classes, hyper, slope, factor, step_weight, new)
    # The t-th iterate counts about t^2 in the average, while nothing is forgotten.
    average_weight, steps = state.average_weight, classes[0].steps + classes[1].steps
    state.average_weight = average_weight * (steps + 2.0) / (steps - 1.0) if average_weight > 0.0 else 1.0


@inlined
def count_row(state, classes, c, weight, decay):
    """Count a row and fade the older ones; returns its weight over the mean of its class, at most RECENT."""
    state.rows += 1.0
    state.weight_unit /= decay
    state.imbalance *= decay
    state.squared_slopes *= decay
    for each in range(2):
        classes[each].faded_rows *= decay
        classes[each].steps *= decay
        classes[each].new_steps *= decay
    classes[c].rows += 1.0
    classes[c].faded_rows += 1.0
    mean, n_rows = classes[c].mean_weight, classes[c].faded_rows
    classes[c].mean_weight = max(mean + (weight - mean) / n_rows, weight / n_rows)  # rounding must not give 0
    return min(weight / classes[c].mean_weight, float(RECENT))


@inlined
def count_step(state, classes, c, reservoir, new):
    """Count a step of class c; returns its weight, so that those of both classes have about the same sum.

    A new row of the rarer class weighs as many times more as there are fewer of them so far, in a burst of
    them, too: these say where the class is frequent. A replayed row of a class far behind weighs most. While
    a class has had fewer steps than rows, its new rows weigh 1, and replayed rows make up for the rest.
    """
    classes[c].steps += 1.0
    if new:
        classes[c].new_steps += 1.0
        times_rarer = classes[1 - c].new_steps / classes[c].new_steps
        weight = 1.0 if lacks_steps(classes[c], reservoir) else min(max(times_rarer, 1.0), MAX_BALANCE)
    else:
        weight = MAX_BALANCE if (-state.imbalance if c == 1 else state.imbalance) > RECENT else 1.0
    state.imbalance += weight if c == 1 else -weight
    return weight


@inlined
def lacks_steps(of_class, reservoir):
    """Whether a class has had fewer steps than rows, as some came before any of the other class."""
    return reservoir.capacity[0] > 0 and of_class.steps < of_class.faded_rows - 0.5


@inlined
def class_to_replay(state, classes, c, reservoir, rng, hyper):
    """The class of which a row is replayed after a new one of class c; -1 if none.

    The class that is behind, if it has had fewer steps than rows, or weights do not suffice. In balance
    either one, now and then, or each time if new rows are unlike past ones, lest the model forget those.
    With a half-life it is meant to.
    """
    if classes[1 - c].rows == 0.0:
        return -1
    behind = 0 if state.imbalance > 0.0 else 1
    if abs(state.imbalance) > (0.5 if lacks_steps(classes[behind], reservoir) else RECENT):
        return behind
    in_balance = state.drift > 1.0 or int(state.rows) % REPLAY_PERIOD == 0
    if in_balance and not hyper.reshuffled and hyper.decay == 1.0:
        return c if uniform(rng) < 0.5 else 1 - c
    return -1


@inlined
def measure_drift(state, classes, c, decision, new):
    """Take a decision into the running means; now and then compare those on new and on replayed rows.

    ``state.drift`` is the mean of their squared difference over its variance. Where the rows change,
    decisions on both classes move the same way; learning from replayed rows moves them opposite ways, which
    cancels.
    """
    own = classes[c]
    if new:
        own.new_mean += (decision - own.new_mean) / min(own.new_steps, float(RECENT))
    else:
        rate = 1.0 / min(own.steps - own.new_steps, float(RECENT))
        gap = decision - own.replayed_mean
        own.replayed_mean += rate * gap
        own.replayed_variance = (1.0 - rate) * (own.replayed_variance + rate * gap * gap)
    if not new or int(state.rows) % REPLAY_PERIOD > 0:
        return
    gap, variance, replays = 0.0, 0.0, float(HISTORY)
    for each in range(2):
        own, share = classes[each], classes[each].rows / state.rows
        gap += share * (own.new_mean - own.replayed_mean)
        # That of a difference of two plain means; of running means it is half: a margin for noise.
        variance += share * share * 2.0 * own.replayed_variance / RECENT
        replays = min(replays, own.steps - own.new_steps)
    if replays > PRIOR_ROWS and variance > 0.0:
        state.comparisons = min(state.comparisons + 1.0, float(HISTORY))
        state.drift += (gap * gap / variance - state.drift) / state.comparisons
