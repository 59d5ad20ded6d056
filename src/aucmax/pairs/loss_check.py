"""Whether a loss of a user's own is convex, and whether its derivatives are those of its value."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..validation.errors import ParameterError

if TYPE_CHECKING:
    from .losses import Loss

# Where most margins of a fitted model are. Kinks are likely at round numbers, and the points are not.
MARGINS = np.linspace(-10.0, 10.0, 401) + 0.0123
STEP = 1e-3  # of the difference quotients
SLOPE_TOL, CURVATURE_TOL = 1e-6, 1e-4  # relative errors that are accepted
ROUNDING = 1e-12  # relative to the value: rounding error of a slope, a few times 1e-16 / STEP


@lru_cache(maxsize=64)
def check_loss(loss: "Loss") -> None:
    """Raise an error that names a margin where the loss is not convex or a derivative is wrong.

    The derivative of a convex function lies between the slopes of the chords to its left and to its right,
    even where it has a kink.
    """
    value = [_evaluate(loss, "value", MARGINS + shift) for shift in (-STEP, 0.0, STEP)]
    first = [_evaluate(loss, "derivative", MARGINS + shift) for shift in (-STEP, 0.0, STEP)]
    left, right = np.diff(value, axis=0) / STEP
    unit = np.abs(left).max(where=np.abs(MARGINS) < 1.0, initial=0.0)  # a loss may have any scale
    slack = SLOPE_TOL * (unit + np.abs(left) + np.abs(right)) + ROUNDING * np.abs(value[1])
    falls = "a convex Loss (at margin {:.4g} the slope of `value` falls from {:.4g} to {:.4g})"
    _refuse_where(left > right + slack, falls, left, right, loss)
    wrong = (first[1] < left - slack) | (first[1] > right + slack)
    differs = "a Loss with the right `{}` (at margin {{:.4g}} the slope of `{}` is {{:.4g}}, not {{:.4g}})"
    _refuse_where(wrong, differs.format("derivative", "value"), 0.5 * (left + right), first[1], loss)
    if not loss.kinked:
        second = _evaluate(loss, "second", MARGINS)
        left, right = np.diff(first, axis=0) / STEP
        slack = CURVATURE_TOL * (unit + np.abs(left) + np.abs(right))
        wrong = (second < np.minimum(left, right) - slack) | (second > np.maximum(left, right) + slack)
        _refuse_where(wrong, differs.format("second", "derivative"), 0.5 * (left + right), second, loss)


def _evaluate(loss: "Loss", name: str, margin: np.ndarray) -> np.ndarray:
    found = np.asarray(getattr(loss, name)(margin), dtype=float)
    if found.shape != margin.shape:
        allowed = f"a Loss whose `{name}` takes an array of margins and returns as many numbers"
        raise ParameterError(None, "loss", allowed, loss)
    finite = f"a Loss with a finite `{name}` (at margin {{:.4g}} it is {{:.4g}})"
    _refuse_where(~np.isfinite(found), finite, found, found, loss)
    return found


def _refuse_where(wrong: np.ndarray, template: str, a: np.ndarray, b: np.ndarray, loss: "Loss") -> None:
    """Raise an error if ``wrong`` is true anywhere: the template with the margin nearest to 0, a and b."""
    if wrong.any():
        worst = min(np.flatnonzero(wrong), key=lambda k: abs(MARGINS[k]))
        raise ParameterError(None, "loss", template.format(MARGINS[worst], a[worst], b[worst]), loss)
