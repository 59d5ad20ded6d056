"""Checkpoints: a fit that went through one ends in the same bits, and no crash leaves half of one."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import sparse

import aucmax
from aucmax.io import load_checkpoint, load_model, save_checkpoint, save_model
from aucmax.io.codec import CodecError
from aucmax.io.container import ModelFileError

ONLINE = [name for name in aucmax.__all__ if hasattr(getattr(aucmax, name), "partial_fit")]


@pytest.mark.parametrize("name", ONLINE)
def test_going_on_from_a_checkpoint_gives_the_same_bits(name, problem, layout, tmp_path):
    X, y, _ = problem
    X, path = layout(X), tmp_path / "run.ckpt"
    whole = getattr(aucmax, name)().partial_fit(X, y)
    model = getattr(aucmax, name)()
    for start in range(0, 300, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50], classes=[-1, 1])
        save_checkpoint(model, path, start + 50, {"loss": "hinge"}, {"rows": start + 50})
        model, position, arguments, progress = load_checkpoint(path)
        assert (position, arguments, progress) == (start + 50, {"loss": "hinge"}, {"rows": start + 50})
    for saved, target in ((whole, tmp_path / "whole.auc"), (model, tmp_path / "resumed.auc")):
        save_model(saved, target)
    assert (tmp_path / "whole.auc").read_bytes() == (tmp_path / "resumed.auc").read_bytes()
    save_checkpoint(whole, tmp_path / "whole.ckpt", 300, {"loss": "hinge"}, {"rows": 300})
    assert path.read_bytes() == (tmp_path / "whole.ckpt").read_bytes()


def test_models_and_checkpoints_are_told_apart(problem, tmp_path):
    X, y, _ = problem
    model, path = aucmax.SOLAM().partial_fit(X, y), tmp_path / "file"
    save_checkpoint(model, path)
    with pytest.raises(ModelFileError, match="not a model; use load_checkpoint"):
        load_model(path)
    save_model(model, path)
    with pytest.raises(ModelFileError, match="not a checkpoint; use load_model"):
        load_checkpoint(path)


def test_state_that_cannot_be_stored_is_an_error_and_the_old_file_stays(problem, tmp_path):
    X, y, _ = problem
    model, path = aucmax.SOLAM().partial_fit(X, y), tmp_path / "run.ckpt"
    save_checkpoint(model, path)
    old = path.read_bytes()
    with pytest.raises(CodecError, match="cannot be stored"):
        save_checkpoint(model.set_params(random_state=object()), path)
    assert path.read_bytes() == old


WRITER = """
import sys
import numpy as np
from scipy import sparse
import aucmax
from aucmax.io import save_checkpoint
X = sparse.csr_array((np.ones(2), [0, 1], [0, 1, 2]), shape=(2, 200_000))
model = aucmax.SOLAM().partial_fit(X, [0, 1])
print("ready", flush=True)
for k in range(10**9):
    save_checkpoint(model, sys.argv[1], k)
"""


def test_a_kill_during_the_write_leaves_a_whole_checkpoint(tmp_path):
    path, last = tmp_path / "run.ckpt", -1
    rng = np.random.default_rng(0)
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.2 + 0.1 * rng.random())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        last = load_checkpoint(path).position
        assert last > 0
        assert set(os.listdir(tmp_path)) <= {"run.ckpt", ".run.ckpt.part"}
    save_checkpoint(load_checkpoint(path).model, path, last)
    assert os.listdir(tmp_path) == ["run.ckpt"]


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small tmpfs cannot be mounted here: that takes Linux and root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_leaves_the_old_checkpoint(small_disk):
    path = small_disk / "run.ckpt"
    for size, fits in ((10_000, True), (100_000, False)):
        X = sparse.csr_array((np.ones(2), [0, 1], [0, 1, 2]), shape=(2, size))
        model = aucmax.SOLAM().partial_fit(X, [0, 1])
        if fits:
            save_checkpoint(model, path, "first")
        else:
            with pytest.raises(OSError, match="No space left"):
                save_checkpoint(model, path, "second")
    assert os.listdir(small_disk) == ["run.ckpt"]
    assert load_checkpoint(path).position == "first"
