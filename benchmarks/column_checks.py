"""What the checks of columns say about real data sets, as if each were a table: they should say nothing.

    AUCMAX_DATA=FOLDER python benchmarks/column_checks.py

Prints the AUC of the best single column, the seconds that the checks take, the number of columns that are
copies of others, the columns taken for identifiers and those taken for leaks. Of several classes, the rarest
one against the others; wide sets are cut to 3,000 columns.
"""

import os
import time
from pathlib import Path

import numpy as np

from aucmax.io import read
from aucmax.io.columns.checks import CONSTANT, COPY, RawColumns, check_columns, find_leaks
from aucmax.io.columns.schema import Schema

MAX_VALUES = 3e7


def main():
    print(f"{'':24}{'rows':>9}{'columns':>9}{'best AUC':>10}{'seconds':>9}{'copies':>8}  identifiers, leaks")
    for path in sorted(Path(os.environ["AUCMAX_DATA"]).glob("*.svm.xz")):
        X, y, *_ = read(path)
        n_columns = min(X.shape[1], 3000)
        n_rows = min(X.shape[0], int(MAX_VALUES / n_columns))
        X = X[:n_rows, :n_columns].toarray()
        classes, counts = np.unique(y[:n_rows], return_counts=True)
        target = y[:n_rows] == classes[counts.argmin()]
        schema = Schema(numbers=[f"column {k}" for k in range(n_columns)])
        raw = RawColumns(X, [], target)
        start = time.perf_counter()
        found = check_columns(schema, raw, whole_file=True)
        seconds = time.perf_counter() - start
        best = max(find_leaks(schema, raw, {}, threshold=0.5).values(), default=np.nan)
        copies = sum(reason.startswith(COPY) for reason in found.useless.values())
        ids = [name for name, reason in found.useless.items() if not reason.startswith((CONSTANT, COPY))]
        name = path.name.removesuffix(".svm.xz")
        numbers = f"{n_rows:9,}{n_columns:9,}{best:10.4f}{seconds:9.2f}{copies:8}"
        print(f"{name:24}{numbers}  {ids}, {list(found.leaks)}", flush=True)


if __name__ == "__main__":
    main()
