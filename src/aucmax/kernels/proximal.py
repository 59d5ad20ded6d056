"""The elastic net ``l1 |w|_1 + l2/2 |w|^2``: its proximal step and its optimality condition."""

from typing import Any

import numpy as np

from .jit import inlined, vectorised


@inlined
def soft_threshold(value, threshold):
    """Move a number towards zero by ``threshold``, but not past zero."""
    return max(value - threshold, 0.0) + min(value + threshold, 0.0)


def soft_threshold_array(values: np.ndarray, threshold: Any) -> np.ndarray:
    """``soft_threshold`` of each number; ``threshold`` is a number or an array."""
    return np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)


@vectorised
def proximal_step(w, threshold, shrink, u, v):
    """Replace each ``w_j`` by ``shrink * soft_threshold(w_j, threshold)``; return ``w . u`` and ``w . v``."""
    inner_u, inner_v = 0.0, 0.0
    for j in range(len(w)):
        value = shrink * soft_threshold(w[j], threshold)
        w[j] = value
        inner_u += value * u[j]
        inner_v += value * v[j]
    return inner_u, inner_v


@vectorised
def proximal_gradient_step(w, c, g, threshold, shrink, u, v):
    """``proximal_step`` from ``w + c g``."""
    inner_u, inner_v = 0.0, 0.0
    for j in range(len(w)):
        value = shrink * soft_threshold(w[j] + c * g[j], threshold)
        w[j] = value
        inner_u += value * u[j]
        inner_v += value * v[j]
    return inner_u, inner_v


def proximal_residual(
    w: np.ndarray, gradient: np.ndarray, *, l1: float, l2: float, step: float = 1.0
) -> np.ndarray:
    """Residual of the KKT conditions of a smooth function with this gradient plus the penalty.

    It is ``(w - p) / step`` with ``p`` the proximal gradient step from ``w``: zero only at the optimum, equal
    to the gradient if ``l1`` is zero, and continuous in ``w``, unlike a subgradient.
    """
    moved = w - step * (gradient + l2 * w)
    return (w - soft_threshold_array(moved, step * l1)) / step
