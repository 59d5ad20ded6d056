"""The loop over rows of ``OnlineAUCClassifier``: each new row makes a step, and now and then a past row."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import in_place_kernel, inlined
from ..kernels.random import uniform
from ..kernels.reservoir import keep_row, next_row, store_rows
from ..kernels.rows import by_layout
from ..metrics.prequential import count_pairs
from ..pairs.slopes import mean_slope
from .constants import BACKGROUND, ENOUGH, HEAVY, HISTORY, LARGE, RECENT
from .dense_columns import move_dense, score_dense
from .recent_scores import add_decision, add_score
from .sparse_columns import move_csr, score_csr


class Scratch(NamedTuple):
    """Room for the scaled values of one row, and, if sparse, the squares of its columns."""

    scaled: np.ndarray
    squares: np.ndarray


score_row = by_layout(
    score_dense, score_csr, "Scale a row, score it, update the scales: see ``score_dense``."
)
move = by_layout(move_dense, move_csr, "A step along a scored row: see ``move_dense``.")


@in_place_kernel
def learn_rows(
    hyper, state, classes, recent, reservoir, in_chunk, draws, columns, scratch, kept, X, y, order
):
    """Learn from the rows in this order; how many, fewer where weights that grow get large.

    ``kept`` are the rows of ``reservoir`` once more, of the type of X, as a rule: there is less to compile.
    """
    done = 0
    while done < len(order) and max(state.newest, state.average_weight) <= LARGE:
        i, c = order[done], 1 if y[done] > 0.0 else 0
        weight = arrive(state, classes, c, abs(y[done]), hyper.keep)
        if not hyper.again:
            keep_row(reservoir, in_chunk, X, i, c, weight, classes[c].faded_rows, draws)
        learn_row(hyper, state, classes, recent, reservoir, columns, scratch, X, i, c, weight, True)
        c = class_to_replay(state, classes, c, reservoir, draws, hyper)
        k = next_row(reservoir, c, classes[c].faded_rows) if c >= 0 else -1
        if k >= 0 and in_chunk[c, k] >= 0:
            i, weight = in_chunk[c, k], reservoir.weights[c, k]
            learn_row(hyper, state, classes, recent, reservoir, columns, scratch, X, i, c, weight, False)
        elif k >= 0:
            i, weight = reservoir.places[c, k], reservoir.weights[c, k]
            learn_row(hyper, state, classes, recent, reservoir, columns, scratch, kept, i, c, weight, False)
        done += 1
    store_rows(reservoir, in_chunk, X)
    return done


@inlined
def learn_row(hyper, state, classes, recent, reservoir, columns, scratch, X, i, c, weight, new):
    """A step along row i of class c, which is either a new one or one that is replayed."""
    n_rows = classes[0].faded_rows, classes[1].faded_rows
    rate = min(weight / (n_rows[0] + n_rows[1]), 1.0) if new and state.rows > RECENT else 0.0
    cut, score, offset = score_row(X, i, columns, scratch, state, rate, new)
    if classes[1 - c].rows == 0.0:
        return
    decision = score - offset / max(state.average_weight, 1.0)
    sign = 2.0 * c - 1.0
    if new and hyper.new and state.average_weight > 0.0:
        unshortened = decision / (cut * state.norm)  # as `decision_function` gives it
        add_decision(state, classes, c, unshortened, weight, recent)
        count_pairs(recent.prequential, c, unshortened, weight, state.newest, state.rows, n_rows)
    step_weight = weight * balance(state, classes, c, reservoir, new)
    slope = mean_slope(hyper.slopes, score, sign, 1 - c, recent.scores, recent.weights, state.newest)
    compare(state, classes, c, decision, new)
    add_score(state, classes, c, score, decision, weight, recent)
    move(X, i, columns, scratch, state, classes, hyper, -sign * step_weight * slope, cut, step_weight, new)
    # The t-th iterate counts about t^2 in the average, while nothing is forgotten.
    past, steps = state.average_weight, classes[0].steps + classes[1].steps
    state.average_weight = past * (steps + 2.0) / (steps - 1.0) if past > 0.0 else 1.0


@inlined
def arrive(state, classes, c, weight, keep):
    """Count a row, fade the older ones; its weight over the mean of its class, all that AUC depends on."""
    state.rows += 1.0
    state.newest /= keep
    state.imbalance *= keep
    state.slopes *= keep
    for each in range(2):
        classes[each].faded_rows *= keep
        classes[each].steps *= keep
        classes[each].new_steps *= keep
    classes[c].rows += 1.0
    classes[c].faded_rows += 1.0
    classes[c].mean_weight += (weight - classes[c].mean_weight) / classes[c].faded_rows
    return min(weight / classes[c].mean_weight, float(RECENT))


@inlined
def balance(state, classes, c, reservoir, new):
    """Weight of a step of class c; the weights of both classes have about the same sum.

    A new row of the rarer class weighs as many times more as there are fewer of them so far, in a stretch
    with many of them, too: these say where the class is frequent. What is missing to balance is made up by
    replayed rows, and so it is while a class has rows no step was made for, as they came before the other's.
    """
    behind = -state.imbalance if c == 1 else state.imbalance
    weight = float(HEAVY) if behind > RECENT else 1.0
    classes[c].steps += 1.0
    if new:
        classes[c].new_steps += 1.0
        times_rarer = classes[1 - c].new_steps / classes[c].new_steps
        unlearnt = has_unlearnt(classes[c], reservoir)
        weight = 1.0 if unlearnt else min(max(times_rarer, 1.0), float(HEAVY))
    state.imbalance += weight if c == 1 else -weight
    return weight


@inlined
def has_unlearnt(of_class, reservoir):
    """Whether a class has rows that no step was made for, since they came before any of the other class."""
    return reservoir.capacity[0] > 0 and of_class.steps < of_class.faded_rows - 0.5


@inlined
def class_to_replay(state, classes, c, reservoir, draws, hyper):
    """The class to replay after a row of class c; -1 if none.

    The class that is behind in weight, if it has rows that no step was made for, or weights do not suffice.
    In balance, either class now and then, and after each row if new rows are unlike the old ones, or the
    model would forget those. With a half-life it is meant to forget.
    """
    if classes[1 - c].rows == 0.0:
        return -1
    behind = 0 if state.imbalance > 0.0 else 1
    if abs(state.imbalance) > (0.5 if has_unlearnt(classes[behind], reservoir) else RECENT):
        return behind
    in_background = state.unlike > 1.0 or int(state.rows) % BACKGROUND == 0
    if in_background and not hyper.again and hyper.keep == 1.0:
        return c if uniform(draws) < 0.5 else 1 - c
    return -1


@inlined
def compare(state, classes, c, decision, new):
    """Compare the mean decision on the last new rows with that on the last replayed ones, now and then.

    ``state.unlike`` is the mean of their squared difference over its variance. Where the rows change,
    decisions on both classes move the same way; learning from replayed rows moves them opposite ways, which
    cancels.
    """
    own = classes[c]
    if new:
        own.new_mean += (decision - own.new_mean) / min(own.new_steps, float(RECENT))
    else:
        rate = 1.0 / min(own.steps - own.new_steps, float(RECENT))
        gap = decision - own.past_mean
        own.past_mean += rate * gap
        own.past_variance = (1.0 - rate) * (own.past_variance + rate * gap * gap)
    if not new or int(state.rows) % BACKGROUND > 0:
        return
    gap, variance, replays = 0.0, 0.0, float(HISTORY)
    for each in range(2):
        own, share = classes[each], classes[each].rows / state.rows
        gap += share * (own.new_mean - own.past_mean)
        # That of means of so many rows, twice that of running means: a margin for noise.
        variance += share * share * 2.0 * own.past_variance / RECENT
        replays = min(replays, own.steps - own.new_steps)
    if replays > ENOUGH and variance > 0.0:
        state.comparisons = min(state.comparisons + 1.0, float(HISTORY))
        state.unlike += (gap * gap / variance - state.unlike) / state.comparisons
