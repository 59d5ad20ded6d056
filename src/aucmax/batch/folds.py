"""Cross-validated AUC along a path of ``l2``, without a copy of the rows."""

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import kernel
from ..kernels.rows import dot
from ..metrics import auc
from ..pairs.losses import Loss, Squared
from ..pairs.sums import Classes
from . import closed_form
from .objective import Products
from .solver import Penalty, Problem

# Within a factor of ten of the best l2 of a9a and w8a, mean held-out AUC is then within 2e-4 of that at 1e-5.
FOLD_TOL = 2e-3
NOISE = 1e-4  # of a mean AUC: less is no rise


class Split(NamedTuple):
    """Row numbers of one fold."""

    train: np.ndarray
    test: np.ndarray


class Folded(NamedTuple):
    """Held-out AUC for each ``l2`` and fold, weights to start from, and whether the fits are closed_form."""

    scores: np.ndarray
    coefs: np.ndarray
    exact: bool = False


def cross_validate(
    problem: Problem,
    signed: np.ndarray,
    splits: list[Split],
    loss: Loss,
    l2s: np.ndarray,
    l1: float,
    run: Callable[..., Iterable],
    start: np.ndarray | None = None,
    **limits: Any,
) -> Folded:
    """Fit every ``l2`` on every fold; ``l2s`` descend, and each fit starts where the last one ended.

    Rows held out keep no weight but are scored along with the others, so nothing is copied.
    """
    if isinstance(loss, Squared) and l1 == 0.0 and problem.products.n_features <= closed_form.MOST_FEATURES:
        return _from_statistics(problem, signed, splits, l2s, run)
    alone = Products(problem.products.X, problem.products.n_features)

    def fold(split: Split) -> tuple[list[float], np.ndarray]:
        part = Problem(alone, Classes.split(_only(signed, split.train)), problem.moments)
        w, coefs, found = np.zeros(alone.n_features) if start is None else start, [], []
        for l2 in l2s:
            solution = part.solve(loss, Penalty(l2, l1), w, **limits)
            w = solution.w
            coefs.append(w)
            found.append(_held_out(signed, split.test, solution.scores))
        return found, np.array(coefs) / len(splits)

    scores, parts = zip(*run(fold, splits), strict=True)
    return Folded(np.array(scores).T, functools.reduce(np.add, parts))


def past_a_dip(mean: np.ndarray, best: int) -> bool:
    """Whether AUC falls and rises again from the best ``l2`` to larger ones.

    With little penalty, a fit that ends at the tolerance of folds may be better than one that goes on, and
    so look better than it is; fits with more penalty do not have such room.
    """
    larger = mean[best:]
    return bool(np.any(larger - np.minimum.accumulate(larger) > NOISE))


def _only(signed: np.ndarray, rows: np.ndarray) -> np.ndarray:
    out = np.zeros_like(signed)
    out[rows] = signed[rows]
    return out


def _held_out(signed: np.ndarray, test: np.ndarray, scores: np.ndarray) -> float:
    weight = signed[test]
    even = bool(np.all(np.abs(weight) == np.abs(weight[0])))
    return auc(weight > 0.0, scores[test], None if even else np.abs(weight))


def _from_statistics(problem: Problem, signed: np.ndarray, splits, l2s, run) -> Folded:
    """The squared loss: the rows are read once for the statistics and once for the scores."""
    products = problem.products
    centre = 0.5 * (problem.moments.pos_mean + problem.moments.neg_mean)

    def statistics(rows: np.ndarray) -> closed_form.Statistics:
        pos, neg = rows[signed[rows] > 0.0], rows[signed[rows] < 0.0]
        return closed_form.class_statistics(
            products, Classes(len(signed), pos, neg, signed[pos], -signed[neg]), centre
        )

    tests = [statistics(split.test) for split in splits]
    covered = np.bincount(np.concatenate([split.test for split in splits]), minlength=len(signed))
    if np.all(covered == 1):
        whole = functools.reduce(closed_form.Statistics.plus, tests)
    else:
        whole = statistics(np.arange(len(signed)))

    def fold(k: int) -> list[float]:
        split, complement = splits[k], len(splits[k].train) + len(splits[k].test) == len(signed)
        train = whole.less(tests[k]) if complement else statistics(split.train)
        coefs = np.ascontiguousarray(closed_form.Path(train).coef(l2s).T)
        scores = many_scores(products.X, split.test, coefs)
        return [_held_out(signed[split.test], np.arange(len(split.test)), row) for row in scores]

    scores = np.array(list(run(fold, range(len(splits))))).T
    return Folded(scores, closed_form.Path(whole).coef(l2s).T, exact=True)


@kernel
def many_scores(X, rows, coefs):
    """Scores of some rows under several weight vectors."""
    out = np.empty((len(coefs), len(rows)))
    for k in range(len(rows)):
        for c in range(len(coefs)):
            out[c, k], _ = dot(X, rows[k], coefs[c])
    return out
