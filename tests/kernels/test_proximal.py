"""The elastic net's proximal step against its definition, and its optimality condition."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from aucmax.kernels.proximal import (
    proximal_gradient_step,
    proximal_residual,
    proximal_step,
    soft_threshold,
    soft_threshold_array,
)


@pytest.mark.python_mode
@pytest.mark.parametrize("value", [-2.0, -0.3, 0.0, 0.2, 1.7])
def test_soft_threshold_minimises(value):
    best = minimize_scalar(lambda w: 0.5 * (w - value) ** 2 + 0.5 * abs(w), bounds=(-3, 3), method="bounded")
    assert soft_threshold(value, 0.5) == pytest.approx(best.x, abs=1e-4)
    assert soft_threshold_array(np.array([value]), 0.5)[0] == soft_threshold(value, 0.5)


@pytest.mark.python_mode
def test_proximal_steps():
    rng = np.random.default_rng(0)
    w, g, m, n = rng.normal(size=(4, 11))
    moved = w - 0.3 * g
    for start, step in ((w, proximal_step), (moved, proximal_gradient_step)):
        expected = 0.7 * np.sign(start) * np.maximum(np.abs(start) - 0.4, 0)
        out = w.copy()
        direction = () if step is proximal_step else (-0.3, g)
        products = step(out, *direction, 0.4, 0.7, m, n)
        np.testing.assert_allclose(out, expected, atol=1e-15)
        np.testing.assert_allclose(products, (expected @ m, expected @ n), atol=1e-14)


def test_residual_is_zero_at_the_optimum_only():
    rng = np.random.default_rng(0)
    centre, l1, l2 = rng.normal(size=9), 0.5, 0.3
    best = np.sign(centre) * np.maximum(np.abs(centre) - l1, 0) / (1 + l2)  # of |w - centre|^2 / 2 + penalty
    for step in (0.1, 1.0, 10.0):
        assert np.abs(proximal_residual(best, best - centre, l1=l1, l2=l2, step=step)).max() < 1e-14
        off = best + 0.01
        assert np.abs(proximal_residual(off, off - centre, l1=l1, l2=l2, step=step)).min() > 1e-3 / step
    smooth = proximal_residual(best, best - centre, l1=0.0, l2=l2)
    np.testing.assert_allclose(smooth, best - centre + l2 * best)
