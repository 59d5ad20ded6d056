"""The two labels of a stream, of which its first rows may show only one."""

from typing import TYPE_CHECKING

import numpy as np

from ..io.reading.reader import Chunk
from ..validation.errors import DataError
from ..validation.parameters import parse_number
from .data import can_read_again, check_labels, chunks, data_name, labels, two_labels
from .messages import print_warning
from .stream_state import StreamState
from .training import TrainingJob

if TYPE_CHECKING:
    from ..io.reading.shuffle import ShuffleBuffer  # imports scipy and numba


def find_two_labels(
    job: TrainingJob, batch_size: int, chunk: Chunk, buffer: "ShuffleBuffer | None"
) -> np.ndarray | None:
    """The labels of the first rows: of those that wait to be mixed, and of a chunk.

    If they have only one, a file is searched for the other, and of a pipe further rows are to wait, if they
    are to be mixed anyway: then the answer is None.
    """
    y = np.concatenate([*([] if buffer is None else buffer.labels), labels(chunk, job.data)])
    seen = np.unique(y)
    if len(seen) > 2:
        two_labels(y, job.data, job.reading)
    if len(seen) == 2:
        check_labels(seen, job.data)
        return seen
    found: np.ndarray | None
    if can_read_again(job.data):
        found = _search_file(job, batch_size, chunk, seen)
    else:
        found = _named_pair(job.positive, seen)
        if found is None and buffer is not None and len(y) < buffer.size:
            return None
        if found is None:
            raise _one_label(job, seen, len(y), buffer is not None)
    if buffer is None:
        print_warning(
            f"the first {len(y):,} rows are all of class {seen[0]}; if the classes come one after "
            "the other, mix the rows with --shuffle N."
        )
    return found


def check_both_came(job: TrainingJob, state: StreamState) -> None:
    """Raise an error if a pipe has ended before it had rows of two labels."""
    if state.classes is None and state.buffer is not None:
        check_labels(np.unique(np.concatenate(state.buffer.labels)), job.data)
    elif state.classes is not None and state.positives in (0, state.rows) and not can_read_again(job.data):
        there, absent = state.classes if state.positives == 0 else state.classes[::-1]
        problem = f"all {state.rows:,} rows are of class {there}, and none is of class {absent}"
        raise DataError(problem, remedy="check {positive}", file=data_name(job.data))


def _search_file(job: TrainingJob, batch_size: int, chunk: Chunk, seen: np.ndarray) -> np.ndarray:
    """The labels of a chunk and those after it, up to the second one."""
    later = chunks(job.data, job.reading.for_training(), batch_size, chunk.position)
    while len(seen) < 2 and (other := next(later, None)) is not None:
        seen = np.union1d(seen, labels(other, job.data))
    check_labels(seen, job.data)
    return seen


def _named_pair(positive: str | None, seen: np.ndarray) -> np.ndarray | None:
    """The only label seen and the one that is to rank high, if it is another."""
    (label,) = seen.tolist()
    other = positive if isinstance(label, str) or positive is None else parse_number(positive)
    if other is None or other == label or not (isinstance(other, str) or np.isfinite(other)):
        return None
    return np.unique(np.array([label, other]))


def _one_label(job: TrainingJob, seen: np.ndarray, n_rows: int, is_shuffled: bool) -> DataError:
    """The error for a pipe whose first rows have one label."""
    more = "raise {shuffle}" if is_shuffled else "raise {batch_size} or give {shuffle=N}"
    remedy = f"{more}, until so many rows have both"
    if job.positive is None:
        remedy += "; if the other label is to rank high, name it with {positive}"
    problem = f"the first {n_rows:,} rows are all of class {seen[0]}"
    return DataError(problem, remedy=remedy, file=data_name(job.data))
