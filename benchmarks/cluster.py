"""DaskAUCClassifier on a local cluster: against the exact minimiser in memory, and on rows beyond memory.

    python benchmarks/cluster.py exact [--only NAME ...]
    python benchmarks/cluster.py speed [--only NAME ...]
    python benchmarks/cluster.py rows [--millions 12 25 50] [--memory 3GB] [--source lazy|parquet]
    python benchmarks/cluster.py tasks
    python benchmarks/cluster.py costs

``exact`` prints, for the squared hinge and the logistic loss, how far objective, weights and test AUC are
from those of AUCClassifier, solved to 1e-8. ``speed`` prints test AUC on 20 % of the rows and seconds to fit
the others, standardised, beside AUCClassifier and logistic regression on the whole machine. ``rows`` fits
rows of 50 features that are made, or read from Parquet, again in each pass, on workers with little memory.
``tasks`` prints the time of a round over partitions that are not joined. ``costs`` prints, for one core, the
nanoseconds a row of each pass and the size of what a partition returns. Data sets are read from
``$AUCMAX_DATA``; more than two labels become even against odd; news20 stays CSR.
"""

import argparse
import tempfile
import threading
import time
import warnings

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
from dask import delayed
from datasets import larger_or_even, read
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier
from aucmax.distributed import DaskAUCClassifier, preparation
from aucmax.distributed.dask_engine import count_bytes
from aucmax.distributed.objective import LENGTHS, Line, evaluate_pairs, sum_derivatives
from aucmax.distributed.row_sums import Scorer, SignedRows
from aucmax.metrics import auc
from aucmax.pairs.losses import get_loss
from aucmax.pairs.sums import Classes
from distributed import Client, LocalCluster

EXACT_SETS = ["a9a", "w8a", "ijcnn1", "covtype", "mnist", "news20"]
SETS = ["german.numer", "svmguide1", "magic04", "a9a", "w8a", "ijcnn1", "cod-rna", "mnist", "covtype"]
N_FEATURES = 50
CHUNK_ROWS = 250_000


def problem(name):
    """Training and test rows, standardised, and their labels; CSR rows as they are."""
    X, y = read(name)
    y = larger_or_even(y)
    X = sparse.csr_array(X) if name == "news20" else X.toarray()
    X, test, y, test_labels = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
    if sparse.issparse(X):
        return X, test, y, test_labels
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(test), y, test_labels


def partition(X, y, n):
    """Dask arrays with n blocks of rows."""
    size = -(-len(y) // n)
    if not sparse.issparse(X):
        return da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)
    sizes = [min(size, len(y) - start) for start in range(0, len(y), size)]
    starts = np.cumsum([0, *sizes[:-1]])
    blocks = [
        da.from_delayed(delayed(X[start : start + rows]), (rows, X.shape[1]), meta=sparse.csr_array((0, 0)))
        for start, rows in zip(starts, sizes, strict=True)
    ]
    return da.concatenate(blocks), da.from_array(y, chunks=(tuple(sizes),))


def timed(model, X, y):
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start


def objective(model, X, y):
    """The exact objective of a fitted model, from all rows."""
    coef, exponent = model.coef_[0], 0.5 if sparse.issparse(X) else 1.0
    signed = np.where(y == 1, 1.0, -1.0)
    pairs = get_loss(model.loss).sums(Classes.split(signed), X @ coef).value
    return pairs + 0.5 * model.l2_ * np.sum(model.feature_scale_ ** (2.0 * exponent) * coef**2)


def exact(args):
    print(f"{'':10}{'loss':16}{'objective gap':>14}{'weights':>10}{'test AUC':>10}{'rounds':>8}{'MB':>8}")
    with cluster(args):
        for name in args.only or EXACT_SETS:
            X, test, y, labels = problem(name)
            for loss in ("squared_hinge", "logistic"):
                model = DaskAUCClassifier(loss).fit(*partition(X, y, 8))
                best = AUCClassifier(loss, l2=model.l2_, tol=1e-8).fit(X, y)
                gap = objective(model, X, y) / objective(best, X, y) - 1.0
                weights = np.linalg.norm(model.coef_ - best.coef_) / np.linalg.norm(best.coef_)
                change = abs(model.score(test, labels) - best.score(test, labels))
                print(
                    f"{name:10}{loss:16}{gap:14.1e}{weights:10.1e}{change:10.1e}{model.n_rounds_:8}"
                    f"{model.bytes_ / 1e6:8.1f}",
                    flush=True,
                )


def cluster(args, **settings):
    """A context of a local cluster with its client."""
    return Client(
        LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=":0", **settings)
    )


def speed(args):
    with cluster(args):
        print(f"{'':14}{'rows':>9}{'Dask':>9}{'s':>7}{'exact':>9}{'s':>7}{'LR':>9}{'s':>7}")
        for name in args.only or SETS:
            X, test, y, labels = problem(name)
            rows = tuple(part.persist() for part in partition(X, y, 4 * args.workers))
            models = DaskAUCClassifier(), AUCClassifier(), LogisticRegression(max_iter=1000)
            models[0].fit(*rows)  # compiles
            models[1].fit(X[:1000], y[:1000])
            seconds = [timed(models[0], *rows), timed(models[1], X, y), timed(models[2], X, y)]
            found = [auc(labels, model.decision_function(test)) for model in models]
            print(
                f"{name:14}{len(y):9}"
                + "".join(f"{value:9.4f}{took:7.2f}" for value, took in zip(found, seconds, strict=True)),
                flush=True,
            )


def make_block(block_id=None, seed=0, n_rows=CHUNK_ROWS):
    """Rows whose last column is the label, one in ten positive."""
    rng = np.random.default_rng([seed, block_id[0]])
    rows = np.empty((n_rows, N_FEATURES + 1), np.float32)
    rng.standard_normal(out=rows, dtype=np.float32)
    weight = np.linspace(-1.0, 1.0, N_FEATURES, dtype=np.float32) / 4.0
    rows[:, -1] = rows[:, :-1] @ weight + rows[:, -1] > 2.2
    return rows


def large_table(args, n_blocks, folder):
    """X and y, made lazily or read from Parquet."""
    shape = ((CHUNK_ROWS,) * n_blocks, (N_FEATURES + 1,))
    rows = da.map_blocks(make_block, chunks=shape, dtype=np.float32, meta=np.empty((0, 0), np.float32))
    if args.source == "lazy":
        return rows[:, :-1], rows[:, -1]
    names = [f"x{k}" for k in range(N_FEATURES)]
    for k in range(n_blocks):
        table = pd.DataFrame(make_block((k,)), columns=[*names, "y"]).assign(unused=0.0)
        table.to_parquet(f"{folder}/{k:04}.parquet", index=False)
    table = dd.read_parquet(folder)
    return table[names], table["y"]


class PeakMemory(threading.Thread):
    """The largest resident memory of any worker, measured every half second."""

    def __init__(self, processes):
        super().__init__(daemon=True)
        self.processes, self.peak, self.done = processes, 0, threading.Event()

    def run(self):
        while not self.done.wait(0.5):
            self.peak = max(self.peak, *(process.memory_info().rss for process in self.processes))


def rows(args):
    print(f"{'million rows':>13}{'GB':>7}{'s':>8}{'rows/s':>12}{'passes':>8}{'peak GB':>9}{'AUC':>8}")
    for millions in args.millions:
        with tempfile.TemporaryDirectory() as folder, cluster(args, memory_limit=args.memory) as client:
            n_blocks = round(millions * 1e6 / CHUNK_ROWS)
            X, y = large_table(args, n_blocks, folder)
            processes = [
                psutil.Process(pid) for pid in client.run(lambda: __import__("os").getpid()).values()
            ]
            watch = PeakMemory(processes)
            watch.start()
            model = DaskAUCClassifier()
            took = timed(model, X, y)
            watch.done.set()
            held_out = make_block((n_blocks,), n_rows=100_000)
            value = model.score(held_out[:, :-1].astype(float), held_out[:, -1])
            n = n_blocks * CHUNK_ROWS
            print(
                f"{n / 1e6:13.0f}{4e-9 * n * (N_FEATURES + 1):7.1f}{took:8.1f}{n / took:12.0f}"
                f"{model.n_rounds_ + 1:8}{watch.peak / 1e9:9.2f}{value:8.4f}",
                flush=True,
            )


def costs(args):
    rng = np.random.default_rng(0)
    print(
        f"{'features':>8}{'first pass':>12}{'gradient':>10}{'Hessian row':>13}{'mesh kB':>9}{'second kB':>11}"
    )
    for d, n in ((50, 400_000), (1000, 40_000)):
        X, y = rng.normal(size=(n, d)), np.where(rng.random(n) < 0.1, 1.0, -1.0)
        rows = SignedRows(X, np.where(y > 0.0, 1.0 / np.sum(y > 0.0), -1.0 / np.sum(y < 0.0)), 0)
        loss = get_loss("squared_hinge")
        scorer = Scorer(rng.normal(size=d) / np.sqrt(d), np.zeros(d), loss.mesh_spacing)
        line = Line(scorer, 0.1 * scorer.coef, LENGTHS, (0.0, 0.0))
        first, histograms = best_time(line.spread, rows)
        state = evaluate_pairs(histograms, line, loss, with_curvature=True)
        gradient, _ = best_time(sum_derivatives, rows, state._replace(row_curvature=None), 1)
        both, sums = best_time(sum_derivatives, rows, state, 1)
        sizes = count_bytes(histograms) / 1e3, count_bytes(sums) / 1e3
        nanoseconds = [1e9 * seconds / n for seconds in (first, gradient, both - gradient)]
        print(
            f"{d:8}{nanoseconds[0]:12.0f}{nanoseconds[1]:10.0f}{nanoseconds[2]:13.0f}{sizes[0]:9.0f}{sizes[1]:11.0f}"
        )


def best_time(function, *args):
    """The least of five times, and what the function returns."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        result = function(*args)
        times.append(time.perf_counter() - start)
    return min(times), result


def tasks(args):
    preparation.BLOCK_BYTES = 0
    X, y = np.random.default_rng(0).normal(size=(100_000, 20)), np.arange(100_000) % 2
    print(f"{'partitions':>10}{'s a round':>11}")
    with cluster(args):
        for n in (10, 100, 1000):
            X_parts, y_parts = partition(X, y, n)
            data = X_parts.persist(), y_parts.persist()
            DaskAUCClassifier().fit(*data)
            model = DaskAUCClassifier()
            took = timed(model, *data)
            print(f"{n:10}{took / model.n_rounds_:11.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = {"exact": exact, "speed": speed, "rows": rows, "tasks": tasks, "costs": costs}
    parser.add_argument("what", choices=what)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", help="these data sets only")
    parser.add_argument("--millions", nargs="+", type=float, default=[12, 25, 50])
    parser.add_argument("--memory", default="3GB", help="of each worker")
    parser.add_argument("--source", choices=["lazy", "parquet"], default="lazy")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # Dask warns that arrays are sent along
    what[args.what](args)


if __name__ == "__main__":
    main()
