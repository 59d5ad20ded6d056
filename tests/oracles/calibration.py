"""Calibration of scores, slow and obvious: row by row, minimised without derivatives or groups."""

import math

import numpy as np
from scipy import optimize


def log_odds(score, knots, values):
    """The broken line through the knots; its first and last piece go on."""
    k = 0
    while k < len(knots) - 2 and score >= knots[k + 1]:
        k += 1
    slope = (values[k + 1] - values[k]) / (knots[k + 1] - knots[k])
    return values[k] + slope * (score - knots[k])


def objective(score, signed, knots, values):
    """Weighted log-loss with Platt's targets plus half the squared changes of slope."""
    weight = np.abs(signed)
    n_pos, n_neg = weight[signed > 0].sum(), weight[signed < 0].sum()
    mean = np.average(score, weights=weight)
    unit = math.sqrt(np.average((score - mean) ** 2, weights=weight)) or 1.0
    total = 0.0
    for s, w, is_positive in zip(score, weight, signed > 0, strict=True):
        target = (n_pos + 1) / (n_pos + 2) if is_positive else 1 / (n_neg + 2)
        z = log_odds(s, knots, values)
        total += w * (np.logaddexp(0.0, z) - target * z)
    slopes = np.diff(values) / np.diff(knots) * unit
    return total + 0.5 * float(np.sum(np.diff(slopes) ** 2))


def sigmoid(score, signed):
    """Slope and intercept of Platt's sigmoid."""
    centre, unit = score.mean(), score.std()
    knots = np.array([centre, centre + unit])
    found = optimize.minimize(
        lambda values: objective(score, signed, knots, values),
        [0.0, 1.0],
        method="Nelder-Mead",
        options={"xatol": 1e-12, "fatol": 1e-14, "maxiter": 4000},
    ).x
    slope = (found[1] - found[0]) / unit
    return slope, found[0] - slope * centre
