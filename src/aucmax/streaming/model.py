"""What ``OnlineAUCClassifier`` knows between two rows; the weights and probabilities that follow from it."""

from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse

from ..calibration import Calibration, fit_calibration
from ..kernels.rows import CSR, Rows, as_rows
from .constants import ENOUGH, LARGE, RECENT, ROWS_PER_PIECE
from .dense_columns import DenseColumns
from .learning import Scratch, learn_rows
from .recent_scores import RecentScores
from .reservoir import SEED, Reservoir, is_full
from .sparse_columns import SQUARES, SparseColumns


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


def _numbers(*names: str) -> Any:
    return np.dtype((np.record, [(name, "f8") for name in names]))


# What forgets with the half-life is "faded", or kept as if only new rows grew in weight, to `newest`.
STATE = _numbers(
    "rows",  # so far
    "faded_rows",
    "newest",  # weight of a row that comes now
    "steps",  # of new and replayed rows, faded
    "average_weight",  # of the iterates so far in their average
    "imbalance",  # what the positives' weights have been ahead of the negatives', faded
    "pairs_in_order",  # of the prequential AUC, faded
    "pairs",
    "close_pairs",  # their number
    "mixed_pairs",  # the number to expect if the classes are mixed
    "comparisons",  # of new rows with replayed ones, up to HISTORY
    "unlike",  # mean of the results: at most 1 in a mixed stream
    "gap",  # between the classes' mean decisions when a new row was last counted
    "norm",  # the usual norm of a scaled row
    "slopes",  # dense: the sum of squared slopes, faded
    "columns_per_direction",  # dense: columns over directions that the rows take
    "unit",  # sparse: the usual size of a value
    "penalty",  # sparse: l2 times the weight of all steps
    "sparse_rows",  # in the reservoir, used or not
    "longest",  # number of entries of a row
)
CLASS = _numbers(
    "rows",
    "faded_rows",
    "mean_weight",  # of its rows
    "steps",  # of new and replayed rows, faded
    "new_steps",  # of new rows, faded
    "new_mean",  # running mean of the decisions on new rows
    "past_mean",  # the same on replayed rows
    "past_variance",
    "scores",  # written to its recent scores
    "decisions",
    "mean_decision",
    "kept",  # rows in the reservoir
    "capacity",  # for so many
    "replayed",  # place of the last row replayed, as a share of those kept
)


def by_name(numbers: np.ndarray, names: Any) -> Any:
    """A view of the last axis with a name for each number; what is assigned to one changes ``numbers``."""
    return np.recarray(numbers.shape[:-1], dtype=names, buf=numbers)  # type: ignore[call-overload]


class StreamModel(NamedTuple):
    """Weights, scales, recent scores and kept rows.

    ``numbers`` and ``class_numbers`` are the numbers that ``STATE`` and ``CLASS`` name.
    """

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
    def begin(cls, X: Rows, n_features: int, size: int) -> "StreamModel":
        """A model that has taken its scales from these rows, but has not learnt from them."""
        numbers, class_numbers = np.zeros(len(STATE)), np.zeros((2, len(CLASS)))
        state, classes = by_name(numbers, STATE)[()], by_name(class_numbers, CLASS)
        columns: Any = SparseColumns if isinstance(X, CSR) else DenseColumns
        reservoir = Reservoir.empty(X, size)
        state.newest, classes.capacity = 1.0, reservoir.weights.shape[1]
        draws = np.array([SEED], dtype=np.uint64)
        columns = columns.begin(X, n_features, state)
        return cls(numbers, class_numbers, columns, RecentScores.empty(), reservoir, draws)

    def learn(self, hyper: Hyper, X: Rows, y: np.ndarray, order: np.ndarray) -> "StreamModel":
        """The model after these rows; it is changed in place, but for a reservoir that needs more room."""
        state, classes, model = self.state, self.classes, self
        lengths = np.diff(X.indptr)[order] if isinstance(X, CSR) else np.array([X.shape[1]])
        state.longest = max(state.longest, lengths.max(initial=1))
        scratch = Scratch(*np.empty((2, int(state.longest))))
        y = y[order]
        while True:
            kept = as_rows(model.reservoir.rows)
            parts = model.recent, model.reservoir, model.draws, model.columns, scratch, kept
            done = learn_rows(hyper, state, classes, *parts, X, y, order)
            y, order = y[done:], order[done:]
            if not len(order):
                return model
            model = model._tidied(X, order[0])

    def _tidied(self, X: Rows, i: int) -> "StreamModel":
        """The model with what grows brought down, and with room for row i."""
        state, recent = self.state, self.recent
        if state.average_weight > LARGE:
            state.average_weight /= LARGE
            self.columns.linear()[1][:] /= LARGE
        if state.newest > LARGE:
            state.newest /= LARGE
            state.pairs_in_order /= LARGE
            state.pairs /= LARGE
            for weights in (recent.weights, recent.decision_weights, recent.history_weights):
                weights /= LARGE
            if isinstance(self.columns, SparseColumns):
                self.columns.table[:, SQUARES] /= LARGE
        if not isinstance(X, CSR) or not is_full(X, i, self.reservoir, state):
            return self
        n = int(X.indptr[i + 1] - X.indptr[i])
        return self._replace(reservoir=self.reservoir.with_room(state, self.classes, n))

    def weights(self, at: Any = slice(None), average: bool = True) -> np.ndarray:
        """Weights for rows as they come, of some columns; of the average or of the last iterate."""
        share = 1.0 / self.state.average_weight if average and self.state.average_weight > 0.0 else 0.0
        weights, offsets, factors = self.columns.linear()
        return (weights[at] - share * offsets[at]) * factors[at] / self.state.norm

    def middle(self) -> float:
        """The score midway between the classes' mean scores."""
        middle = float(self.classes.mean_decision.sum() / max((self.classes.scores > 0).sum(), 1))
        if isinstance(self.columns, DenseColumns):
            middle += float((self.weights() * self.columns.mean).sum())
        return middle

    def threshold_and_calibration(self) -> tuple[float, Calibration]:
        """The distance from the middle at which both classes are equally likely; log-odds by that from it."""
        calibration = self._calibration()
        threshold = calibration.middle()
        return threshold, calibration.shifted(-threshold)

    def _calibration(self) -> Calibration:
        """Log-odds by the distance of a score from the middle, at the classes' shares of the rows so far.

        Fitted to the latest decisions on rows not learnt yet, enlarged as later passes of ``fit`` enlarge the
        decisions. Where few rows of a class counted, as when the classes come one after the other, the fit
        says little; then the log-odds are those of the classes' shares at the middle, and rise by 1 a margin.
        """
        classes, weights = self.classes, self.recent.history_weights
        so_far = classes.mean_weight * classes.faded_rows
        so_far *= classes.faded_rows.sum() / (so_far.sum() or 1.0)
        odds, counted = np.log((so_far[1] + 0.5) / (so_far[0] + 0.5)), (weights > 0.0).sum(axis=1).min()
        if counted == 0:
            return Calibration(np.array([-1.0, 1.0]), np.array([odds - 1.0, odds + 1.0]))
        signed = np.array([[-1.0], [1.0]]) * (so_far / weights.sum(axis=1))[:, None] * weights
        fitted = fit_calibration(
            self.recent.history.ravel(), signed.ravel(), max(1, counted // ROWS_PER_PIECE)
        )
        gap = classes.mean_decision[1] - classes.mean_decision[0]
        distances = fitted.knots * (max(gap / self.state.gap, 1.0) if self.state.gap > 0.0 else 1.0)
        trust = counted / (counted + ENOUGH)
        return Calibration(distances, trust * fitted.log_odds + (1.0 - trust) * (odds + distances))

    def auc(self) -> float:
        """Prequential AUC; NaN before any pair was counted."""
        return float(self.state.pairs_in_order / self.state.pairs) if self.state.pairs > 0.0 else np.nan

    def coverage(self) -> float:
        """Pairs that counted in the prequential AUC, of those to expect if the classes are mixed."""
        return min(float(self.state.close_pairs / max(self.state.mixed_pairs, 1.0)), 1.0)

    def widened(self, extra: int) -> "StreamModel":
        """The same model with columns added that were zero in all rows so far."""
        columns, reservoir = self.columns.widened(extra, self.state), self.reservoir
        return self._replace(columns=columns, reservoir=reservoir.widened(extra, self.classes))


class Stream(NamedTuple):
    """A stream from its first row on: the first rows are held back until the scales can be taken from them.

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
            stream = stream.begun(hyper)
        model = cast(StreamModel, stream.model).learn(hyper, X, y, order)
        return stream._replace(model=model)

    def _hold(self, X: Rows, y: np.ndarray, order: np.ndarray) -> "Stream":
        """The stream with these rows among those held back."""
        rows = as_array(X, self.n_features)[order]
        if self.X is not None:
            held = as_array(self.X, self.n_features)
            rows = sparse.vstack([held, rows]) if isinstance(X, CSR) else np.concatenate([held, rows])
        return self._replace(X=as_rows(rows), y=np.append(self.y, y[order]))

    def begun(self, hyper: Hyper) -> "Stream":
        """The stream with a model, which has learnt from the rows held back if there was none."""
        if self.model is not None:
            return self
        X = np.zeros((1, self.n_features)) if self.X is None else self.X
        X = as_rows(X)  # read-only after unpickling, too
        model = StreamModel.begin(X, self.n_features, self.reservoir)
        model = model.learn(hyper, X, self.y, np.arange(len(self.y)))
        return self._replace(X=None, y=np.zeros(0), model=model)

    def widened(self, extra: int) -> "Stream":
        """The same stream with columns added that were zero in all rows so far."""
        X, model = self.X, self.model
        if isinstance(X, np.ndarray):
            X = as_rows(np.pad(X, ((0, 0), (0, extra))))
        return self._replace(
            n_features=self.n_features + extra, X=X, model=None if model is None else model.widened(extra)
        )


def as_array(X: Rows, n_features: int) -> Any:
    """Rows as an array, dense or sparse, whose rows can be selected."""
    return sparse.csr_array(tuple(X), shape=(len(X.indptr) - 1, n_features)) if isinstance(X, CSR) else X
