"""Time of one pass over the rows, as a ratio to scikit-learn's SGD in the same run.

    python benchmarks/passes.py [--repeats 9]
    python benchmarks/passes.py parts [--repeats 9]

The time of a further pass is that of a fit of ten passes minus that of a fit of one pass, divided by
nine. The other columns have the times of these two fits, which include what a fit does only once. "by
hand" is SOLAM written as one plain Numba function for each layout, without the package's abstractions,
over rows in the same order. Times are processor times of this thread, which other programs disturb least:
the minimum over repeats in which the models alternate.

``parts`` shows what a fit of one pass of SPAM spends its time on, as ratios to one more epoch of SGD.
"""

import argparse
import os
import time
from functools import partial

import numpy as np
from by_hand import solam_csr, solam_dense
from datasets import read
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from timing import shortest

import aucmax
from aucmax.kernels.rows import as_rows, products, scores
from aucmax.stochastic.engine.class_sums import class_statistics
from aucmax.stochastic.engine.loop import Data, visiting_order


def dense(n_rows=300_000, n_features=54):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 1.3).astype(int)


def generated_sparse(n_rows=16_000, n_features=62_000, per_row=80):
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(0, n_features, size=(n_rows, per_row), dtype=np.int32), axis=1)
    X = sparse.csr_array(
        (
            rng.random(n_rows * per_row),
            indices.ravel(),
            np.arange(0, n_rows * per_row + 1, per_row, np.int32),
        ),
        shape=(n_rows, n_features),
    )
    X.sum_duplicates()
    return X, (rng.random(n_rows) < 0.5).astype(int)


def problems():
    yield "dense 300,000 x 54", *dense()
    yield "CSR 16,000 x 62,000, 80 a row", *generated_sparse()
    if os.environ.get("AUCMAX_DATA"):
        X, y = read("news20")
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # SGD refuses 64 bits
        yield "news20 (CSR)", X, (y % 2).astype(int)


def prepare_runs(X, y):
    signed = np.where(y > 0, 1.0, -1.0)
    n_features = X.shape[1]

    def by_hand(n_passes):
        u, v = np.zeros(n_features), np.zeros(n_features)
        for seed in range(n_passes):
            order = visiting_order(as_rows(X), np.random.RandomState(seed))
            if sparse.issparse(X):
                solam_csr(X.data, X.indices, X.indptr, signed, order, u, v, 1.0, 10.0)
            else:
                solam_dense(X, signed, order, u, v, 1.0, 10.0)

    def fitted(cls, **settings):
        return lambda n_passes: cls(max_iter=n_passes, **settings).fit(X, y)

    return {
        "SGDClassifier(average=True)": fitted(SGDClassifier, average=True, tol=None),
        "by hand": by_hand,
        "SOLAM": fitted(aucmax.SOLAM, random_state=0),
        "SPAM": fitted(aucmax.SPAM, random_state=0),
    }


def measure(runs, repeats):
    """Shortest seconds of a fit of 1 and of 10 passes for each model."""
    for run in runs.values():
        run(1)
    fits = {(name, n_passes): partial(run, n_passes) for name, run in runs.items() for n_passes in (1, 10)}
    best = shortest(fits, repeats, time.thread_time)
    return {name: (best[name, 1], best[name, 10]) for name in runs}


def one_pass_of_spam(X, y):
    """The parts of ``SPAM(max_iter=1).fit``, each a function of no arguments, in their order."""
    model, rows, rng = aucmax.SPAM(max_iter=1), as_rows(X), np.random.RandomState(0)
    signed, zero = np.where(y > 0, 1.0, -1.0), np.zeros(X.shape[1])
    stats = class_statistics(rows, signed, X.shape[1])
    solver, data = model._prepare(model._start(zero), Data.of(rows, signed))
    data = data.in_order(visiting_order(rows, rng))
    return {
        "validation": lambda: model._validate(X, y, None),
        "class sums and norms": lambda: class_statistics(rows, signed, X.shape[1]),
        "products with class sums": lambda: products(rows, *stats.sums),
        "order": lambda: visiting_order(rows, rng),
        "pass": lambda: model._pass(
            model._start(zero)._replace(state=solver.state, memory=solver.memory), data
        ),
        "average": lambda: data.add_deferred(solver.model),
    }


def show_parts(title, X, y, repeats):
    def sgd(n_passes):
        return lambda: SGDClassifier(average=True, tol=None, max_iter=n_passes).fit(X, y)

    runs = {
        **one_pass_of_spam(X, y),
        "whole fit": lambda: aucmax.SPAM(max_iter=1, random_state=0).fit(X, y),
        "scores by one vector": lambda: scores(as_rows(X), np.zeros(X.shape[1])),
        "SGD, one epoch": sgd(1),
        "SGD, ten epochs": sgd(10),
    }
    best = shortest(runs, repeats, time.thread_time, warm_up=True)
    epoch = (best["SGD, ten epochs"] - best["SGD, one epoch"]) / 9
    print(f"\n{title}: parts of one pass of SPAM, to one more epoch of SGD ({epoch * 1e3:.2f} ms)")
    for name, seconds in best.items():
        print(f"{name:30}{seconds / epoch:10.2f}")


def show_passes(title, X, y, repeats):
    best = measure(prepare_runs(X, y), repeats)
    print(f"\n{title}\n{'':30}{'ns a row and':>14}{'to SGD':>10}{'fit of ten':>14}{'fit of one':>14}")
    print(f"{'':30}{'further pass':>14}{'':10}{'passes to SGD':>14}{'pass to SGD':>14}")
    one_sgd, ten_sgd = best["SGDClassifier(average=True)"]
    for name, (one, ten) in best.items():
        further = (ten - one) / 9
        ratios = 9 * further / (ten_sgd - one_sgd), ten / ten_sgd, one / one_sgd
        print(f"{name:30}{further / X.shape[0] * 1e9:14.0f}" + "{:10.2f}{:14.2f}{:14.2f}".format(*ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=["passes", "parts"], default="passes")
    parser.add_argument("--repeats", type=int, default=9)
    args = parser.parse_args()
    show = show_parts if args.what == "parts" else show_passes
    for problem in problems():
        show(*problem, args.repeats)


if __name__ == "__main__":
    main()
