"""What ``OnlineAUCClassifier`` knows between two rows; the weights and probabilities that follow from it."""

from typing import Any, NamedTuple

import numpy as np

from ..calibration import Calibration, fit_classes
from ..kernels.named_numbers import by_name, float_fields
from ..kernels.random import seed_state
from ..kernels.reservoir import Reservoir
from ..kernels.rows import CSR, Rows, as_rows
from .constants import ENOUGH, LARGE, RESERVOIR_BYTES, ROWS_PER_PIECE
from .dense_columns import DenseColumns
from .learning import Scratch, learn_rows
from .recent_scores import RecentScores
from .sparse_columns import SQUARES, SparseColumns

SEED = seed_state(1)


class Hyper(NamedTuple):
    """Step size, penalty, what a row keeps of the past, slopes of the loss.

    ``new`` is False in later passes; ``again`` is True in those that bring all rows in random order, so that
    none are kept, and none are replayed but to balance the classes.
    """

    step_size: float
    l2: float
    keep: float
    new: bool
    again: bool
    slopes: np.ndarray


# What forgets with the half-life is "faded", or kept as if only new rows grew in weight, to `newest`.
STATE = float_fields(
    "rows",  # so far
    "newest",  # weight of a row that comes now
    "average_weight",  # of the iterates so far in their average
    "imbalance",  # what the positives' weights have been ahead of the negatives', faded
    "comparisons",  # of new rows with replayed ones, up to HISTORY
    "unlike",  # mean of the results: at most 1 in a mixed stream
    "gap",  # between the classes' mean decisions when a new row was last counted
    "norm",  # the usual norm of a scaled row
    "slopes",  # dense: the sum of squared slopes, faded
    "columns_per_direction",  # dense: columns over directions that the rows take
    "unit",  # sparse: the usual size of a value
    "penalty",  # sparse: l2 times the weight of all steps
    "longest",  # number of entries of a row
)
CLASS = float_fields(
    "rows",
    "faded_rows",
    "mean_weight",  # of its rows
    "steps",  # of new and replayed rows, faded
    "new_steps",  # of new rows, faded
    "new_mean",  # running mean of the decisions on new rows
    "past_mean",  # the same on replayed rows
    "past_variance",
    "scores",  # written to its recent scores
    "mean_decision",
)


class StreamModel(NamedTuple):
    """Weights, scales, recent scores and kept rows.

    ``state`` and ``classes`` (negative, positive) are ``numbers`` and ``class_numbers`` by name.
    """

    numbers: np.ndarray
    class_numbers: np.ndarray
    columns: DenseColumns | SparseColumns
    recent: RecentScores
    reservoir: Reservoir
    draws: np.ndarray

    @property
    def state(self) -> Any:
        return by_name(self.numbers, STATE)[()]

    @property
    def classes(self) -> Any:
        return by_name(self.class_numbers, CLASS)

    @classmethod
    def begin(cls, X: Rows, n_features: int, size: int) -> "StreamModel":
        """A model that has taken its scales from these rows, but has not learnt from them."""
        numbers, class_numbers = np.zeros(len(STATE)), np.zeros((2, len(CLASS)))
        state = by_name(numbers, STATE)[()]
        state.newest = 1.0
        layout: Any = SparseColumns if isinstance(X, CSR) else DenseColumns
        columns, reservoir = layout.begin(X, n_features, state), Reservoir.empty(X, size, RESERVOIR_BYTES)
        return cls(numbers, class_numbers, columns, RecentScores.empty(), reservoir, SEED.copy())

    def learn(self, hyper: Hyper, X: Rows, y: np.ndarray, order: np.ndarray) -> "StreamModel":
        """The model after these rows; it is changed in place, but for a reservoir that needs more room."""
        state, classes, reservoir = self.state, self.classes, self.reservoir
        longest = int(np.diff(X.indptr).max(initial=1)) if isinstance(X, CSR) else X.shape[1]
        state.longest = max(state.longest, longest)
        scratch, y = Scratch(*np.empty((2, int(state.longest)))), y[order]
        in_chunk = np.full(reservoir.weights.shape, -1)
        while len(order):
            if not hyper.again:
                reservoir = reservoir.with_room(X, len(order), longest)
            parts = reservoir, in_chunk, self.draws, self.columns, scratch, as_rows(reservoir.rows)
            done = learn_rows(hyper, state, classes, self.recent, *parts, X, y, order)
            y, order = y[done:], order[done:]
            self._reduce_large()
        return self._replace(reservoir=reservoir)

    def _reduce_large(self) -> None:
        """Divide the weights that grow by each row, if they are large."""
        state, recent, columns = self.state, self.recent, self.columns
        if state.average_weight > LARGE:
            state.average_weight /= LARGE
            columns.linear()[1][:] /= LARGE
        if state.newest > LARGE:
            state.newest /= LARGE
            recent.weights[:] /= LARGE
            recent.history_weights[:] /= LARGE
            recent.prequential.rescale(1.0 / LARGE)
            if isinstance(columns, SparseColumns):
                columns.table[:, SQUARES] /= LARGE

    def weights(self, at: Any = slice(None), average: bool = True) -> np.ndarray:
        """Weights for rows as they come, of some columns; of the average or of the last iterate."""
        share = 1.0 / self.state.average_weight if average and self.state.average_weight > 0.0 else 0.0
        weights, offsets, factors = self.columns.linear()
        return (weights[at] - share * offsets[at]) * factors[at] / self.state.norm

    def middle(self) -> float:
        """The score midway between the classes' mean scores."""
        middle = float(self.classes.mean_decision.sum() / max((self.classes.scores > 0).sum(), 1))
        if isinstance(self.columns, DenseColumns):
            middle += float((self.weights() * self.columns.scales.mean).sum())
        return middle

    def threshold_and_calibration(self) -> tuple[float, Calibration]:
        """The distance from the middle at which both classes are equally likely; log-odds by that from it.

        Fitted to the latest decisions on rows not learnt yet, for the classes' shares of the rows so far.
        Later passes of ``fit`` enlarge the decisions.
        """
        classes, state = self.classes, self.state
        totals = classes.mean_weight * classes.faded_rows
        totals *= classes.faded_rows.sum() / (totals.sum() or 1.0)
        gap = classes.mean_decision[1] - classes.mean_decision[0]
        distances = self.recent.history * (max(gap / state.gap, 1.0) if state.gap > 0.0 else 1.0)
        calibration = fit_classes(distances, self.recent.history_weights, totals, ROWS_PER_PIECE, ENOUGH)
        threshold = calibration.middle()
        return threshold, calibration.shifted(-threshold)

    def widened(self, extra: int) -> "StreamModel":
        """The same model with columns added that were zero in all rows so far."""
        columns, reservoir = self.columns.widened(extra, self.state), self.reservoir.widened(extra)
        return self._replace(columns=columns, reservoir=reservoir)
