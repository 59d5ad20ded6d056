"""DaskAUCClassifier on a local cluster beside the exact minimiser and logistic regression on one machine.

    python benchmarks/cluster.py [--workers 2] [--only NAME ...]
    python benchmarks/cluster.py degrees [--only NAME ...]

Prints test AUC on 20 % of the rows, and the seconds to fit the others, standardised, in four partitions for
each worker. DaskAUCClassifier and AUCClassifier use the same l2, the default. The data sets are read from
``$AUCMAX_DATA``; more than two labels become even against odd. ``degrees`` prints, for several degrees of the
polynomials, the difference in AUC to the exact minimiser, computed on threads.
"""

import argparse
import time
import warnings

import dask.array as da
import numpy as np
from datasets import load
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier
from aucmax.distributed import DaskAUCClassifier
from aucmax.metrics import auc
from distributed import Client, LocalCluster

SETS = ["german.numer", "svmguide1", "magic04", "a9a", "w8a", "ijcnn1", "cod-rna", "mnist", "covtype"]
DEGREES = [25, 50, 100, 200, 400]


def problem(name):
    X, y = load(name)
    labels = np.unique(y)
    y = (y == labels[1]) if len(labels) == 2 else (y % 2 == 0)
    rows = train_test_split(X.toarray(), y.astype(int), test_size=0.2, random_state=0, stratify=y)
    scaler = StandardScaler().fit(rows[0])
    return scaler.transform(rows[0]), scaler.transform(rows[1]), rows[2], rows[3]


def timed(model, X, y):
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start


def partition(X, y, n):
    size = -(-len(y) // n)
    return da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)


def compare(args):
    with (
        LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
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


def degrees(args):
    print(
        f"{'AUC minus that of the exact minimiser, in 1e-4':50}"
        + "".join(f"{degree:8}" for degree in DEGREES)
    )
    for name in args.only or SETS[:-2]:
        X, test, y, labels = problem(name)
        best = AUCClassifier().fit(X, y).score(test, labels)
        found = [
            DaskAUCClassifier(degree=degree).fit(*partition(X, y, 4)).score(test, labels)
            for degree in DEGREES
        ]
        print(f"{name:50}" + "".join(f"{1e4 * (value - best):+8.1f}" for value in found), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["compare", "degrees"], default="compare")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=SETS, help="these data sets only")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # Dask warns that arrays are sent along
    {"compare": compare, "degrees": degrees}[args.what](args)


if __name__ == "__main__":
    main()
