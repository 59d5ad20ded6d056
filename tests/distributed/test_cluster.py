"""Fits on a real cluster: killed workers, none left, Ctrl-C, many partitions, and rows read again."""

import gc
import os
import signal
import threading
import time
from functools import partial
from types import MethodType, SimpleNamespace

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from aucmax import AUCClassifier
from aucmax.distributed import DaskAUCClassifier, DaskAUCClassifierCV, auc, dask_engine, preparation
from distributed import Client, KilledWorker, LocalCluster
from oracles.distributed import problem, spread


@pytest.fixture(scope="module")
def cluster():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster),
    ):
        yield cluster


def slow(block):
    time.sleep(0.05)
    return block


def test_cluster_and_threads_agree(cluster):
    X, y, weights = problem(2000)
    data = spread(X, y, weights, chunks=250)
    on_cluster = DaskAUCClassifier().fit(*data)
    with dask.config.set(scheduler="threads"):
        on_threads = DaskAUCClassifier().fit(*data)
    np.testing.assert_allclose(on_cluster.coef_, on_threads.coef_, rtol=1e-12)
    assert on_cluster.intercept_ == pytest.approx(on_threads.intercept_, rel=1e-10)
    assert on_cluster.score(*data) == pytest.approx(on_threads.score(X, y, weights), rel=1e-12)


def test_data_frames_on_a_cluster(cluster):
    X, y, _ = problem()
    table = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(y=y), npartitions=4)
    rows = table[list("abcde")]
    model = DaskAUCClassifier().fit(rows, table["y"])
    known = model.score(rows.compute(), y)
    assert model.score(rows, table["y"]) == auc(table["y"], model.decision_function(rows)) == known


def test_result_survives_a_killed_worker(cluster):
    X, y, _ = problem(2000)
    rows, labels = spread(X, y, chunks=250)
    start = time.perf_counter()
    whole = DaskAUCClassifier(tol=1e-9).fit(rows.map_blocks(slow), labels)
    victim = next(iter(cluster.workers.values())).process.process.pid
    timer = threading.Timer(0.5 * (time.perf_counter() - start), os.kill, (victim, signal.SIGKILL))
    timer.start()
    again = DaskAUCClassifier(tol=1e-9).fit(rows.map_blocks(slow), labels)
    assert not timer.is_alive()  # it was killed before the fit ended
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)
    np.testing.assert_array_equal(again.coef_, whole.coef_)
    np.testing.assert_array_equal(again.intercept_, whole.intercept_)


def test_cross_validation_on_a_cluster(cluster):
    X, y, weights = problem(2000)
    data = spread(X, y, weights, chunks=250)
    on_cluster = DaskAUCClassifierCV(l2s=3, cv=3).fit(*data)
    with dask.config.set(scheduler="threads"):
        on_threads = DaskAUCClassifierCV(l2s=3, cv=3).fit(*data)
    np.testing.assert_allclose(on_cluster.scores_, on_threads.scores_, rtol=1e-10)
    np.testing.assert_allclose(on_cluster.coef_, on_threads.coef_, rtol=1e-10)
    probabilities = on_cluster.predict_proba(data[0])
    np.testing.assert_allclose(probabilities.compute(), on_cluster.predict_proba(X), rtol=1e-12)


def test_rows_that_are_not_kept_give_the_same_model(cluster):
    X, y, weights = problem(2000)
    data = spread(X, y, weights, chunks=250)
    kept, read_again = DaskAUCClassifier(persist=True).fit(*data), DaskAUCClassifier(persist=False).fit(*data)
    np.testing.assert_array_equal(read_again.coef_, kept.coef_)


def test_rows_beyond_half_of_the_memory_are_not_kept(cluster, monkeypatch):
    calls, X, y = [], *problem(2000)[:2]
    monkeypatch.setattr(dask_engine.DaskRounds, "persist", lambda self: calls.append("later"))
    started = dask_engine.DaskRounds.__init__

    def start(self, partitions, persist, watch):
        calls.append(persist)
        started(self, partitions, persist, watch)

    monkeypatch.setattr(dask_engine.DaskRounds, "__init__", start)
    limits = [X.nbytes - 1, X.nbytes]
    for limit in limits:
        monkeypatch.setattr("aucmax.distributed.preparation.memory_for_rows", lambda limit=limit: limit)
        DaskAUCClassifier(max_iter=1, tol=10.0).fit(*spread(X, y, chunks=500))
    assert calls == [False, True]


def test_a_thousand_partitions_some_empty_some_of_one_class(cluster, monkeypatch):
    monkeypatch.setattr(preparation, "BLOCK_BYTES", 4000)
    rng = np.random.default_rng(0)
    X, y, _ = problem(3000)
    order = np.lexsort([rng.random(3000) < 0.5, y])  # many partitions hold one class only
    cuts = np.sort(rng.integers(0, 3001, 999))
    sizes = np.diff(np.concatenate([[0], cuts, [3000]]))
    assert np.sum(sizes == 0) > 20
    rows = da.from_array(X[order], chunks=(tuple(sizes.tolist()), -1))
    labels = da.from_array(y[order], chunks=(tuple(sizes.tolist()),))
    model = DaskAUCClassifier().fit(rows, labels)
    exact = AUCClassifier(tol=1e-8).fit(X, y)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-8)
    assert model.n_rounds_ < 20
    assert model.bytes_ > 0


def test_bytes_of_arrays_in_what_partitions_send_and_return():
    ten, csr = np.zeros(10), sparse.csr_array(np.eye(3))
    assert dask_engine.count_bytes(ten) == 80
    assert dask_engine.count_bytes((ten, (ten, 1.0)), 4) == 4 * 168
    assert dask_engine.count_bytes([ten, ten], 4) == 160  # a sum of lists: each item comes from one partition
    assert dask_engine.count_bytes(csr) == 3 * 8 + csr.indices.nbytes + csr.indptr.nbytes
    assert dask_engine.count_bytes(partial(np.add, out=ten), 2) == 160
    holder = SimpleNamespace(array=ten)
    assert dask_engine.count_bytes(holder, 2) == dask_engine.count_bytes(MethodType(slow, holder), 2) == 160


def interrupt_after(seconds):
    timer = threading.Timer(seconds, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    return timer


@pytest.mark.parametrize("kind", [DaskAUCClassifier, DaskAUCClassifierCV])
def test_ctrl_c_leaves_the_cluster_usable(cluster, kind):
    X, y, _ = problem(2000)
    rows, labels = spread(X, y, chunks=250)
    model = kind(persist=False)
    timer = interrupt_after(1.0)
    gc.disable()  # a callback that distributed has put there would swallow the interrupt
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows.map_blocks(slow), labels)
    finally:
        gc.enable()
    timer.join()
    assert not hasattr(model, "coef_")
    np.testing.assert_array_equal(
        DaskAUCClassifier().fit(rows, labels).coef_, DaskAUCClassifier().fit(rows, labels).coef_
    )


def test_workers_that_end_again_and_again_are_explained(cluster, monkeypatch):
    def fail(*_):
        raise KilledWorker("task", SimpleNamespace(address="tcp://worker"), 3)

    monkeypatch.setattr(dask_engine, "_wait", fail)
    with pytest.raises(RuntimeError, match="most likely for lack of memory; make partitions smaller"):
        DaskAUCClassifier().fit(*spread(*problem()[:2]))


def test_a_cluster_without_workers_ends_in_an_error(monkeypatch):
    monkeypatch.setattr(dask_engine, "MAX_SECONDS_WITHOUT_WORKERS", 1.0)
    monkeypatch.setattr(dask_engine, "POLL_SECONDS", 0.2)
    settings = {"processes": False, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=0, **settings) as empty, Client(empty):
        X, y, _ = problem()
        start = time.monotonic()
        with pytest.raises(RuntimeError, match="no worker for 1 seconds; start workers and fit again"):
            DaskAUCClassifier(persist=True).fit(*spread(X, y))
        assert time.monotonic() - start < 30.0
