"""Mix the rows of a stream in a buffer of fixed size."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ...kernels.rows import CSR
from ..columns.features import Matrix

LabelledRows = tuple[Matrix, np.ndarray]


class ShuffleBuffer:
    """Holds up to ``size`` rows, at least 2; when full, half of them leave in random order.

    Each row waits for one round with probability 1/2, for two with 1/4, and so on: about as many rows as the
    buffer holds. The order depends on the rows and the seed, not on the chunks they come in. Memory: the rows
    held, twice while they are mixed.

    Examples
    --------
    >>> buffer = ShuffleBuffer(size=4, seed=0)
    >>> rows = np.arange(6.0)[:, None]
    >>> [y.tolist() for _, y in buffer.add(rows, rows.ravel())]
    [[2.0, 3.0], [1.0, 4.0]]
    >>> [y.tolist() for _, y in buffer.drain()]
    [[0.0, 5.0]]
    """

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self._rng = np.random.RandomState(seed)
        self._held: list[LabelledRows] = []

    def __len__(self) -> int:
        return sum(len(y) for _, y in self._held)

    @property
    def labels(self) -> list[np.ndarray]:
        """The labels of the rows held, in parts."""
        return [y for _, y in self._held]

    def add(self, X: Matrix, y: np.ndarray) -> Iterator[LabelledRows]:
        """Take rows in; the rows that leave, in groups. All groups must be asked for."""
        while len(y):
            room = self.size - len(self)
            self._held.append((X[:room], y[:room]))
            X, y = X[room:], y[room:]
            if len(self) == self.size:
                yield self._release(self.size // 2)

    def drain(self) -> Iterator[LabelledRows]:
        """The rows that are left at the end of the stream, as one group; none if there are none."""
        if self._held:
            yield self._release(len(self))

    def _release(self, count: int) -> LabelledRows:
        X, y = self._stack()
        order = self._rng.permutation(len(y))
        leave, stay = order[:count], order[count:]
        self._held = [(X[stay], y[stay])] if len(stay) else []
        return X[leave], y[leave]

    def _stack(self) -> LabelledRows:
        parts, labels = zip(*self._held, strict=True)
        rows = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
        return rows, np.concatenate(labels)

    def state(self) -> dict[str, Any]:
        """What the order of the rows to come depends on, for a checkpoint."""
        state: dict[str, Any] = {"generator": self._rng}
        if self._held:
            X, y = self._stack()
            rows = X if isinstance(X, np.ndarray) else CSR(X.data, X.indices, X.indptr)
            state |= {"rows": rows, "features": X.shape[1], "labels": y}
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self._rng, self._held = state["generator"], []
        if "rows" in state:
            rows, y = state["rows"], state["labels"]
            if isinstance(rows, CSR):
                rows = sparse.csr_array(tuple(rows), shape=(len(y), state["features"]))
            self._held.append((rows, y))
