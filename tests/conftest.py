"""Data for all tests: random problems, and the papers' data sets if they are installed."""

import lzma
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file


def pytest_configure():
    """Handle SIGINT also when pytest runs as a background job of a shell, which ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


LAYOUTS = {"dense": np.asarray, "csr": sparse.csr_array}


@pytest.fixture(params=LAYOUTS)
def layout(request):
    """Dense or CSR: turns a dense array into the layout under test."""
    return LAYOUTS[request.param]


@pytest.fixture(scope="session")
def problem():
    """300 rows of 20 features, half of them zero, three rows in ten positive: ``X, y, weights``."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20)) * (rng.random((300, 20)) < 0.5)
    X[7] = 0.0
    y = np.where(X @ rng.normal(size=20) + rng.normal(size=300) > 1.5, 1, -1)
    return X, y, rng.integers(1, 4, size=300).astype(float)


@pytest.fixture(scope="session")
def real():
    """Loader of the papers' data sets by name; skips if AUCMAX_DATA is not set."""
    folder = os.environ.get("AUCMAX_DATA")
    if not folder:
        pytest.skip("the papers' data sets are missing: set AUCMAX_DATA to their folder")

    def load(name, n_features=None):
        with lzma.open(Path(folder) / f"{name}.svm.xz") as file:
            return load_svmlight_file(file, n_features=n_features)

    return load
