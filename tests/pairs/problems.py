"""Scores of two classes, and losses of a user's own."""

import numpy as np

from aucmax.pairs.losses import LOSSES, Loss, SmoothedHinge


class TooWide(Loss):
    """A smooth loss without straight tails, with cells too wide for it."""

    def value(self, margin):
        return np.sqrt(1.0 + (margin - 1.0) ** 2) - margin

    def derivative(self, margin):
        return (margin - 1.0) / np.sqrt(1.0 + (margin - 1.0) ** 2) - 1.0

    def second(self, margin):
        return (1.0 + (margin - 1.0) ** 2) ** -1.5


class NarrowCells(TooWide):
    """The same, with cells small enough."""

    width = 0.4


ALL_LOSSES = {**LOSSES, "smoothed_hinge": SmoothedHinge(0.3), "own": NarrowCells()}


def draw_scores(seed, n, spread, ties):
    """Scores, signed weights of both classes, and a direction."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n) * spread
    if ties:
        score = np.round(score * 4.0) / 4.0
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0) * rng.integers(1, 4, n)
    y[:2] = 1.0, -2.0
    return score, y, rng.normal(size=n)


def assert_close(found, expected, relative):
    atol = relative * (np.abs(expected).max() + 1e-300)
    np.testing.assert_allclose(found, expected, rtol=relative, atol=atol)
