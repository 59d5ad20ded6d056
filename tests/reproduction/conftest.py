"""Generated data with the names and shapes of real data sets."""

import lzma

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.preprocessing import normalize

from aucmax.reproduction.problems import Problem


@pytest.fixture
def write(tmp_path):
    """A function that writes a data set to the folder that ``generated`` uses."""
    folder = tmp_path / "data"
    folder.mkdir()

    def write_rows(name, X, y):
        with lzma.open(folder / f"{name}.svm.xz", "wb") as file:
            dump_svmlight_file(X, y, file, zero_based=False)

    return write_rows


@pytest.fixture
def generated(write, tmp_path, monkeypatch):
    """Set ``$AUCMAX_DATA`` to a folder with a generated ``fourclass``, and ``many`` with five classes."""
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
    """Generated rows in the shape of the data set that quick runs use."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(768, 8))
    y = (X @ rng.normal(size=8) + 2.0 * rng.normal(size=768) > 1.0).astype(np.int8)
    return normalize(X), y


@pytest.fixture
def generated_problems(monkeypatch, quick_rows):
    """Let every problem load the generated rows."""
    monkeypatch.setattr(Problem, "load", lambda problem, seed: quick_rows)


@pytest.fixture
def run_quick():
    """A function that returns the records of a figure's quick run, except those already ``done``."""

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
