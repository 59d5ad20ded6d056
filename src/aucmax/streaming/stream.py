"""A stream from its first row on."""

from typing import NamedTuple, cast

import numpy as np
from scipy import sparse

from ..kernels.reservoir import as_array
from ..kernels.rows import CSR, Rows, as_rows
from .constants import RECENT
from .model import Hyper, StreamModel


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
            stream = stream.begun(hyper)
        return stream._replace(model=cast(StreamModel, stream.model).learn(hyper, X, y, order))

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
        X = as_rows(np.zeros((1, self.n_features)) if self.X is None else self.X)  # read-only, as always
        model = StreamModel.begin(X, self.n_features, self.reservoir)
        model = model.learn(hyper, X, self.y, np.arange(len(self.y)))
        return self._replace(X=None, y=np.zeros(0), model=model)

    def widened(self, extra: int) -> "Stream":
        """The same stream with columns added that were zero in all rows so far."""
        X = as_rows(np.pad(self.X, ((0, 0), (0, extra)))) if isinstance(self.X, np.ndarray) else self.X
        model = None if self.model is None else self.model.widened(extra)
        return self._replace(n_features=self.n_features + extra, X=X, model=model)
