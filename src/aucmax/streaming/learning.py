"""The loop over rows of ``OnlineAUCClassifier``: each new row makes a step, and now and then a past row."""

from ..kernels.jit import in_place_kernel, inlined
from ..kernels.random import uniform
from ..kernels.rows import by_layout
from .constants import BACKGROUND, FORGETTING, HEAVY, HISTORY, LARGE, RECENT
from .dense_columns import move_dense, score_dense
from .recent_scores import count_prequential, mean_slope
from .reservoir import is_full, keep_row, recall
from .rows import load
from .sparse_columns import move_csr, score_csr

score_row = by_layout(
    score_dense, score_csr, "Scale a row, score it, update the scales: see ``score_dense``."
)
move = by_layout(move_dense, move_csr, "A step along a scored row: see ``move_dense``.")


@in_place_kernel
def learn_rows(hyper, state, classes, recent, reservoir, draws, columns, row, X, y, order):
    """Learn from the rows in this order; how many, fewer where ``StreamModel.tidy`` is needed first.

    Everything but ``hyper``, ``X``, ``y`` and ``order`` is changed in place.
    """
    for done in range(len(order)):
        i = order[done]
        c = 1 if y[i] > 0.0 else 0
        n = load(X, i, row)
        if max(state.newest, state.average_weight) > LARGE or (
            is_full(reservoir, state, n) and not hyper.again
        ):
            return done
        weight = arrive(state, classes, c, abs(y[i]), hyper.keep)
        if not hyper.again:
            keep_row(reservoir, state, classes, c, draws, row, n, weight)
        for turn in range(2):  # the new row, then perhaps a replayed one
            if turn == 1:
                c = class_to_replay(state, classes, c, draws, hyper)
                n, weight = recall(reservoir, classes, c, row)
                if n < 0:
                    break
            rate = min(weight / state.faded_rows, 1.0) if turn == 0 and state.rows > RECENT else 0.0
            cut, score, offset = score_row(X, columns, row, n, state, rate, turn == 0)
            if classes[1 - c].rows == 0.0:
                break
            decision = score - offset / max(state.average_weight, 1.0)
            sign = 2.0 * c - 1.0
            if turn == 0 and hyper.new and state.average_weight > 0.0:
                unshortened = decision / (cut * state.norm)  # as `decision_function` gives it
                count_prequential(state, classes, c, sign, unshortened, weight, recent)
            step_weight = weight * balance(state, classes, c)
            slope = mean_slope(hyper.slopes, score, sign, 1 - c, recent.scores, recent.weights, state.newest)
            if turn == 0:
                state.new_slope += (abs(slope) - state.new_slope) / RECENT
            else:
                state.replayed_slope += (abs(slope) - state.replayed_slope) / RECENT
            remember(state, classes, c, score, decision, weight, recent)
            state.steps += 1.0
            move(X, columns, row, n, state, classes, hyper, -sign * step_weight * slope, cut, step_weight)
            # The t-th iterate counts t in the average, while nothing is forgotten.
            past = state.average_weight
            state.average_weight = past * (state.steps + 1.0) / (state.steps - 1.0) if past > 0.0 else 1.0
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
def class_to_replay(state, classes, c, draws, hyper):
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
    if not hyper.again and hyper.keep == 1.0 and (forgetting or int(state.rows) % BACKGROUND == 0):
        return c if uniform(draws) < 0.5 else 1 - c
    return -1


@inlined
def remember(state, classes, c, score, decision, weight, recent):
    """Add a score to the recent ones of its class, and a decision to the mean."""
    place = int(classes[c].scores) % RECENT
    recent.scores[c, place] = score
    recent.weights[c, place] = weight * state.newest
    classes[c].scores += 1.0
    rate = min(weight / min(classes[c].scores, float(HISTORY)), 1.0)
    classes[c].mean_decision += rate * (decision - classes[c].mean_decision)
