"""What ``OnlineAUCClassifier`` knows between two rows, and the weights that follow from it."""

from typing import Any, NamedTuple

import numpy as np

from ..calibration import Calibration
from ..kernels.rows import CSR, Rows
from .constants import LARGE
from .dense_columns import DenseColumns
from .learning import learn_rows
from .probability import FIRST_SLOPE, stream_calibration
from .recent_scores import RecentScores
from .reservoir import SEED, Reservoir, is_full, make_room
from .rows import Row
from .sparse_columns import SQUARES, SparseColumns
from .state import CLASS, STATE, Hyper, by_name


class StreamModel(NamedTuple):
    """Weights, scales, recent scores and kept rows.

    ``numbers`` and ``class_numbers`` are the numbers that ``STATE`` and ``CLASS`` name.
    """

    n_features: int
    numbers: np.ndarray
    class_numbers: np.ndarray
    columns: DenseColumns | SparseColumns
    recent: RecentScores
    reservoir: Reservoir
    draws: np.ndarray

    @property
    def state(self) -> Any:
        """The numbers by name."""
        return by_name(self.numbers, STATE)[()]

    @property
    def classes(self) -> Any:
        """The classes' numbers by name, negative and positive."""
        return by_name(self.class_numbers, CLASS)

    @classmethod
    def begin(cls, X: Rows, n_features: int, reservoir: int) -> "StreamModel":
        """A model that has taken its scales from these rows, but has not learnt from them."""
        numbers, class_numbers = np.zeros(len(STATE.names)), np.zeros((2, len(CLASS.names)))
        state, classes = by_name(numbers, STATE)[()], by_name(class_numbers, CLASS)
        if isinstance(X, CSR):
            columns: Any = SparseColumns.begin(X, n_features, state)
            kept = Reservoir.sparse(reservoir, n_features, len(X.data) / (len(X.indptr) - 1))
        else:
            columns = DenseColumns.begin(X, n_features, state)
            kept = Reservoir.dense(reservoir, n_features)
        state.newest, classes.places = 1.0, kept.weights.shape[1]
        classes.near_slope, classes.far_slope = FIRST_SLOPE, FIRST_SLOPE
        draws = np.array([SEED], dtype=np.uint64)
        return cls(n_features, numbers, class_numbers, columns, RecentScores.empty(), kept, draws)

    def learn(self, hyper: Hyper, X: Rows, y: np.ndarray, order: np.ndarray) -> None:
        """Learn from rows, in place."""
        lengths = np.diff(X.indptr) if isinstance(X, CSR) else np.array([self.n_features])
        longest = max(lengths.max(initial=1), self.reservoir.lengths.max(initial=1))
        values, scaled, squares = np.empty((3, longest))
        indices = np.empty(longest if isinstance(X, CSR) else 0, dtype=self.reservoir.columns.dtype)
        row = Row(values, indices, scaled, squares)
        parts = self.recent, self.reservoir, self.draws, self.columns
        state, classes = self.state, self.classes
        while len(order):
            order = order[learn_rows(hyper, state, classes, *parts, row, X, y, order) :]
            if len(order):
                self._tidy(int(lengths[order[0]]) if isinstance(X, CSR) else 0)

    def _tidy(self, n: int) -> None:
        """Bring down what grows, and make room for a row of n entries."""
        state = self.state
        if state.average_weight > LARGE:
            state.average_weight /= LARGE
            self.columns.linear()[1][:] /= LARGE
        if state.newest > LARGE:
            state.newest /= LARGE
            state.pairs_in_order /= LARGE
            state.pairs /= LARGE
            self.recent.weights[:] /= LARGE
            self.recent.decision_weights[:] /= LARGE
            if isinstance(self.columns, SparseColumns):
                self.columns.table[:, SQUARES] /= LARGE
        if is_full(self.reservoir, state, n):
            make_room(self.reservoir, state, self.classes, n)

    def weights(self, at: Any = slice(None), average: bool = True) -> np.ndarray:
        """Weights for rows as they come, of some columns; of the average or of the last iterate."""
        share = 1.0 / self.state.average_weight if average and self.state.average_weight > 0.0 else 0.0
        weights, offsets, factors = self.columns.linear()
        return (weights[at] - share * offsets[at]) * factors[at] / self.state.norm

    def threshold(self) -> float:
        """The score at which both classes are equally likely."""
        middle = float(self.classes.mean_decision.sum() / max((self.classes.scores > 0).sum(), 1))
        if isinstance(self.columns, DenseColumns):
            middle += float((self.weights() * self.columns.mean).sum())
        return middle + stream_calibration(self.state, self.classes).middle()

    def calibration(self) -> Calibration:
        """Log-odds by the distance of a score from the threshold."""
        calibration = stream_calibration(self.state, self.classes)
        return calibration.shifted(-calibration.middle())

    def auc(self) -> float:
        """Prequential AUC; NaN before any pair was counted."""
        return float(self.state.pairs_in_order / self.state.pairs) if self.state.pairs > 0.0 else np.nan

    def coverage(self) -> float:
        """Pairs that counted in the prequential AUC, of those to expect if the classes are mixed."""
        return min(float(self.state.close_pairs / max(self.state.mixed_pairs, 1.0)), 1.0)

    def widened(self, extra: int) -> "StreamModel":
        """The same model with columns added that were zero in all rows so far."""
        reservoir = self.reservoir.widened(self.n_features, extra)
        wide = self._replace(
            n_features=self.n_features + extra,
            class_numbers=self.class_numbers.copy(),
            columns=self.columns.widened(extra, self.state),
            reservoir=reservoir,
        )
        for name in ("places", "kept"):
            wide.classes[name] = np.minimum(wide.classes[name], reservoir.weights.shape[1])
        return wide
