"""Cross-validation over rows in partitions: a fold is a part of every partition."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..batch import closed_form
from ..batch.folds import FoldResults
from ..batch.newton import Limits
from ..batch.solver import Penalty
from ..metrics import auc, partial_auc
from ..pairs.losses import Loss
from .curvature import INTERVALS
from .mesh import Histogram
from .problem import PartitionedProblem, PartitionedRows, sum_between
from .rounds import Rounds, SharedRounds
from .row_sums import Scorer, SignedRows, random_numbers, spread_weights

FOLD_SEED = 4
N_CELLS = 4096  # between which held-out scores are counted, with about equal weight in each
ROUND_BYTES = 2**26  # largest sum of a round in which several values of l2 are fitted at the same time


def fold_numbers(rows: SignedRows, n_folds: int) -> np.ndarray:
    """The fold of each row, from 0 on, by its place among the rows of all partitions."""
    return np.floor(n_folds * random_numbers(rows, FOLD_SEED)).astype(int)


class Fold(NamedTuple):
    """Rows of a fold, or all others; ``scale`` makes the weights of each class sum to one."""

    number: int
    n_folds: int
    scale: np.ndarray
    held_out: bool

    def select(self, rows: SignedRows) -> SignedRows:
        """The partition with weight zero for all other rows."""
        inside = fold_numbers(rows, self.n_folds) == self.number
        chosen = rows.y * self.scale[(rows.y > 0.0).astype(int)]
        return rows._replace(y=np.where(inside == self.held_out, chosen, 0.0))


def call_on_fold(rows: SignedRows, *args: Any, function: Callable, fold: Fold) -> Any:
    """A function of the rows of a fold."""
    return function(fold.select(rows), *args)


class FoldRounds(NamedTuple):
    """Rounds over the rows of a fold, or over all others."""

    rounds: Rounds
    fold: Fold

    def sum(self, function: Callable) -> Any:
        return self.rounds.sum(partial(call_on_fold, function=function, fold=self.fold))

    def sum_twice(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        on_fold = partial(partial, call_on_fold, fold=self.fold)
        return self.rounds.sum_twice(on_fold(function=first), between, on_fold(function=second))


def sum_fold_weights(rows: SignedRows, n_folds: int) -> tuple[np.ndarray, np.ndarray]:
    """Total weight and number of the negatives and of the positives in each fold."""
    number = fold_numbers(rows, n_folds)
    weight, count = np.zeros((2, 2, n_folds))
    for k, sign in enumerate((-1.0, 1.0)):
        weight[k] = np.bincount(number, np.maximum(sign * rows.y, 0.0), n_folds)
        count[k] = np.bincount(number, sign * rows.y > 0.0, n_folds)
    return weight, count


def choose_edges(histogram: Histogram, spacing: float) -> np.ndarray:
    """Edges of cells of about the same weight, each class counted alike."""
    weight = np.maximum(histogram.weight.sum(axis=0), 0.0)
    below = np.append(0.0, np.cumsum(weight))
    places = spacing * (np.append(histogram.nodes, histogram.nodes[-1] + 1) - 0.5)
    return np.unique(np.interp(below[-1] * np.arange(1, N_CELLS) / N_CELLS, below, places))


class HeldOut(NamedTuple):
    """Weights of the negatives and positives in cells of the score, with a score for each cell."""

    score: np.ndarray
    weight: np.ndarray

    def measure(self, max_fpr: float | None) -> float:
        """AUC, or standardised partial AUC."""
        n = len(self.score)
        y, cell, weight = np.repeat([0, 1], n), np.tile(np.arange(n), 2), self.weight.ravel()
        if max_fpr is None:
            return auc(y, cell, weight)
        return partial_auc(y, cell, max_fpr, standardized=True, sample_weight=weight)


def count_held_out(rounds: FoldRounds, scorer: Scorer) -> HeldOut:
    """The distribution of the scores of the rows of a fold."""
    edges, weight = rounds.sum_twice(
        partial(spread_weights, scorer=scorer),
        partial(choose_edges, spacing=scorer.spacing),
        partial(sum_between, scorer=scorer),
    )
    score = np.concatenate([edges[:1], 0.5 * (edges[1:] + edges[:-1]), edges[-1:]])
    missing = N_CELLS - len(score)  # equal edges make fewer cells
    return HeldOut(np.pad(score, (0, missing), mode="edge"), np.pad(weight, ((0, 0), (0, missing))))


class Folds:
    """Folds of rows in partitions, chosen by the rows' places, and fits of several penalties on all folds."""

    def __init__(self, rows: PartitionedRows, n_folds: int) -> None:
        self.rows, self.n_folds = rows, n_folds
        self._share, count = rows.rounds.sum(partial(sum_fold_weights, n_folds=n_folds))
        if not (self._share.min() > 0.0 and self._share.max() < 1.0):
            raise ValueError(
                f"DaskAUCClassifierCV: one of {n_folds} folds, or the rest, has rows of one class only; give "
                "fewer folds, or more rows."
            )
        self.fewest_negatives, self._shared = int(count[0].min()), SharedRounds(rows.rounds)

    def _rounds(self, number: int, held_out: bool) -> FoldRounds:
        """Rounds over a fold, or over all other rows."""
        share = self._share[:, number]
        scale = 1.0 / (share if held_out else 1.0 - share)
        return FoldRounds(self._shared, Fold(number, self.n_folds, scale, held_out))

    def cross_validate(
        self,
        max_fpr: float | None,
        problem: PartitionedProblem,
        loss: Loss,
        l2s: np.ndarray,
        limits: Limits,
        start: np.ndarray | None = None,
    ) -> FoldResults:
        """Fit every ``l2`` on every fold; ``l2s`` descend. All folds, and several values, share rounds."""
        starts = problem.sample_path(loss, l2s, start)
        step = self._paths(problem, loss, len(l2s))
        jobs = [(fold, range(path, len(l2s), step)) for fold in range(self.n_folds) for path in range(step)]
        grid: dict[tuple[int, int], tuple[np.ndarray, HeldOut]] = {}

        def fit_path(job: tuple[int, range]) -> None:
            fold, values = job
            train = problem.with_rounds(self._rounds(fold, held_out=False))
            w = None
            for k in values:
                w = train.solve(loss, Penalty(float(l2s[k])), limits, w if starts is None else starts[k]).w
                held_out = count_held_out(self._rounds(fold, held_out=True), problem.columns.scorer(w, loss))
                grid[k, fold] = w, held_out

        self._shared.map(fit_path, jobs)
        rows = [[grid[k, fold] for fold in range(self.n_folds)] for k in range(len(l2s))]
        return FoldResults(
            np.array([[held_out.measure(max_fpr) for _, held_out in row] for row in rows]),
            np.array([np.mean([w for w, _ in row], axis=0) for row in rows]),
            np.array([np.var([w for w, _ in row], axis=0) for row in rows]),
            np.array([self._join([held_out for _, held_out in row]) for row in rows]),
            closed_form.applies(loss, 0.0, problem.products),
        )

    def _paths(self, problem: PartitionedProblem, loss: Loss, n_values: int) -> int:
        """Into how many paths the values are divided, which are fitted at the same time."""
        d = self.rows.n_features
        if closed_form.applies(loss, 0.0, problem.products):
            return 1  # all values follow from the statistics of one round
        size = 8 * d * (d + 2 * INTERVALS) if problem.columns.hessian_step else 8 * d
        return int(np.clip(ROUND_BYTES // (size * self.n_folds), 1, n_values))

    def _join(self, folds: list[HeldOut]) -> np.ndarray:
        """Scores of all cells and folds, then their weights as given, negative for the negative class."""
        weights = [
            part.weight * (self._share[:, k] * self.rows.class_weight * [-1.0, 1.0])[:, None]
            for k, part in enumerate(folds)
        ]
        return np.concatenate([np.tile([part.score for part in folds], 2).ravel(), np.ravel(weights)])
