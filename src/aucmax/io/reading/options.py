"""What the readers are asked for and what they give."""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...validation.errors import DataError
from ...validation.parameters import nothing, one_of, whole


class Table(NamedTuple):
    """A file in memory: rows, labels or None, names of columns or None, and how many rows were left out.

    ``zero_based`` is whether the features of LIBSVM text were counted from 0; None for a table.
    """

    X: Any
    y: np.ndarray | None
    feature_names: list[str] | None
    skipped: int = 0
    zero_based: bool | None = None


class Chunk(NamedTuple):
    """Some rows of a file; ``position`` is where the next chunk starts, for ``stream(start=...)``."""

    X: Any
    y: np.ndarray | None
    feature_names: list[str] | None
    position: dict[str, Any]
    skipped: int = 0
    zero_based: bool | None = None


class Chunks(Generator[Chunk, None, int]):
    """The chunks of a file in their order; ``skipped`` is how many rows were left out so far.

    What it goes through returns, at its end, how many came after the last chunk.
    """

    def __init__(self, found: Generator[Chunk, None, int]) -> None:
        self.skipped = 0
        self._found = found

    def send(self, value: None) -> Chunk:
        """The next chunk."""
        try:
            chunk = self._found.send(value)
        except StopIteration as end:
            self.skipped += end.value or 0  # nothing where the end is asked for again
            raise
        self.skipped += chunk.skipped
        return chunk

    def throw(self, *error: Any) -> Chunk:
        """Hand an error on: most often that whoever read the chunks has had enough."""
        return self._found.throw(*error)


class Options(NamedTuple):
    """The choices of a call of ``read`` or ``stream``."""

    label: str | int | None = None
    n_features: int | None = None
    categorical: str | None = None
    missing: str | None = None
    on_bad_rows: str = "error"
    features: Sequence[str] | None = None
    zero_based: bool | None = None
    means: Sequence[float] | np.ndarray | None = None

    @property
    def skip(self) -> bool:
        """Whether bad rows are left out rather than refused."""
        return self.on_bad_rows == "skip"


_RULES = {
    "n_features": whole | nothing,
    "categorical": one_of("onehot", "hash") | nothing,
    "missing": one_of("zero", "mean") | nothing,
    "on_bad_rows": one_of("error", "skip"),
}


def check_options(options: Options) -> None:
    """Raise a ValueError that names the first option out of its range."""
    for name, rule in _RULES.items():
        rule.check(name, getattr(options, name))
    if options.label is not None and (
        isinstance(options.label, bool) or not isinstance(options.label, (str, int))
    ):
        raise ValueError(f"label must be the name or the number of a column, or None; got {options.label!r}.")
    if options.means is not None and not _are_numbers(options.means):
        raise ValueError(f"means must be finite numbers, one for each feature; got {options.means!r}.")


def _are_numbers(values: Any) -> bool:
    array = np.asarray(values)
    return array.ndim == 1 and array.dtype.kind in "fiu" and bool(np.isfinite(array).all())


def check_start(start: Any, keys: set[str]) -> dict[str, Any]:
    """The resume point, empty for the beginning; it must come from a stream of the same format."""
    if isinstance(start, int) and start == 0:
        return {}
    if not isinstance(start, dict) or set(start) != keys:
        raise ValueError(f"start must be 0 or the position of a chunk of the same file; got {start!r}.")
    return start


def no_rows(name: str, skipped: int) -> DataError:
    """The error for an input without a single good row."""
    what = {0: "it has no rows", 1: "its only row is bad"}.get(skipped, f"all {skipped:,} rows are bad")
    return DataError(f"{name}: {what}; give a file with rows.")
