"""A map over threads: order, nesting, errors and Ctrl-C."""

import signal
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from aucmax.batch.threads import thread_map


def test_threads_keep_order_nest_and_raise():
    with thread_map(2) as run:
        assert list(run(lambda k: list(run(lambda j: (k, j), range(3))), range(5))) == [
            [(k, j) for j in range(3)] for k in range(5)
        ]
        with pytest.raises(IndexError):
            run(lambda k: [][k], range(4))


def test_ctrl_c_waits_until_threads_have_finished(monkeypatch):
    finished = []

    class Pool(ThreadPoolExecutor):
        def submit(self, *task):
            future = super().submit(*task)

            def result():
                signal.raise_signal(signal.SIGINT)  # would stop here, with the lock of a thread taken
                finished.append(Future.result(future))

            future.cancel, future.result = lambda: False, result
            return future

    monkeypatch.setattr("aucmax.kernels.interrupts.ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt), thread_map(2) as run:
        run(str, range(4))
    assert len(finished) == 1
