"""The elastic net ``l1 |w|_1 + l2/2 |w|^2``: its proximal step and its optimality condition."""

import numpy as np

from .jit import inlined, vectorised


@inlined
def soft(value, threshold):
    """Move a number towards zero by ``threshold``, but not past it."""
    return max(value - threshold, 0.0) + min(value + threshold, 0.0)


@vectorised
def proximal(w, threshold, shrink, m, n):
    """Replace each ``w_j`` by ``shrink * soft(w_j, threshold)``; then ``w . m`` and ``w . n``."""
    by_m, by_n = 0.0, 0.0
    for j in range(len(w)):
        value = shrink * soft(w[j], threshold)
        w[j] = value
        by_m += value * m[j]
        by_n += value * n[j]
    return by_m, by_n


@vectorised
def proximal_along(w, c, g, threshold, shrink, m, n):
    """``proximal`` of ``w + c g``."""
    by_m, by_n = 0.0, 0.0
    for j in range(len(w)):
        value = shrink * soft(w[j] + c * g[j], threshold)
        w[j] = value
        by_m += value * m[j]
        by_n += value * n[j]
    return by_m, by_n


def residual(w: np.ndarray, gradient: np.ndarray, *, l1: float, l2: float, step: float = 1.0) -> np.ndarray:
    """How far ``w`` is from the KKT conditions of a smooth function with this gradient plus the penalty.

    It is the move of a proximal gradient step, divided by its length: zero at the optimum and only
    there, the gradient itself where ``l1`` is zero, and continuous in ``w``, unlike a subgradient.
    """
    moved = w - step * (gradient + l2 * w)
    return (w - np.sign(moved) * np.maximum(np.abs(moved) - step * l1, 0.0)) / step
