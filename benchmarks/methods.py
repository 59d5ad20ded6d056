"""Time per row of each stochastic method, as a ratio to SOLAM in the same run.

    python benchmarks/methods.py [--repeats 7] [--only SPAM VRSPAM]

Each method makes passes with its defaults over dense rows (50,000 x 54) and over news20 (CSR); FSAUC also in
an L1 ball so small that most rows leave it. Only the method's pass routine is timed, after a warm-up: the
minimum over repeats in which the methods alternate.
"""

import argparse
import inspect
import os
import time

import numpy as np
from datasets import read
from passes import dense
from sklearn.preprocessing import normalize

import aucmax
from aucmax.kernels.rows import as_rows
from aucmax.stochastic.engine.estimator import StochasticAUCClassifier
from aucmax.stochastic.engine.loop import Data, visiting_order


def methods(only):
    for name in aucmax.__all__:
        cls = getattr(aucmax, name)
        if inspect.isclass(cls) and issubclass(cls, StochasticAUCClassifier) and (not only or name in only):
            yield name, cls(random_state=0)
            if name == "FSAUC":
                yield "FSAUC(radius=10)", cls(10.0, random_state=0)


def prepare_pass(estimator, X, y):
    """A function that makes one more pass, and returns its seconds."""
    estimator.classes_, rows = np.array([0, 1]), as_rows(X)
    signed = np.where(y > 0, 1.0, -1.0)
    solver, data = estimator._prepare(estimator._start(np.zeros(X.shape[1])), Data.of(rows, signed))
    data = data.in_order(visiting_order(rows, np.random.RandomState(0)))

    def one_pass():
        nonlocal solver
        start = time.thread_time()
        solver = estimator._pass(solver, data)
        return time.thread_time() - start

    return one_pass


def problems():
    X, y = dense(50_000)
    yield "dense 50,000 x 54", normalize(X), y
    if os.environ.get("AUCMAX_DATA"):
        X, y = read("news20")
        yield "news20 (CSR)", normalize(X), (y % 2).astype(int)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    only = {"SOLAM", *args.only} if args.only else set()
    for title, X, y in problems():
        runs, best = {}, {}
        for name, estimator in methods(only):
            try:
                runs[name] = prepare_pass(estimator, X, y)
                runs[name]()
            except ValueError as error:  # a method may refuse data as wide as news20
                print(f"{name}: {error}")
                runs.pop(name, None)
        for _ in range(args.repeats):
            for name, run in runs.items():
                best[name] = min(best.get(name, np.inf), run())
        print(f"\n{title}\n{'':24}{'ns a row':>10}{'to SOLAM':>10}")
        for name, seconds in best.items():
            print(f"{name:24}{seconds / len(y) * 1e9:10.0f}{seconds / best['SOLAM']:10.2f}")


if __name__ == "__main__":
    main()
