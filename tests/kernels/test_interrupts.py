"""Kernels that Ctrl-C may interrupt."""

import signal

import numpy as np
import pytest

from aucmax.kernels.interrupts import SIGNALS, defer_interrupts
from aucmax.metrics.auc import count_pairs
from aucmax.metrics.sketch import Cells, compress, single_cells, union
from aucmax.stochastic.engine.class_sums import _add_rows


def test_kernels_outside_of_defer_interrupts_return_plain_tuples():
    """Ctrl-C while Numba makes a NamedTuple crashes Python."""
    keys = np.array([1, 2], np.uint64)
    cells = single_cells(keys, np.array([1, -1], np.int8))
    found = [
        count_pairs(keys, np.array([1, -1], np.int8), np.int64(0)),
        _add_rows(np.eye(2), np.array([1.0, -1.0]), np.zeros(2), np.zeros(2)),
        cells,
        union(Cells(*cells), Cells(*cells)),
        compress(Cells(*cells), 2),
    ]
    assert {type(result) for result in found} == {tuple}


@pytest.mark.parametrize("number", SIGNALS)
def test_signals_with_a_handler_wait(number):
    def stop(*_):
        raise TimeoutError

    done = []

    def work():
        with defer_interrupts():
            signal.raise_signal(number)
            done.append("all")

    handler = signal.signal(number, stop)
    try:
        with pytest.raises(TimeoutError):
            work()
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, handler)
    assert done == ["all"]
