"""Wilson's confidence interval of a proportion."""

from typing import Any

import numpy as np
from scipy import special


def wilson_interval(rate: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Ends of Wilson's interval for a rate among n rows; n need not be whole."""
    z2 = special.ndtri((1 - level) / 2) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 / n * (rate * (1 - rate) + z2 / (4 * n))) / (1 + z2 / n)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
