"""Chunks read ahead in a thread: the same chunks, and errors where their chunk would have come."""

import io
import threading
import time

import numpy as np
import pytest

from aucmax.io import stream
from aucmax.io.reading.read_ahead import ReadAhead
from aucmax.validation.errors import DataError

TEXT = b"".join(b"%d 1:%d\n" % (k % 2, k) for k in range(10))


def n_readers():
    return sum(thread.name == "aucmax reader" for thread in threading.enumerate())


def test_chunks_are_those_of_the_file():
    expected = list(stream(io.BytesIO(TEXT), 3, n_features=1))
    with ReadAhead(stream(io.BytesIO(TEXT), 3, n_features=1)) as found:
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.X.toarray(), other.X.toarray())
            assert one.position == other.position
        assert next(found, None) is None  # and stays so
    assert n_readers() == 0


def test_an_error_comes_after_the_chunks_before_it():
    text = TEXT + b"1 1:what\n"
    with ReadAhead(stream(io.BytesIO(text), 4, n_features=1)) as chunks:
        assert [len(next(chunks).y) for _ in range(2)] == [4, 4]
        with pytest.raises(DataError, match="what"):
            next(chunks)
    assert n_readers() == 0


def test_one_chunk_is_read_ahead_and_no_more():
    asked = []

    class Chunks:
        skipped = 0

        def __next__(self):
            asked.append(len(asked))
            return asked[-1]

        def close(self):
            asked.append("closed")

    with ReadAhead(Chunks()) as chunks:
        assert next(chunks) == 0
        time.sleep(0.05)
        assert asked == [0, 1]
    assert asked == [0, 1, "closed"]


def test_bad_rows_are_counted_to_the_end():
    with ReadAhead(stream(io.BytesIO(TEXT + b"1 1:x\n"), 20, n_features=1, on_bad_rows="skip")) as chunks:
        assert len(list(chunks)) == 1
        assert chunks.skipped == 1
