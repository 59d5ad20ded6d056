"""Counts of ordered pairs for arrays of torch, CuPy or another library of the array API."""

from typing import Any, NamedTuple

from ..validation.array_labels import find_two_labels
from ..validation.errors import DataError
from ..validation.labels import positive_mask
from ..validation.namespaces import Arrays, as_numpy
from ..validation.scores import check_same_length, check_scores
from ..validation.weights import check_weights, scale_class_weights


class ClassScores(NamedTuple):
    """Scores of each class, and weights where they are given."""

    xp: Any
    pos: Any
    neg: Any
    pos_weight: Any = None
    neg_weight: Any = None


def check_arrays(arrays: Arrays, y: Any, score: Any, sample_weight: Any = None) -> ClassScores:
    """Validate labels, scores and weights; split them by class."""
    xp = arrays.xp
    if score.ndim == 2 and score.shape[1] == 1:
        score = score[:, 0]
    real = xp.isdtype(score.dtype, ("real floating", "integral"))
    if not real or score.ndim != 1 or not bool(xp.all(xp.isfinite(score))):
        check_scores(arrays.get(score))  # names what is wrong
        raise DataError(f"score has dtype {score.dtype}", remedy="give real numbers, one for each row")
    found = find_two_labels(arrays, y) if getattr(y, "ndim", 1) == 1 else None
    positive = arrays.put(positive_mask(as_numpy(y))) if found is None else found[1]
    check_same_length(y=positive.shape[0], score=score.shape[0])
    rows = xp.nonzero(positive)[0], xp.nonzero(~positive)[0]
    classes = ClassScores(xp, *(score[each] for each in rows))
    if sample_weight is None:
        return classes
    weight = check_weights(as_numpy(sample_weight), positive.shape[0])
    weight = arrays.put(scale_class_weights(weight, arrays.get(positive)))
    return classes._replace(pos_weight=weight[rows[0]], neg_weight=weight[rows[1]])


def array_counts(classes: ClassScores) -> tuple[float, float, float]:
    """Twice the weight of the pairs won (those tied count once), and the weight of each class."""
    xp, weight = classes.xp, classes.neg_weight
    order = xp.argsort(classes.neg)
    ordered = classes.neg[order]
    below, up_to = (xp.searchsorted(ordered, classes.pos, side=side) for side in ("left", "right"))
    if weight is None:
        return int(xp.sum(below + up_to)), classes.pos.shape[0], classes.neg.shape[0]
    cumulated = xp.cumulative_sum(weight[order], include_initial=True)
    twice_won = xp.sum(classes.pos_weight * (cumulated[below] + cumulated[up_to]))
    return float(twice_won), float(xp.sum(classes.pos_weight)), float(cumulated[-1])


def array_placement_squares(classes: ClassScores, twice_won: float) -> tuple[float, float]:
    """Sums over each class of (placement - AUC) squared, with differences in integers."""
    xp, n_pos, n_neg = classes.xp, classes.pos.shape[0], classes.neg.shape[0]
    squares = []
    for own, others, n_own in ((classes.pos, classes.neg, n_pos), (classes.neg, classes.pos, n_neg)):
        ordered = xp.sort(others)
        twice = xp.searchsorted(ordered, own, side="left") + xp.searchsorted(ordered, own, side="right")
        if own is classes.neg:  # a negative's pairs are won by the positives above it
            twice = 2 * n_pos - twice
        difference = xp.astype(twice * n_own - twice_won, xp.float64)
        squares.append(float(xp.sum(difference * difference)))
    pairs = 2.0 * n_pos * n_neg
    return squares[0] / pairs / pairs, squares[1] / pairs / pairs
