"""A folder of generated data under the names of real data sets, in their shapes."""

import lzma

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.preprocessing import normalize

from aucmax.reproduction.problems import Problem


@pytest.fixture
def write(tmp_path):
    """Put rows into the folder of ``generated`` as a data set."""
    folder = tmp_path / "data"
    folder.mkdir()

    def put(name, X, y):
        with lzma.open(folder / f"{name}.svm.xz", "wb") as file:
            dump_svmlight_file(X, y, file, zero_based=False)

    return put


@pytest.fixture
def generated(write, tmp_path, monkeypatch):
    """``$AUCMAX_DATA`` with a ``fourclass`` of our own (862 rows of 2) and a ``many`` of five classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(862, 2)) * [1.0, 50.0] + 3.0
    y = np.where(X @ [1.0, 0.02] + rng.normal(size=862) > 5.0, 1, -1)
    write("fourclass", X, y)
    wide = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.5)
    wide[:, 2] = 7.0
    write("many", wide, rng.permutation(np.repeat([1, 2, 3, 4, 5], 12)))
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path / "data"))


@pytest.fixture(scope="module")
def quick_rows():
    """As many rows as the data set of the quick runs has."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(768, 8))
    y = (X @ rng.normal(size=8) + 2.0 * rng.normal(size=768) > 1.0).astype(np.int8)
    return normalize(X), y


@pytest.fixture
def generated_problems(monkeypatch, quick_rows):
    """Every problem has the generated rows."""
    monkeypatch.setattr(Problem, "load", lambda problem, seed: quick_rows)


@pytest.fixture
def run_quick():
    """The records of a figure's quick run, in this process, without those that are ``done``."""

    def run(figure, done=()):
        records = []
        for job in figure.jobs(True):
            kept = [record for record in done if (record["data"], record["method"]) == (job.data, job.method)]
            found = list(figure.compute_records(job, kept, True, 0))
            assert len(kept) + len(found) == job.n_records
            common = {"quick": True, "seed": 0, "data": job.data, "method": job.method}
            records += [{**common, **record} for record in found]
        return records

    return run
