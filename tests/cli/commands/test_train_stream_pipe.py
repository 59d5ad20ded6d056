"""aucmax train --stream on standard input, which can be read only once."""

import gzip
import io
import json
import sys

import numpy as np
import pytest

from aucmax.io import load_checkpoint, load_model

N_ROWS = 5000

pytestmark = pytest.mark.filterwarnings("always")


class Pipe(io.BytesIO):
    """Bytes that cannot be sought."""

    def seekable(self):
        return False

    def seek(self, *_):
        raise io.UnsupportedOperation("seek")


@pytest.fixture
def pipe(monkeypatch):
    """Put some text into standard input."""

    def put(text):
        content = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe(content))))

    return put


@pytest.fixture(scope="module")
def rows():
    """A table with an identifier, as text."""
    rng = np.random.default_rng(0)
    values, keys = rng.normal(size=N_ROWS).round(3), rng.permutation(N_ROWS) + 10**6
    labels = np.where(values + rng.normal(size=N_ROWS) > 0, "hadron", "gamma")
    return [f"{key},{value},{label}\n" for key, value, label in zip(keys, values, labels, strict=True)]


def table(lines):
    return "".join(["customer_id,size,kind\n", *lines])


def weights(path):
    model = load_model(path)
    return list(model[0].get_feature_names_out()), model[-1].coef_.tobytes()


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
@pytest.mark.parametrize("batch_size", [30, 10_000])
def test_a_pipe_is_checked_as_a_file_is(pack, batch_size, run, rows, pipe, tmp_path):
    (tmp_path / "rows.csv").write_text(table(rows))
    options = ["--label", "kind", "--stream", "--batch-size", batch_size]
    of_file = run("train", tmp_path / "rows.csv", *options, "-o", tmp_path / "file.auc")
    pipe(pack(table(rows)))
    of_pipe = run("train", "-", *options, "-o", tmp_path / "pipe.auc")
    assert "left out 'customer_id' (an identifier" in of_pipe.err
    assert of_pipe.err == of_file.err
    assert load_model(tmp_path / "pipe.auc")[-1].n_features_in_ == 1
    assert weights(tmp_path / "pipe.auc") == weights(tmp_path / "file.auc")


def test_a_resumed_pipe_ends_in_the_same_bytes(run, rows, pipe, tmp_path):
    command = ["train", "-", "--label", "kind", "--stream", "--batch-size", 100, "-o", tmp_path / "m.auc"]
    pipe(table(rows))
    assert run(*command).code == 0
    whole = (tmp_path / "m.auc").read_bytes()
    command += ["--checkpoint", tmp_path / "c", "--resume"]
    for n_rows in (950, 3320):
        pipe(table([*rows[:n_rows], "what, is\n"]))
        assert run(*command).code == 1
        assert load_checkpoint(tmp_path / "c").progress["rows"] == n_rows // 100 * 100
    pipe(table(rows))
    done = run(*command)
    assert done.code == 0, done.err
    assert (tmp_path / "m.auc").read_bytes() == whole


@pytest.fixture(scope="module")
def sorted_rows(rows):
    return sorted(rows, key=lambda line: line.rpartition(",")[2])


def test_the_rows_that_are_mixed_are_searched_for_the_second_label(run, sorted_rows, pipe, tmp_path):
    (tmp_path / "rows.csv").write_text(table(sorted_rows))
    options = ["--label", "kind", "--stream", "--batch-size", 500, "--shuffle", N_ROWS - 300]
    assert run("train", tmp_path / "rows.csv", *options, "-o", tmp_path / "file.auc").code == 0
    command = ["train", "-", *options, "-o", tmp_path / "pipe.auc"]
    pipe(table(sorted_rows))
    done = run(*command, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["positives"] == sum("hadron" in line for line in sorted_rows)
    assert weights(tmp_path / "pipe.auc") == weights(tmp_path / "file.auc")
    whole = (tmp_path / "pipe.auc").read_bytes()
    command += ["--checkpoint", tmp_path / "c", "--checkpoint-every", 1, "--resume"]
    for n_rows, is_saved in ((1600, False), (3700, True)):  # before and after the second label
        pipe(table([*sorted_rows[:n_rows], "what, is\n"]))
        assert run(*command).code == 1
        assert (tmp_path / "c").exists() == is_saved
    pipe(table(sorted_rows))
    assert run(*command).code == 0
    assert (tmp_path / "pipe.auc").read_bytes() == whole


def test_a_pipe_of_one_label_is_refused(run, sorted_rows, pipe, tmp_path):
    command = ["train", "-", "--label", "kind", "--stream", "--batch-size", 500, "-o", tmp_path / "m.auc"]
    pipe(table(sorted_rows))
    done = run(*command)
    assert done.code == 1
    assert "standard input: the first 500 rows are all of class gamma; raise --batch-size or give" in done.err
    pipe(table(sorted_rows))
    done = run(*command, "--shuffle", 1000)
    assert "the first 1,000 rows are all of class gamma; raise --shuffle, until so many" in done.err
    pipe(table(sorted_rows[:900]))
    done = run(*command, "--shuffle", 1000)
    assert done.code == 1
    assert "only one class: 'gamma'" in done.err


def test_the_positive_label_may_come_late_in_a_pipe(run, sorted_rows, pipe, tmp_path):
    command = ["train", "-", "--label", "kind", "--stream", "--batch-size", 500, "-o", tmp_path / "m.auc"]
    pipe(table(sorted_rows))
    done = run(*command, "--positive", "hadron")
    assert done.code == 0, done.err
    assert "(label hadron)" in done.out
    pipe(table(sorted_rows[:900]))
    done = run(*command, "--positive", "hadron")
    assert done.code == 1
    assert "all 900 rows are of class gamma, and none is of class hadron; check --positive" in done.err
    pipe("".join([f"{'-1' if k < 900 else '+1'} 1:{k % 7}\n" for k in range(1000)]))
    numbers = ["train", "-", "--stream", "--batch-size", 500, "--n-features", 1, "-o", tmp_path / "m.auc"]
    done = run(*numbers, "--positive", "1")
    assert done.code == 0, done.err
    assert "10.00 % positive (label 1.0)" in done.out
