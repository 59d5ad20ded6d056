"""Cross-validated AUC, or partial AUC, along a path of ``l2``, without a copy of the rows."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kernels.jit import kernel
from ..kernels.rows import dot
from ..metrics import auc, partial_auc
from ..pairs.losses import Loss
from ..pairs.sums import Classes
from ..validation.namespaces import as_numpy
from . import closed_form
from .newton import Limits
from .solver import Penalty, Problem
from .threads import Map

# At ten times this, on classes far apart, a fit may end where the last l2's did, so that all folds but one
# have the same AUC for several values of l2 and that one fold decides.
FOLD_TOL = 2e-4
NOISE = 1e-4  # a smaller rise of a mean AUC does not count


class Split(NamedTuple):
    """Row numbers of one fold, and whether its held-out scores are kept for calibration."""

    train: np.ndarray
    test: np.ndarray
    kept: bool = True

    def of_rows(self, used: np.ndarray) -> "Split":
        """The fold without the rows that are not used."""
        return Split(self.train[used[self.train]], self.test[used[self.test]], self.kept)

    def room_for_scores(self, n_values: int) -> np.ndarray:
        """For the held-out scores of so many fits, in single precision, which suffices for calibration."""
        return np.empty((n_values, len(self.test) if self.kept else 0), np.float32)


class FoldResults(NamedTuple):
    """Held-out AUC for each ``l2`` and fold, weights to start from, and whether every fit is exact.

    ``variances`` are those of the weights among the folds. ``held_out`` has the scores of the held-out rows
    for each ``l2``, of the folds whose scores are kept one after the other, less the score of the columns'
    centre, so that the folds have a common origin.
    """

    scores: np.ndarray
    coefs: np.ndarray
    variances: np.ndarray
    held_out: np.ndarray
    exact: bool = False


def cross_validate(
    problem: Problem,
    signed: np.ndarray,
    splits: list[Split],
    loss: Loss,
    l2s: np.ndarray,
    limits: Limits,
    l1: float,
    run: Map,
    max_fpr: float | None = None,
    start: np.ndarray | None = None,
) -> FoldResults:
    """Fit every ``l2`` on every fold; ``l2s`` descend, and each fit starts from the previous one.

    Held-out rows have weight zero but are scored along with the others, so nothing is copied.
    """
    if closed_form.applies(loss, l1, problem.products):
        return _from_statistics(problem, signed, splits, l2s, run, max_fpr)
    products, centre = problem.products.in_one_thread(), problem.moments.centre

    first: np.ndarray | None = None  # weights that have seen held-out rows must not choose a local minimum
    if loss.convex:
        first = np.zeros(products.n_features) if start is None else start

    def fit_fold(split: Split) -> tuple[list[float], np.ndarray, np.ndarray]:
        train = np.zeros_like(signed)
        train[split.train] = signed[split.train]
        fold = Problem(products, products.split(train), problem.moments)
        w, coefs, scores = first, [], []
        held_out = split.room_for_scores(len(l2s))
        for k, l2 in enumerate(l2s):
            solution = fold.solve(loss, Penalty(float(l2), l1), limits, w)
            w, test = solution.w, products.select(solution.scores, split.test)
            coefs.append(w)
            scores.append(_held_out_auc(signed[split.test], test, max_fpr))
            if split.kept:
                held_out[k] = as_numpy(test) - np.sum(centre * w)
        return scores, np.array(coefs), held_out

    scores, coefs, held_out = zip(*run(fit_fold, splits), strict=True)
    return FoldResults(np.array(scores).T, *mean_and_variance(coefs), np.hstack(held_out))


def mean_and_variance(parts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of arrays, number by number."""
    mean = functools.reduce(np.add, (part / len(parts) for part in parts))
    return mean, functools.reduce(np.add, ((part - mean) ** 2 / len(parts) for part in parts))


def rises_after_fall(mean: np.ndarray) -> bool:
    """Whether the mean AUC, from the best ``l2`` to larger ones, falls and then rises again.

    With little penalty, a fit that stops at the tolerance of folds may score higher than the exact
    minimiser, and so may seem the best; with more penalty the two hardly differ.
    """
    return bool(np.any(mean - np.minimum.accumulate(mean) > NOISE))


def _held_out_auc(signed: np.ndarray, scores: np.ndarray, max_fpr: float | None) -> float:
    """AUC, or standardised partial AUC."""
    weight = np.abs(signed)
    sample_weight = None if np.all(weight == weight[0]) else weight
    if max_fpr is None:
        return auc(signed > 0.0, scores, sample_weight)
    return partial_auc(signed > 0.0, scores, max_fpr, standardized=True, sample_weight=sample_weight)


def _from_statistics(
    problem: Problem,
    signed: np.ndarray,
    splits: list[Split],
    l2s: np.ndarray,
    run: Map,
    max_fpr: float | None,
) -> FoldResults:
    """The squared loss: one pass over the rows for the statistics and one for the scores."""
    products, centre = problem.products, problem.moments.centre

    def statistics(rows: np.ndarray) -> closed_form.Statistics:
        pos, neg = rows[signed[rows] > 0.0], rows[signed[rows] < 0.0]
        classes = Classes(len(signed), pos, neg, signed[pos], -signed[neg])
        return closed_form.class_statistics(products, classes, centre)

    tests = [statistics(split.test) for split in splits]
    times_tested = np.bincount(np.concatenate([split.test for split in splits]), minlength=len(signed))
    if np.all(times_tested == 1):
        whole = functools.reduce(closed_form.Statistics.plus, tests)
    else:
        whole = statistics(np.arange(len(signed)))

    def score_fold(k: int) -> tuple[list[float], np.ndarray, np.ndarray]:
        split, complement = splits[k], len(splits[k].train) + len(splits[k].test) == len(signed)
        train = whole.minus(tests[k]) if complement else statistics(split.train)
        path = np.ascontiguousarray(closed_form.RegularisationPath(train).coef(l2s).T)
        test = many_scores(products.X, split.test, products.coef(path))
        held_out = split.room_for_scores(len(l2s))
        if split.kept:
            held_out[:] = test - np.sum(path * centre, axis=1, keepdims=True)
        return [_held_out_auc(signed[split.test], scores, max_fpr) for scores in test], path, held_out

    scores, paths, held_out = zip(*run(score_fold, range(len(splits))), strict=True)
    coefs, (_, variances) = closed_form.RegularisationPath(whole).coef(l2s).T, mean_and_variance(paths)
    return FoldResults(np.array(scores).T, coefs, variances, np.hstack(held_out), exact=True)


@kernel
def many_scores(X, rows, coefs):
    """Scores of some rows under several weight vectors."""
    out = np.empty((len(coefs), len(rows)))
    for k in range(len(rows)):
        for c in range(len(coefs)):
            out[c, k], _ = dot(X, rows[k], coefs[c])
    return out
