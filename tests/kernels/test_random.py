"""Random numbers of the kernels against Python's own integers."""

import numpy as np
import pytest

from aucmax.kernels.jit import kernel
from aucmax.kernels.random import normals, seed_state, uniform
from oracles.xorshift import Xorshift

pytestmark = pytest.mark.python_mode


@kernel
def draw(state, uniforms, normal_numbers):
    for k in range(len(uniforms)):
        uniforms[k] = uniform(state)
    normals(state, normal_numbers, 2.0)


def test_numbers_equal_the_generator_on_integers():
    state = seed_state(3)
    expected = Xorshift(state)
    uniforms, normal_numbers = np.zeros(5), np.zeros(7)
    with np.errstate(over="ignore"):  # as plain Python, NumPy warns of shifted-out bits
        draw(state, uniforms, normal_numbers)
    np.testing.assert_array_equal(uniforms, [expected.uniform() for _ in range(5)])
    np.testing.assert_allclose(normal_numbers, 2.0 * expected.normals(7), rtol=1e-14)


def test_a_seed_gives_the_same_state():
    assert seed_state(5) == seed_state(5)
    assert seed_state(5) != seed_state(6)
