"""The papers' data sets from the folder ``$AUCMAX_DATA``, for the benchmark scripts."""

import lzma
import os
from pathlib import Path

from sklearn.datasets import load_svmlight_file


def load(name, n_features=None):
    with lzma.open(Path(os.environ["AUCMAX_DATA"]) / f"{name}.svm.xz") as file:
        return load_svmlight_file(file, n_features=n_features)
