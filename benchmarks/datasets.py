"""The data sets of the benchmarks, from ``$AUCMAX_DATA``, as they are or split into 80 % and 20 %.

The split is ``train_test_split(stratify=y, random_state=0)`` with the labels of the file; more than two
labels then become even against odd. Dense data are standardised, rows of text scaled to norm one.
"""

import lzma
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler, normalize

TEXT = ("news20", "sector.scale")


class Parts(NamedTuple):
    """Training and test part of a data set."""

    X: object
    X_test: object
    y: np.ndarray
    y_test: np.ndarray


def folder() -> Path:
    """The folder with the data; ends the program with a message if it is not set."""
    if "AUCMAX_DATA" not in os.environ:
        sys.exit("Set AUCMAX_DATA to the folder with the .svm.xz files and their INDEX.md.")
    return Path(os.environ["AUCMAX_DATA"])


def names(most_rows: int = 600_000) -> list[str]:
    """Data sets with at most that many rows, test parts left out."""
    return [
        name
        for name, (n, _) in _index().items()
        if n <= most_rows and not name.endswith(".t") and ".t." not in name
    ]


def load(name: str, csr: bool = False) -> Parts:
    """Split and scaled data; ``csr`` leaves a dense set sparse and unscaled, and text as counts."""
    X, labels = read(name)
    y = larger_or_even(labels)
    if name in TEXT and not csr:
        X = normalize(X)
    elif not csr:
        X = X.toarray()
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=labels, random_state=0)
    if name not in TEXT and not csr:
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    return Parts(X, X_test, y, y_test)


def larger_or_even(labels: np.ndarray) -> np.ndarray:
    """1 for the larger of two labels; of several, for the even ones."""
    return ((labels % 2 == 0) if len(np.unique(labels)) > 2 else (labels == labels.max())).astype(int)


def _index() -> dict[str, tuple[int, int]]:
    rows = re.findall(r"^\| (\S+)\.svm\.xz \| (\d+) \| (\d+) \|", (folder() / "INDEX.md").read_text(), re.M)
    return {name: (int(n), int(d)) for name, n, d in rows}


def cache_folder() -> Path:
    """Where parsed data and results that take long are kept."""
    kept = Path(tempfile.gettempdir()) / "aucmax-benchmarks"
    kept.mkdir(exist_ok=True)
    return kept


def read(name: str):
    """The raw data; parsed once and cached in the folder of temporary files."""
    kept = cache_folder() / f"{name}.npz"
    if kept.exists():
        X = sparse.load_npz(kept)
        return X, np.load(kept.with_suffix(".npy"))
    with lzma.open(folder() / f"{name}.svm.xz") as file:
        X, y = load_svmlight_file(file, n_features=_index()[name][1])
    sparse.save_npz(kept, X, compressed=False)
    np.save(kept.with_suffix(".npy"), y)
    return X, y
