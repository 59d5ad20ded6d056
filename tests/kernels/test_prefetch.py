"""Fetching memory ahead: an instruction of its own in compiled code, and no change to any array."""

import numpy as np
import pytest
from numba import njit

from aucmax.kernels.jit import in_place_kernel
from aucmax.kernels.prefetch import prefetch


def fetch_all(array, extra):
    for k in range(array.size + extra):
        prefetch(array, k)
    return array.size


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("shape", [(7,), (3, 4)])
def test_fetching_changes_nothing(dtype, shape):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    array.flags.writeable = False
    compiled = in_place_kernel(fetch_all)
    assert compiled(array, 1000) == array.size
    np.testing.assert_array_equal(array.ravel(), np.arange(array.size))


def test_compiled_code_fetches():
    compiled = njit(fetch_all)  # without the cache on disk, which keeps no text
    compiled(np.zeros(8), 0)
    (code,) = compiled.inspect_asm().values()
    assert "prefetch" in code


def test_plain_python_does_nothing():
    assert prefetch(np.zeros(3), 1) is None
