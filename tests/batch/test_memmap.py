"""X in a file larger than the memory that a fit may use."""

import subprocess
import sys

import numpy as np
import pytest

from aucmax import AUCClassifier

FIT = """
import resource, sys
import numpy as np
from aucmax import AUCClassifier

X, y = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2])
AUCClassifier(n_jobs=1).fit(X[:3000], y[:3000])  # compiles
with open("/proc/self/status") as status:
    used = next(1024 * int(line.split()[1]) for line in status if line.startswith("VmData"))
allowed = used + int(0.9 * X.nbytes)
resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))  # of all memory but that of mapped files
try:
    np.ones(X.nbytes, np.uint8)
except MemoryError:
    model = AUCClassifier(n_jobs=1).fit(X, y)
    np.save(sys.argv[3], model.coef_)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory that spares mapped files is Linux's")
def test_rows_larger_than_the_allowed_memory(tmp_path):
    rng = np.random.default_rng(0)
    files = [str(tmp_path / name) for name in ("X.npy", "y.npy", "coef.npy")]
    X = np.lib.format.open_memmap(files[0], mode="w+", dtype=np.float32, shape=(100_000, 400))
    y = np.empty(len(X), int)
    for start in range(0, len(X), 10_000):
        block = rng.standard_normal((10_000, 400), dtype=np.float32)
        X[start : start + 10_000] = block
        y[start : start + 10_000] = block[:, 0] + block[:, 1] + rng.standard_normal(10_000) > 1.5
    X.flush()
    np.save(files[1], y)
    done = subprocess.run([sys.executable, "-c", FIT, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    np.testing.assert_array_equal(np.load(files[2]), AUCClassifier(n_jobs=1).fit(X, y).coef_)
