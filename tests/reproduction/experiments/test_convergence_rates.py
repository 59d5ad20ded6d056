"""The slopes fitted to convergence curves."""

import numpy as np

from aucmax.reproduction.experiments.convergence_rates import THEOREMS, fit_rate


def test_fit_recovers_a_power():
    rows, rng = np.geomspace(1e3, 1e6, 9), np.random.default_rng(0)
    values = 7.0 * rows**-0.75 * np.exp(0.05 * rng.normal(size=9))
    values[0] *= 10.0  # the start is not fitted
    slope, r2 = fit_rate(THEOREMS["SOLAM"], rows, values)
    assert abs(slope + 0.75) < 0.02
    assert r2 > 0.99


def test_fit_recovers_a_factor_down_to_rounding():
    passes = np.arange(1.0, 41.0)
    values = np.maximum(0.3 * 0.5**passes, 1e-11)
    slope, r2 = fit_rate(THEOREMS["SPDAM"], passes, values)
    np.testing.assert_allclose(10**slope, 0.5, rtol=1e-6)
    np.testing.assert_allclose(r2, 1.0, rtol=1e-9)


def test_fit_of_a_curve_that_is_no_line_has_a_low_r2():
    passes = np.arange(1.0, 41.0)
    _, r2 = fit_rate(THEOREMS["SPDAM"], passes, 1.0 / passes)
    assert r2 < 0.9
