"""Rows in partitions, ready to be fitted for any loss and penalty."""

from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
from scipy import sparse

from ..batch import closed_form
from ..batch.moments import Moments, relative_gradient_norm
from ..batch.newton import Limits, Result, minimise
from ..batch.products import Products, ScaledColumns
from ..batch.scaling import column_factor, column_spread
from ..batch.solver import FIRST_SMOOTHING, MIN_SAMPLE, SAMPLE_LIMITS, Penalty, Problem, Solution
from ..batch.threshold import balanced_threshold
from ..kernels.rows import as_rows, scores
from ..pairs.losses import Loss
from ..pairs.sums import Classes
from .objective import Objective, PartitionedColumns, Point
from .pair_sums import mesh_function
from .rounds import Rounds
from .row_sums import Scorer, SignedRows, spread_weights, sum_statistics
from .summary import Summary, summarise

SAMPLE_BYTES = 2**24  # of rows sent to the client, on which a fit starts
SAMPLE_SHARE = 0.25  # of the rows that are sent at most
SCORE_SEED = 3
MAX_SCORES = 2**16  # sent to the client, to choose the threshold
SLOPE_RATIO = (
    0.9  # of a line search: loose, since with the Hessian formed a trial costs as much as a Newton step
)
MESH_ERROR = 1e-8  # of the mean of a smoothed hinge over all pairs


class PartitionedRows:
    """Rows of two classes in partitions of :class:`SignedRows`, and what is known of their columns.

    ``class_rows`` and ``class_weight`` are the numbers of negative and of positive rows, and their total
    weights as given.
    """

    def __init__(
        self, rounds: Rounds, class_rows: np.ndarray, class_weight: np.ndarray, n_features: int
    ) -> None:
        self.rounds, self.n_rows, self.n_features = rounds, int(class_rows.sum()), n_features
        self.class_weight = class_weight
        size = int(min(SAMPLE_SHARE * self.n_rows, SAMPLE_BYTES / (8 * n_features)))
        enough = size >= max(MIN_SAMPLE, 2 * n_features)
        rates = 0.5 * size / class_rows if enough else np.zeros(2)
        found: Summary = rounds.sum(partial(summarise, rates=rates))
        self.sparse, self._mixed = not found.dense_bytes, bool(found.dense_bytes and found.sparse_bytes)
        self.n_bytes = found.dense_bytes + found.sparse_bytes
        self.sample = (join_rows(found.X), np.concatenate(found.y)) if enough and found.X else None
        self.moments = Moments.about(found.columns.centre, found.columns.total)
        positive_share = float(class_weight[1] / class_weight.sum())
        self.spread = column_spread(self.moments, positive_share, self.sparse)

    def problem(self, exponent: float) -> "PartitionedProblem":
        """The problem in which every column is divided by that power of its spread."""
        factor = column_factor(self.spread, exponent)
        columns = PartitionedColumns(self.rounds, self.n_rows, self.moments.centre, factor)
        centre = np.zeros(self.n_features) if self.sparse or self._mixed else self.moments.centre
        return PartitionedProblem(columns, self.moments.scaled(factor), self.sample, centre)

    def threshold(self, coef: np.ndarray) -> float:
        """The threshold with the best balanced accuracy; of many rows, among those between sampled scores."""
        scorer = Scorer(coef, np.zeros(self.n_features), 1.0)
        if self.n_rows <= MAX_SCORES:
            parts, signed = self.rounds.sum(partial(sample_scores, scorer=scorer, rate=1.0))
            return balanced_threshold(np.concatenate(parts), Classes.split(np.concatenate(signed)))
        if self.sample is None:
            parts, _ = self.rounds.sum(partial(sample_scores, scorer=scorer, rate=MAX_SCORES / self.n_rows))
        else:
            parts = [scores(as_rows(self.sample[0]), coef)]
        distinct = np.unique(np.concatenate(parts))
        edges = 0.5 * (distinct[1:] + distinct[:-1])
        neg, pos = self.rounds.sum(partial(sum_between, scorer=scorer, edges=edges))
        gain = np.cumsum(neg - pos)[:-1]
        if gain.max() <= 1e-9:
            return float(distinct[0] - 1.0)
        return float(edges[np.argmax(gain > gain.max() - 1e-9)])


def join_rows(blocks: list) -> Any:
    """Rows of several blocks, CSR only if all of them are."""
    if len(blocks) == 1:
        return blocks[0]
    if all(sparse.issparse(block) for block in blocks):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate([block.toarray() if sparse.issparse(block) else block for block in blocks])


def sample_scores(rows: SignedRows, scorer: Scorer, rate: float) -> tuple[list, list]:
    """Scores and signed weights of some rows, as lists of one array: these add up."""
    chosen = rows.sample(SCORE_SEED, rate) if rate < 1.0 else np.flatnonzero(rows.y)
    return [scorer.scores(rows)[chosen]], [rows.y[chosen]]


def sum_between(rows: SignedRows, edges: np.ndarray, scorer: Scorer) -> np.ndarray:
    """The weight of the negatives and of the positives between consecutive edges."""
    bins = np.searchsorted(edges, scorer.scores(rows))
    return np.array([np.bincount(bins, np.maximum(s * rows.y, 0.0), len(edges) + 1) for s in (-1.0, 1.0)])


class PartitionedProblem(Problem):
    """Rows in partitions and their columns, scaled. A vector of scores ``X v`` is represented by ``v``."""

    def __init__(
        self,
        columns: PartitionedColumns,
        moments: Moments,
        sample: tuple[Any, np.ndarray] | None,
        statistics_centre: np.ndarray,
    ) -> None:
        self.products: Any = ScaledColumns(len(columns.factor), columns.factor)
        self.columns, self.moments, self._sample = columns, moments, sample
        self._statistics_centre = statistics_centre
        self._last: Any = None
        self._statistics: closed_form.Statistics | None = None

    def _minimise(self, loss: Loss, penalty: Penalty, limits: Limits, w: np.ndarray) -> Result[Any]:
        objective = Objective(self.columns, loss, penalty.l2)
        gradient_norm = relative_gradient_norm(self.moments, loss, penalty.l2)
        last: Point | None = self._last
        start = objective.at(w) if last is None or last.w is not w else last.for_objective(objective)
        if self.columns.hessian_step:
            limits = limits._replace(slope_ratio=SLOPE_RATIO)
        precondition, trial = methodcaller("solver", gradient_norm.scale), objective.first_trial
        result = minimise(objective, start, gradient_norm, precondition, limits, first_trial=trial)
        self._last = result.point
        return result

    def with_rounds(self, rounds: Rounds) -> "PartitionedProblem":
        """The same problem on other rows, such as a fold, whose columns are alike."""
        return PartitionedProblem(
            self.columns._replace(rounds=rounds), self.moments, self._sample, self._statistics_centre
        )

    def _closed_form(self, penalty: Penalty) -> Solution:
        if self._statistics is None:
            self._statistics = self._sum_statistics()
        found = closed_form.solve(self._statistics, penalty.l2)
        return Solution(found.w, found.w, found.objective, found.optimality, 1, True)

    def _sum_statistics(self) -> closed_form.Statistics:
        total = self.columns.rounds.sum(partial(sum_statistics, centre=self._statistics_centre))
        factor, square = self.columns.factor, np.outer(self.columns.factor, self.columns.factor)
        return total._replace(
            pos_sum=factor * total.pos_sum,
            neg_sum=factor * total.neg_sum,
            pos_square=square * total.pos_square,
            neg_square=square * total.neg_square,
        )

    def _sample_solution(self, loss: Loss, penalty: Penalty) -> np.ndarray:
        path = self.sample_path(loss, np.array([penalty.l2]))
        return np.zeros(self.products.n_features) if path is None else path[0]

    def sample_path(
        self, loss: Loss, l2s: np.ndarray, start: np.ndarray | None = None
    ) -> list[np.ndarray] | None:
        """Weights from which to start fits for descending ``l2``: those given, or of the sample, if any."""
        if start is not None or self._sample is None:
            return None if start is None else [start] * len(l2s)
        X, signed = self._sample
        products = Products(as_rows(X), self.products.n_features, map, self.columns.factor)
        problem, loss = Problem(products, Classes.split(signed), self.moments), loss.smoothed(FIRST_SMOOTHING)
        path = [np.zeros(products.n_features)]
        # With a smaller tolerance the solution would fit what is particular to the sample.
        limits = SAMPLE_LIMITS._replace(tol=min(SAMPLE_LIMITS.tol, products.n_features / products.n_rows))
        for l2 in l2s:
            path.append(problem._minimise(loss, Penalty(float(l2)), limits, path[-1]).point.w)
        return path[1:]

    def _pair_value(self, loss: Loss, scores: np.ndarray) -> float:
        scorer = self.columns.scorer(scores, loss)
        return mesh_function(loss, self.columns.rounds.sum(partial(spread_weights, scorer=scorer))).value

    def _active_weight(self, point: Any) -> float:
        return point.active_weight

    def _rounding(self, point: Any) -> float:
        return MESH_ERROR
