"""What ``OnlineAUCClassifier`` knows between two rows, from the first one on, and what follows from it."""

from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse

from ..calibration import Calibration, fit_classes
from ..kernels.named_numbers import by_name
from ..kernels.random import seed_state
from ..kernels.reservoir import Reservoir, as_array
from ..kernels.rows import CSR, Rows, as_rows
from ..kernels.scales import HUGE
from .constants import LARGE, PRIOR_ROWS, RECENT, RESERVOIR_BYTES, ROWS_PER_PIECE
from .dense_columns import DenseColumns
from .learning import CLASS, STATE, Hyper, Scratch, learn_rows
from .recent_scores import RecentScores
from .sparse_columns import SQUARES, SparseColumns

SEED = seed_state(1)


class StreamModel(NamedTuple):
    """Weights, scales, recent scores, kept rows and the state of the random numbers.

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
        state.weight_unit = 1.0
        layout: Any = SparseColumns if isinstance(X, CSR) else DenseColumns
        columns, reservoir = layout.begin(X, n_features, state), Reservoir.empty(X, size, RESERVOIR_BYTES)
        return cls(numbers, class_numbers, columns, RecentScores.empty(), reservoir, SEED.copy())

    def learn(self, hyper: Hyper, X: Rows, y: np.ndarray, order: np.ndarray) -> "StreamModel":
        """The model after these rows; it is changed in place, but the reservoir may be a larger one."""
        state, classes, reservoir = self.state, self.classes, self.reservoir
        longest = int(np.diff(X.indptr).max(initial=1)) if isinstance(X, CSR) else X.shape[1]
        scratch = Scratch(*np.empty((2, max(longest, int(reservoir.lengths.max(initial=0))))))
        y, in_chunk = y[order], np.full(reservoir.weights.shape, -1)
        while len(order):
            if not hyper.reshuffled:
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
            columns.offsets[:] /= LARGE
            if isinstance(columns, SparseColumns):
                columns.shrunk[:, 1] /= LARGE
        if state.weight_unit > LARGE:
            state.weight_unit /= LARGE
            recent.weights[:] /= LARGE
            recent.history_weights[:] /= LARGE
            recent.prequential.rescale(1.0 / LARGE)
            if isinstance(columns, SparseColumns):
                columns.table[:, SQUARES] /= LARGE

    def weights(self, at: Any = slice(None)) -> np.ndarray:
        """Weights of the averaged iterate for rows in their own units, of some columns."""
        weights, offsets, factors = self.columns.linear(at, self.state, self.classes)
        return (weights - offsets / max(self.state.average_weight, 1.0)) * factors / self.state.norm

    def middle(self) -> float:
        """The decision midway between the classes' mean decisions."""
        middle = float(self.classes.mean_decision.sum() / max((self.classes.n_scores > 0).sum(), 1))
        if isinstance(self.columns, DenseColumns):
            middle += float((self.weights() * self.columns.scales.mean).sum())
        return middle

    def threshold_and_calibration(self) -> tuple[float, Calibration]:
        """The distance from the middle at which both classes are equally likely; log-odds by that from there.

        Fitted to the latest decisions on rows not learnt yet, for the classes' shares of the rows so far; the
        decisions grow as the classes' means have come apart since, above all in later passes of ``fit``.
        """
        classes, state = self.classes, self.state
        totals = classes.mean_weight / (classes.mean_weight.max() or 1.0) * classes.faded_rows
        totals = np.maximum(totals / (totals.sum() or 1.0), 1.0 / HUGE) * classes.faded_rows.sum()
        gap = classes.mean_decision[1] - classes.mean_decision[0]
        distances = self.recent.history * (max(gap / state.last_gap, 1.0) if state.last_gap > 0.0 else 1.0)
        calibration = fit_classes(distances, self.recent.history_weights, totals, ROWS_PER_PIECE, PRIOR_ROWS)
        threshold = calibration.middle()
        return threshold, calibration.shifted(-threshold)

    def widened(self, extra: int) -> "StreamModel":
        """The same model with columns added that were zero in all rows so far."""
        columns, reservoir = self.columns.widened(extra, self.state), self.reservoir.widened(extra)
        return self._replace(columns=columns, reservoir=reservoir)


class Stream(NamedTuple):
    """A model, or rows held back until its scales can be taken from them.

    ``X`` and ``y``, signed weights, are these rows. ``center`` is "auto" until the first row decides it.
    """

    n_features: int
    center: bool | str
    reservoir: int
    X: Rows | None = None
    y: np.ndarray = np.zeros(0)
    model: StreamModel | None = None

    def learn(self, hyper: Hyper, X: Rows, y: np.ndarray, order: np.ndarray) -> "Stream":
        """The stream after these rows; the model in it is changed in place."""
        if isinstance(X, CSR) and self.center is True:
            raise ValueError(
                "OnlineAUCClassifier: sparse rows cannot be standardised without making them dense. "
                "Give dense rows, or center=False from the first row on."
            )
        if not len(order):
            return self
        stream = self._replace(center=self.center is not False and not isinstance(X, CSR))
        if not isinstance(X, CSR) and not stream.center:
            X = as_rows(sparse.csr_array(X))
        if stream.model is None:
            first, order = np.split(order, [RECENT - len(self.y)])
            stream = stream._hold(X, y, first)
            if len(stream.y) < RECENT:
                return stream
            stream = stream.with_model(hyper)
        return stream._replace(model=cast(StreamModel, stream.model).learn(hyper, X, y, order))

    def _hold(self, X: Rows, y: np.ndarray, order: np.ndarray) -> "Stream":
        """The stream with these rows among those held back."""
        rows = as_array(X, self.n_features)[order]
        if self.X is not None:
            held = as_array(self.X, self.n_features)
            rows = sparse.vstack([held, rows]) if isinstance(X, CSR) else np.concatenate([held, rows])
        return self._replace(X=as_rows(rows), y=np.append(self.y, y[order]))

    def with_model(self, hyper: Hyper) -> "Stream":
        """The stream with a model, which has learnt from the rows held back if there was none."""
        if self.model is not None:
            return self
        X = as_rows(np.zeros((1, self.n_features)) if self.X is None else self.X)
        model = StreamModel.begin(X, self.n_features, self.reservoir)
        model = model.learn(hyper, X, self.y, np.arange(len(self.y)))
        return self._replace(X=None, y=np.zeros(0), model=model)

    def widened(self, extra: int) -> "Stream":
        """The same stream with columns added that were zero in all rows so far."""
        X = as_rows(np.pad(self.X, ((0, 0), (0, extra)))) if isinstance(self.X, np.ndarray) else self.X
        model = None if self.model is None else self.model.widened(extra)
        return self._replace(n_features=self.n_features + extra, X=X, model=model)
