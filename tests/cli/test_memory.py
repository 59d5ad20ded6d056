"""Data that do not fit in memory are named before they are read."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from aucmax.cli import memory
from aucmax.io import read


@pytest.fixture
def all_files(files, tmp_path):
    """The table in every format."""
    table = pyarrow.csv.read_csv(files.csv)
    pyarrow.parquet.write_table(table, tmp_path / "all.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "all.feather", compression="uncompressed")
    (tmp_path / "all.csv.gz").write_bytes(gzip.compress(Path(files.csv).read_bytes()))
    return [files.csv, files.svm, *map(str, sorted(tmp_path.iterdir()))]


def test_estimates_are_near_the_truth(files, all_files, monkeypatch):
    assert memory.estimate_values(files.csv) is None  # too small to matter
    monkeypatch.setattr(memory, "SMALL", 0)
    for path in all_files:
        label = None if path.endswith("svm") else "state"
        X = read(path, label).X
        truth = X.nbytes if isinstance(X, np.ndarray) else 12 * X.nnz
        assert 0.5 * truth < memory.estimate_values(path) < 3 * truth, path
    several = memory.estimate_values([files.csv, files.csv])
    assert several == 2 * memory.estimate_values(files.csv)
    assert memory.estimate_values("-") == 0 or memory.estimate_values("-") is None
    assert memory.estimate_values("a9a") == 0


def test_too_little_memory_is_said_before_reading(run, files, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000.0)
    monkeypatch.setattr("aucmax.cli.commands.train_batch.load", lambda *_: pytest.fail("it was read"))
    done = run("train", files.csv, "--label", "state", "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "all.csv: its rows take about 0.0 GB of memory, but 0.0 GB are free" in done.err
    assert done.err.endswith("train in fixed memory with --stream.\n")
    done = run("train", files.csv, "--label", "state", "--stream", "-o", tmp_path / "m.auc")
    assert done.code == 0


def test_memory_that_may_not_do_is_a_warning(run, files, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    size = memory.estimate_values(files.csv)
    monkeypatch.setattr(memory, "free_memory", lambda: 4.0 * size)
    quick = ["--label", "state", "--l2", "1", "--no-baseline", "-o", tmp_path / "m.auc"]
    done = run("train", files.csv, *quick)
    assert done.code == 0
    assert "aucmax: warning: training on" in done.err
    assert "train in fixed memory with --stream" in done.err
    monkeypatch.setattr(memory, "free_memory", lambda: 100.0 * size)
    assert "memory" not in run("train", files.csv, *quick).err
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    assert "memory" not in run("train", files.csv, *quick).err


def test_the_limit_of_a_container_counts(tmp_path, monkeypatch):
    whole = memory.free_memory()
    assert whole is None or whole > 0
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("3000\n")
    (tmp_path / "memory.stat").write_text("anon 1000\ninactive_file 500\n")
    if whole is not None:
        assert memory.free_memory() == 2500
    (tmp_path / "memory.max").write_text("max\n")
    if whole is not None:
        assert memory.free_memory() > 5000
