"""``aucmax warm-up``: compile all kernels now, so that no later command or fit waits for it."""

import functools
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...io.columns.options import ReadOptions
from ...io.reading.reader import Table
from ...validation.errors import DataError
from ..baseline import stratified_folds
from ..data import labels, load
from ..evaluation import MAX_FPR, cross_validate, describe_ranking, evaluate_on_test
from ..options import Json
from ..rendering import print_result
from ..scoring import score_labelled_rows
from .compare import make_models

EPILOG = "\b\nExample:\n  NUMBA_CACHE_DIR=/opt/aucmax-cache aucmax warm-up"
N_ROWS, N_FEATURES = 300, 4


def run(json: Json = False) -> None:
    """Compile everything ahead of time, for container images and clusters.

    Fits every estimator to a few dense and sparse rows, and reads and scores files. The machine code is kept
    in the folder that NUMBA_CACHE_DIR names, else beside the package or, where that cannot be written, in the
    user's own cache.
    """
    from ...kernels.jit import cache_folder

    started, seconds = time.perf_counter(), {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # made-up rows: warnings about the fits say nothing
        for name, call in steps(folder):
            start = time.perf_counter()
            call()
            seconds[name] = time.perf_counter() - start
            if not json:
                print(f"{name:<40}{seconds[name]:>6.1f} s", flush=True)
    if cache_folder() is None:
        remedy = "set NUMBA_CACHE_DIR to a folder that can be written, and unset NUMBA_DISABLE_JIT"
        raise DataError("there is no folder to keep compiled code in", remedy=remedy)
    total = time.perf_counter() - started
    print_result({"cache": cache_folder(), "seconds": total, "steps": seconds}, json, show)


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    yield f"compiled in {result['seconds']:.0f} s; the code is in {result['cache']}"


def steps(folder: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Pairs of a name, which says what is compiled, and a call that does it; writes files to the folder."""
    from ...pairs.losses import LOSSES

    for layout, path, reading in write_rows(folder):
        yield f"reading, {layout}", functools.partial(load, path, reading)
        table = load(path, reading)
        y = labels(table, path)
        folds = list(stratified_folds(y, 0).split(table.X, y))[:2]
        for name, model in make_models(table.X, y, 0, MAX_FPR, papers=True).items():
            if not name.startswith("logistic"):
                yield f"{name}, {layout}", functools.partial(cross_validate, model, table.X, y, folds)
        yield f"commands, {layout}", functools.partial(use_commands, folder, path, reading, table)
        for loss in LOSSES:
            yield f"loss {loss}, {layout}", functools.partial(fit_batch, loss, table)
    yield "metrics", compute_metrics


def write_rows(folder: str) -> Iterator[tuple[str, str, ReadOptions]]:
    """Two small files with the same rows: a table, which is read as dense rows, and LIBSVM text."""
    from sklearn.datasets import dump_svmlight_file

    X, y = draw_rows()
    csv, text = os.path.join(folder, "rows.csv"), os.path.join(folder, "rows.svm")
    np.savetxt(csv, np.c_[y, X], "%.6g", ",", header="y,a,b,c,d", comments="")
    dump_svmlight_file(X * (X > 0), y, text, zero_based=False)
    yield "dense rows", csv, ReadOptions(label="y")
    yield "sparse rows", text, ReadOptions()


def draw_rows() -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    return X, (X[:, 0] + rng.normal(size=N_ROWS) > 0.5).astype(int)


def use_commands(folder: str, path: str, reading: ReadOptions, table: Table) -> None:
    """What ``train``, ``predict`` and ``evaluate`` call, with and without --stream."""
    import aucmax

    from ...io.storage.models import load_scorer, save_model

    aucmax.OnlineAUCClassifier(reservoir=2).fit(table.X, table.y)  # a full reservoir also replaces rows
    aucmax.FSAUC(0.01).fit(table.X, table.y)  # a radius so small that weights are projected
    model = aucmax.AUCClassifierCV().fit(table.X, table.y)
    evaluate_on_test(model, path, reading, None, model.coef_[0], MAX_FPR)
    saved = os.path.join(folder, "model.auc")
    save_model(model, saved)
    positive, score, _ = score_labelled_rows(load_scorer(saved), path, reading)
    describe_ranking(positive, score, MAX_FPR)


def fit_batch(loss: str, table: Table) -> None:
    """Fit `AUCClassifier` with a loss, with and without a push, and with an L1 penalty."""
    import aucmax

    options: tuple[dict[str, Any], ...] = {}, {"push": 2.0}, {"l1": 0.01}
    for penalties in options:
        aucmax.AUCClassifier(loss, **penalties).fit(table.X, table.y)


def compute_metrics() -> None:
    """The metrics, with and without weights: of few and of many scores, some of them skewed."""
    from ... import metrics
    from ...metrics.sorted_rows import LARGE

    X, y = draw_rows()
    score = np.exp(5 * X[:, 0])
    for n in (N_ROWS, LARGE + 1):
        rows = np.arange(n) % N_ROWS
        for weight in (None, np.exp(X[rows, 1])):
            for function in (metrics.auc, metrics.partial_auc, metrics.top, metrics.average_precision):
                function(y[rows], score[rows], sample_weight=weight)
    metrics.auc(y, score.astype(np.float32))
    metrics.auc_interval(y, score)
    metrics.auc_difference(y, score, X[:, 0])
    assert metrics.StreamingAUC().update(y, score).value > 0.5
