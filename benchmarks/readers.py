"""Reading LIBSVM text against scikit-learn's load_svmlight_file, and the speed of CSV and of streams.

    AUCMAX_DATA=FOLDER python benchmarks/readers.py [--repeats 5]

Files are uncompressed first. Times are minima over repeats in which the readers alternate; all readers must
return the same numbers. "text" is generated: 100,000 rows of 12 values, as in covtype.
"""

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from timing import shortest

from aucmax.io import read, stream
from aucmax.io.reading.source import open_source


def generated(n_rows=100_000, per_row=12):
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(1, 55, (n_rows, per_row)) + np.arange(per_row) * 55, axis=1)
    values = rng.integers(1, 5000, (n_rows, per_row))
    rows = (
        " ".join([str(k % 7), *(f"{i}:{v}" for i, v in zip(*pair, strict=True))])
        for k, pair in enumerate(zip(indices.tolist(), values.tolist(), strict=True))
    )
    return ("\n".join(rows) + "\n").encode()


def libsvm_texts():
    yield "text", generated()
    folder = os.environ.get("AUCMAX_DATA")
    for name in ("a9a", "news20", "usps") if folder else ():
        with open_source(f"{folder}/{name}.svm.xz") as source:
            yield name, source.read()


def table(n_rows=200_000, n_columns=20):
    rng = np.random.default_rng(0)
    rows = (
        ",".join(map(repr, row)) for row in np.round(rng.normal(size=(n_rows // 10, n_columns)), 6).tolist()
    )
    block = "\n".join(rows) + "\n"
    return (",".join(f"x{k}" for k in range(n_columns)) + "\n" + block * 10).encode()


def count_rows(chunks):
    return sum(chunk.X.shape[0] for chunk in chunks)


def libsvm(name, path, repeats):
    X, y = load_svmlight_file(str(path))
    ours = read(path)
    assert (ours.X.data == X.data).all()
    assert (ours.X.indices == X.indices).all()
    assert (ours.y == y).all()
    best = shortest(
        {
            "load_svmlight_file": lambda: load_svmlight_file(str(path)),
            "read": lambda: read(path),
            "stream": lambda: count_rows(stream(path, n_features=X.shape[1])),
        },
        repeats,
    )
    report(name, path, best, "load_svmlight_file")


def report(name, path, best, peer):
    size = path.stat().st_size / 1e6
    print(f"\n{name}, {size:.1f} MB\n{'':24}{'seconds':>10}{'MB/s':>10}{'times faster':>14}")
    for reader, seconds in best.items():
        print(f"{reader:24}{seconds:10.3f}{size / seconds:10.0f}{best[peer] / seconds:14.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in libsvm_texts():
            path = Path(folder) / f"{name}.svm"
            path.write_bytes(text)
            libsvm(name, path, args.repeats)
        path = Path(folder) / "table.csv"
        path.write_bytes(table())
        read(path)
        best = shortest(
            {
                "numpy.loadtxt": lambda: np.loadtxt(path, delimiter=",", skiprows=1),
                "read": lambda: read(path),
                "stream": lambda: count_rows(stream(path)),
            },
            min(args.repeats, 2),
        )
        report("CSV, 200,000 x 20", path, best, "numpy.loadtxt")


if __name__ == "__main__":
    main()
