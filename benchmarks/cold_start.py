"""Seconds of a first fit and of first commands, in new processes with an empty cache of compiled kernels.

    python benchmarks/cold_start.py              all of them
    python benchmarks/cold_start.py fits         the estimators, dense and CSR rows
    python benchmarks/cold_start.py commands     train, train --stream, predict, compare, warm-up

Each fit is of 2,000 rows of 20 columns, after the imports; ``again`` is the same fit in the same process.
Each command reads 2,000 rows of CSV; ``again`` is the same command with the cache it has filled.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ESTIMATORS = "AUCClassifier", "AUCClassifierCV", "OnlineAUCClassifier"
COMMANDS = {
    "train": ["train", "rows.csv", "--label", "y", "-o", "model.auc"],
    "predict": ["predict", "model.auc", "rows.csv", "-o", "scores.txt"],
    "train --stream": ["train", "rows.csv", "--label", "y", "--stream", "-o", "stream.auc"],
    "compare": ["compare", "rows.csv", "--label", "y"],
    "warm-up": ["warm-up"],
}
FIT = """
import sys, time
import numpy as np
from scipy import sparse
import aucmax
rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 20))
y = X[:, 0] + rng.normal(size=2000) > 1.0
if sys.argv[2] == "CSR":
    X = sparse.csr_array(X * (rng.random(X.shape) < 0.2))
estimator = getattr(aucmax, sys.argv[1])
for _ in range(2):
    wall, cpu = time.perf_counter(), time.process_time()
    estimator().fit(X, y)
    print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def run(arguments: list[str], cache: str, folder: str) -> str:
    """Run Python with a cache of its own; what it prints."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def time_fits(folder: str) -> None:
    """Print the first and the second fit of each estimator."""
    print(f"{'first fit':<28}{'seconds':>9}{'CPU':>9}{'again':>9}")
    for name in ESTIMATORS:
        for layout in "dense", "CSR":
            with tempfile.TemporaryDirectory() as cache:
                first, second = run(["-c", FIT, name, layout], cache, folder).splitlines()
            wall, cpu = map(float, first.split())
            print(
                f"{name + ', ' + layout:<28}{wall:>9.2f}{cpu:>9.2f}{float(second.split()[0]):>9.3f}",
                flush=True,
            )


def time_commands(folder: str) -> None:
    """Print how long each command takes with an empty cache, and again with the cache it has filled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = X[:, 0] + rng.normal(size=2000) > 1.0
    head = ",".join([*(f"x{k}" for k in range(20)), "y"])
    np.savetxt(Path(folder, "rows.csv"), np.c_[X, y], "%.6g", ",", header=head, comments="")
    print(f"{'command':<28}{'seconds':>9}{'CPU':>9}{'again':>9}")
    for name, arguments in COMMANDS.items():
        with tempfile.TemporaryDirectory() as cache:
            walls, cpus = [], []
            for _ in range(2):
                wall, cpu = time.perf_counter(), children_seconds()
                run(["-m", "aucmax", *arguments], cache, folder)
                walls.append(time.perf_counter() - wall)
                cpus.append(children_seconds() - cpu)
        print(f"{name:<28}{walls[0]:>9.2f}{cpus[0]:>9.2f}{walls[1]:>9.2f}", flush=True)


def children_seconds() -> float:
    """Processor seconds of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] in ([], ["fits"]):
            time_fits(folder)
        if sys.argv[1:] in ([], ["commands"]):
            time_commands(folder)
