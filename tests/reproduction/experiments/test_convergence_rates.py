"""The slopes fitted to convergence curves."""

import numpy as np

from aucmax.reproduction.experiments.convergence_rates import LAWS, fit_law


def test_fit_recovers_a_power():
    rows, rng = np.geomspace(1e3, 1e6, 9), np.random.default_rng(0)
    values = 7.0 * rows**-0.75 * np.exp(0.05 * rng.normal(size=9))
    values[0] *= 10.0  # the start is not fitted
    fit = fit_law(LAWS["SOLAM"], rows, values)
    assert abs(fit.slope + 0.75) < 0.02
    assert fit.r2 > 0.99


def test_fit_recovers_a_factor_down_to_rounding():
    passes = np.arange(1.0, 41.0)
    values = np.maximum(0.3 * 0.5**passes, 1e-11)
    fit = fit_law(LAWS["SPDAM"], passes, values)
    np.testing.assert_allclose(10**fit.slope, 0.5, rtol=1e-6)
    np.testing.assert_allclose(fit.r2, 1.0, rtol=1e-9)


def test_fit_of_a_curve_that_is_no_line_has_a_low_r2():
    passes = np.arange(1.0, 41.0)
    assert fit_law(LAWS["SPDAM"], passes, 1.0 / passes).r2 < 0.9
