"""Killed at random moments and resumed each time, a training ends in the same bytes."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from aucmax.io import load_checkpoint

N_KILLS = 50 if os.environ.get("AUCMAX_LONG_TESTS") else 5
N_ROWS = 1000 * (N_KILLS + 5)

# Each run is a process of its own, forked from one that has done the imports, which would take longer
# than the run.
NURSERY = """
import os, sys
import aucmax.io.reading.libsvm
from aucmax import OnlineAUCClassifier
from aucmax.cli import main
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        main(line.rstrip("\\n").split("\\t"))
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Run:
    """A command in a forked process."""

    def __init__(self, nursery, *arguments):
        self._nursery = nursery
        nursery.stdin.write("\t".join(map(str, arguments)) + "\n")
        nursery.stdin.flush()
        self.pid = int(nursery.stdout.readline())

    def wait(self):
        while not (line := self._nursery.stdout.readline()).lstrip("-").strip().isdigit():
            assert line, self._nursery.stderr.read()
        return int(line)


@pytest.fixture
def nursery():
    # The libraries' threads, which Python 3.12 and later warn of before a fork, have nothing to do yet.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", NURSERY]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.STDOUT, text=True) as process:
        yield process
        process.stdin.close()
        process.stdout.read()


def write_rows(path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 8)).round(4)
    y = np.where(X @ rng.normal(size=8) + rng.normal(size=N_ROWS) > 2.0, "+1", "-1")
    with open(path, "w") as file:
        for label, row in zip(y, X.tolist(), strict=True):
            file.write(label + "".join(f" {k}:{value}" for k, value in enumerate(row, 1)) + "\n")


def stamp(path):
    return path.stat().st_mtime_ns if path.exists() else None


def test_killed_runs_end_in_the_same_bytes(nursery, start, tmp_path):
    data, checkpoint = tmp_path / "rows.svm", tmp_path / "run.ckpt"
    write_rows(data)
    options = ["train", data, "--stream", "--batch-size", 10, "--n-features", 8]
    assert Run(nursery, *options, "-o", tmp_path / "whole.auc").wait() == 0

    command = [*options, "-o", tmp_path / "killed.auc", "--checkpoint", checkpoint, "--resume"]
    rng, rows = np.random.default_rng(1), 0
    for _ in range(N_KILLS):
        before = stamp(checkpoint)
        run = Run(nursery, *command, "--checkpoint-every", 10)
        while stamp(checkpoint) == before:  # until it has got on a little
            time.sleep(0.001)
        time.sleep(0.2 * rng.random())
        os.kill(run.pid, signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL
        found = load_checkpoint(checkpoint).progress["rows"]
        assert found > rows
        rows = found
        left = set(os.listdir(tmp_path)) - {"rows.svm", "whole.auc", "run.ckpt"}
        assert left <= {".run.ckpt.part"}
    with start(*command) as last:  # in a process that shares nothing with the others
        _, err = last.communicate()
        assert last.returncode == 0, err
    assert (tmp_path / "killed.auc").read_bytes() == (tmp_path / "whole.auc").read_bytes()
    assert not (tmp_path / ".run.ckpt.part").exists()
