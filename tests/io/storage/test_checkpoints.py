"""Checkpoints: a resumed fit ends in the same bits, and no crash leaves an incomplete checkpoint."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import aucmax
from aucmax.io import load_checkpoint, load_model, save_checkpoint, save_model
from aucmax.io.storage.codec import CodecError
from aucmax.io.storage.container import ModelFileError

ONLINE = [name for name in aucmax.__all__ if hasattr(getattr(aucmax, name), "partial_fit")]


@pytest.mark.parametrize("name", ONLINE)
def test_a_resumed_fit_ends_in_the_same_bits(name, problem, layout, tmp_path):
    X, y, _ = problem
    X, path = layout(X), tmp_path / "run.ckpt"
    model = getattr(aucmax, name)()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    whole = clone(model).partial_fit(X, y)
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


def test_a_model_is_no_checkpoint_and_the_reverse(problem, tmp_path):
    X, y, _ = problem
    model, path = aucmax.SOLAM().partial_fit(X, y), tmp_path / "file"
    save_checkpoint(model, path)
    with pytest.raises(ModelFileError, match="not a model, but a checkpoint; use load_checkpoint"):
        load_model(path)
    save_model(model, path)
    with pytest.raises(ModelFileError, match="not a checkpoint, but a model; use load_model"):
        load_checkpoint(path)


def test_a_model_that_cannot_go_on_learning_is_refused(problem, tmp_path):
    X, y, _ = problem
    for name in set(aucmax.__all__) - set(ONLINE):
        model = getattr(aucmax, name)
        if hasattr(model, "fit"):
            said = f"^{name} has no partial_fit, so a checkpoint could not be continued; give save_model a"
            with pytest.raises(ValueError, match=said):
                save_checkpoint(model().fit(X, y), tmp_path / "run.ckpt")
    assert not (tmp_path / "run.ckpt").exists()


def test_state_that_cannot_be_stored_is_an_error_and_the_old_file_stays(problem, tmp_path):
    X, y, _ = problem
    model, path = aucmax.SOLAM().partial_fit(X, y), tmp_path / "run.ckpt"
    save_checkpoint(model, path)
    old = path.read_bytes()
    with pytest.raises(CodecError, match="cannot be stored"):
        save_checkpoint(model.set_params(random_state=object()), path)
    assert path.read_bytes() == old


# One process that forks a writer and kills it, again and again; the writers do nothing but save.
KILLER = """
import os, random, signal, sys, time
import numpy as np
from scipy import sparse
import aucmax
from aucmax.io import load_checkpoint, save_checkpoint
path, n_kills = sys.argv[1], int(sys.argv[2])
X = sparse.csr_array((np.ones(2), [0, 1], [0, 1, 2]), shape=(2, 200_000))
model = aucmax.SOLAM().partial_fit(X, [0, 1])
save_checkpoint(model, path, 0)
for kill in range(1, n_kills + 1):
    writer = os.fork()
    while writer == 0:
        save_checkpoint(model, path, kill)
    while load_checkpoint(path).position != kill:
        time.sleep(0.01)
    time.sleep(0.05 * random.Random(kill).random())
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    assert load_checkpoint(path).position == kill
    assert set(os.listdir(os.path.dirname(path))) <= {"run.ckpt", ".run.ckpt.part"}
"""


def test_a_kill_during_the_write_leaves_a_complete_checkpoint(tmp_path):
    path, n_kills = tmp_path / "run.ckpt", 200 if os.environ.get("AUCMAX_LONG_TESTS") else 10
    subprocess.run([sys.executable, "-c", KILLER, str(path), str(n_kills)], check=True)
    last = load_checkpoint(path)
    assert last.position == n_kills
    save_checkpoint(last.model, path, "after")
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


def test_a_checkpoint_of_0_1_0_is_refused_and_its_version_named():
    with pytest.raises(ModelFileError, match="SOLAM.ckpt: it was written by aucmax 0.1.0, whose"):
        load_checkpoint(Path(__file__).parent / "files_of_0_1_0" / "SOLAM.ckpt")
