"""A stream from its first row on: the first rows are held back until the scales can be taken from them."""

from typing import NamedTuple, cast

import numpy as np
from scipy import sparse

from ..kernels.rows import CSR, Rows, as_rows, read_only
from .constants import RECENT
from .model import StreamModel
from .rows import ranges
from .state import Hyper


class Setting(NamedTuple):
    """What the estimator's parameters mean to a stream."""

    hyper: Hyper
    center: bool | str
    reservoir: int


class Stream(NamedTuple):
    """The first rows while they are held back, with their signed weights; then the model.

    ``centred`` is None before the first row, which decides it.
    """

    n_features: int
    centred: bool | None = None
    X: Rows | None = None
    y: np.ndarray = np.zeros(0)
    model: StreamModel | None = None

    def learn(self, setting: Setting, X: Rows, y: np.ndarray, order: np.ndarray) -> "Stream":
        """The stream after these rows; the model in it is changed in place."""
        if not len(order):
            return self
        stream = self._decide_layout(setting, X)
        rows = X if isinstance(X, CSR) or stream.centred else as_rows(sparse.csr_array(X))
        if stream.model is None:
            missing = RECENT - len(stream.y)
            held, order = order[:missing], order[missing:]
            stream = stream._hold(rows, y, held)
            if len(stream.y) < RECENT:
                return stream
            stream = stream.begun(setting)
        assert stream.model is not None
        stream.model.learn(setting.hyper, rows, y, order)
        return stream

    def begun(self, setting: Setting) -> "Stream":
        """The stream with a model, which has learnt from the rows held back if there was none."""
        if self.model is not None or self.X is None:
            return self
        model = StreamModel.begin(self.X, self.n_features, setting.reservoir)
        # Read-only again: pickles and checkpoints give writable arrays back.
        X = CSR(*map(read_only, self.X)) if isinstance(self.X, CSR) else read_only(self.X)
        model.learn(setting.hyper, X, self.y, np.arange(len(self.y)))
        return Stream(self.n_features, self.centred, model=model)

    def widened(self, extra: int) -> "Stream":
        """The same stream with columns added that were zero in all rows so far."""
        X, model = self.X, self.model
        if isinstance(X, np.ndarray):
            X = as_rows(np.ascontiguousarray(np.pad(X, ((0, 0), (0, extra)))))
        return self._replace(
            n_features=self.n_features + extra, X=X, model=None if model is None else model.widened(extra)
        )

    def _decide_layout(self, setting: Setting, X: Rows) -> "Stream":
        is_csr = isinstance(X, CSR)
        if is_csr and (setting.center is True or self.centred):
            raise ValueError(
                "OnlineAUCClassifier: sparse rows cannot be standardised without making them dense. "
                "Give dense rows, or center=False from the first row on."
            )
        if self.centred is not None:
            return self
        return self._replace(centred=not is_csr and setting.center is not False)

    def _hold(self, X: Rows, y: np.ndarray, rows: np.ndarray) -> "Stream":
        """The stream with these rows held back too."""
        y = np.append(self.y, y[rows])
        if not isinstance(X, CSR):
            held = X[rows] if self.X is None else np.concatenate([cast(np.ndarray, self.X), X[rows]])
            return self._replace(X=read_only(held), y=y)
        before = CSR(X.data[:0], X.indices[:0], X.indptr[:1]) if self.X is None else cast(CSR, self.X)
        lengths = X.indptr[rows + 1] - X.indptr[rows]
        at, ends = ranges(X.indptr[rows], lengths), before.indptr[-1] + lengths.cumsum()
        parts = zip(X, before, (X.data[at], X.indices[at], ends), strict=True)
        # The kernel is compiled for the types of the rows given.
        both = (np.append(old, new).astype(given.dtype) for given, old, new in parts)
        return self._replace(X=CSR(*map(read_only, both)), y=y)
