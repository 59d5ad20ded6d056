"""What ``OnlineAUCClassifier`` knows between two rows, how it begins, and the weights that follow from it."""

from typing import Any, NamedTuple

import numpy as np

from ..calibration import Calibration
from ..kernels.rows import CSR, Rows
from ..stochastic.engine.estimator import copy_solver
from .columns import OFFSET, SCALE, WEIGHT, DenseColumns, Row, SparseColumns
from .constants import BAND, HUGE, ROUNDING
from .learning import CLASS, STATE, Hyper, by_name, learn_rows
from .probability import FIRST_SLOPE, stream_calibration
from .recent_scores import RecentScores
from .reservoir import DenseReservoir, SparseReservoir, make_room, starting_draws


class StreamModel(NamedTuple):
    """Weights, scales, recent scores and kept rows.

    ``numbers`` and ``class_numbers`` are the numbers that ``STATE`` and ``CLASS`` name.
    """

    n_features: int
    numbers: np.ndarray
    class_numbers: np.ndarray
    columns: DenseColumns | SparseColumns
    recent: RecentScores
    reservoir: DenseReservoir | SparseReservoir
    draws: np.ndarray

    @property
    def state(self) -> Any:
        """The numbers by name."""
        return by_name(self.numbers, STATE)[()]

    @property
    def classes(self) -> Any:
        """The classes' numbers by name, negative and positive."""
        return by_name(self.class_numbers, CLASS)

    @property
    def is_dense(self) -> bool:
        return isinstance(self.columns, DenseColumns)

    @classmethod
    def begin(cls, X: Rows, n_features: int, reservoir: int) -> "StreamModel":
        """A model that has taken its scales from these rows, but has not learnt from them."""
        numbers, class_numbers = np.zeros(len(STATE.names)), np.zeros((2, len(CLASS.names)))
        state = by_name(numbers, STATE)[()]
        state.newest = 1.0
        make = _begin_sparse if isinstance(X, CSR) else _begin_dense
        columns, kept = make(X, n_features, reservoir, state)
        classes = by_name(class_numbers, CLASS)
        classes.places, classes.near_slope, classes.far_slope = (
            kept.weights.shape[1],
            FIRST_SLOPE,
            FIRST_SLOPE,
        )
        return cls(n_features, numbers, class_numbers, columns, RecentScores.empty(), kept, starting_draws())

    def learn(self, hyper: Hyper, X: Rows, y: np.ndarray, order: np.ndarray) -> None:
        """Learn from rows, in place."""
        width, index_type = self.n_features, np.dtype(np.int32)
        if isinstance(X, CSR) and isinstance(self.reservoir, SparseReservoir):
            width = max(int(self.state.longest), int(np.diff(X.indptr).max(initial=1)))
            index_type = self.reservoir.columns.dtype
        row = Row.of(width, index_type)
        parts = self.recent, self.reservoir, self.draws, self.columns
        state, classes = self.state, self.classes
        while len(order):
            order = order[learn_rows(hyper, state, classes, *parts, row, X, y, order) :]
            if len(order) and isinstance(X, CSR):
                # A kernel of its own: it is rarely needed, and takes half a second to compile.
                make_room(self.reservoir, state, classes, int(np.diff(X.indptr[order[0] : order[0] + 2])[0]))

    def copy(self) -> "StreamModel":
        return copy_solver(self)

    def weights(self, at: Any = slice(None), average: bool = True) -> np.ndarray:
        """Weights for rows as they come, of some columns; of the average or of the last iterate."""
        share = 1.0 / self.state.average_weight if average and self.state.average_weight > 0.0 else 0.0
        if isinstance(self.columns, DenseColumns):
            return (self.columns.weights[at] - share * self.columns.offsets[at]) * self.columns.inverse[at]
        table = self.columns.table[at]
        return (table[:, WEIGHT] - share * table[:, OFFSET]) * table[:, SCALE] / self.state.norm

    def threshold(self) -> float:
        """The score at which both classes are equally likely."""
        classes = self.classes
        middle = float((classes.mean_decision).sum() / max((classes.scores > 0).sum(), 1))
        if isinstance(self.columns, DenseColumns):
            middle += float((self.weights() * self.columns.mean).sum())
        return middle + stream_calibration(self.state, classes).middle()

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
        if isinstance(self.columns, DenseColumns):
            columns: DenseColumns | SparseColumns = self.columns.widened(extra)
        else:
            columns = self.columns.widened(extra, 1.0 / self.state.unit)
        reservoir, numbers = self.reservoir.widened(extra), self.class_numbers.copy()
        classes = by_name(numbers, CLASS)
        classes.places = np.minimum(classes.places, reservoir.weights.shape[1])
        classes.kept = np.minimum(classes.kept, classes.places)
        return self._replace(
            n_features=self.n_features + extra, class_numbers=numbers, columns=columns, reservoir=reservoir
        )


def _begin_dense(X, n_features, reservoir, state):
    """Means and variances without the two smallest and the two largest values of each column."""
    X = np.asarray(X, dtype=float)
    trim = len(X) // 32
    middle = np.sort(X, axis=0)[trim : len(X) - trim]
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance = middle.mean(axis=0), middle.var(axis=0)
        smallest = np.maximum(ROUNDING * np.abs(mean), 1.0 / HUGE)
        usable = np.isfinite(variance) & (variance > smallest**2)
        mean, variance = np.where(np.isfinite(mean), mean, 0.0), np.where(usable, variance, 0.0)
        std = np.sqrt(variance)
        inverse = np.divide(1.0, std, out=np.zeros_like(std), where=std > 0.0)
        state.alike = max(_alikeness(np.clip((X - mean) * inverse, -HUGE, HUGE)), 1.0)
    state.varying, state.head_rows, state.norm = (inverse > 0.0).sum(), len(X), 1.0
    columns = DenseColumns(*np.zeros((2, n_features)), mean, variance, std, inverse)
    return columns, DenseReservoir.empty(reservoir, n_features)


def _alikeness(Z: np.ndarray) -> float:
    """Columns that vary over directions that rows take: 1 if the columns are unrelated."""
    length = np.sqrt((Z * Z).sum(axis=1))
    Z = Z[length > 0.0] / length[length > 0.0, None]
    if len(Z) < 2:
        return 1.0
    # Not by BLAS or einsum, whose rounding depends on where the numbers lie in memory.
    squares = sum(float(((Z * z).sum(axis=1) ** 2).sum()) - 1.0 for z in Z)
    return squares / (len(Z) * (len(Z) - 1)) * float(Z.any(axis=0).sum())


def _begin_sparse(X, n_features, reservoir, state):
    """The usual value, row norm and number of entries: medians, which a few broken rows hardly move."""
    values = np.abs(np.asarray(X.data, dtype=float))
    rows = np.repeat(np.arange(len(X.indptr) - 1), np.diff(X.indptr))
    unit = min(max(np.median(values[values > 0.0]), 1.0 / HUGE**2), HUGE**2) if values.any() else 1.0
    with np.errstate(over="ignore"):
        squares = np.bincount(rows, np.minimum(values / unit, BAND) ** 2, len(X.indptr) - 1)
    state.unit, state.head_rows = unit, len(squares)
    state.norm = np.sqrt(np.median(squares[squares > 0.0])) if squares.any() else 1.0
    state.entries = (values > 0.0).sum() / len(squares)
    table = np.zeros((n_features, 4))
    table[:, SCALE] = 1.0 / unit
    columns = SparseColumns(table, np.zeros(n_features))
    return columns, SparseReservoir.empty(reservoir, n_features, state.entries)
