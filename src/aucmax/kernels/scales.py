"""Running means and standard deviations of dense columns, which a few broken rows hardly move."""

from typing import NamedTuple

import numpy as np

from .jit import vectorised

# Values beyond it are cut: its square is still a float.
HUGE = 1e150

# A spread of a column that is so small beside its mean comes from rounding: the column is constant.
ROUNDING = 64 * 2.0**-52


class RunningScales(NamedTuple):
    """A number for each column; ``inverse`` is 1 / standard deviation, or 0 if the column is constant."""

    mean: np.ndarray
    variance: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> "RunningScales":
        """Those of the first rows, without the 1/32 smallest and largest values of each column."""
        trim = len(X) // 32
        middle = np.sort(np.asarray(X, dtype=float), axis=0)[trim : len(X) - trim]
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variance = middle.mean(axis=0), middle.var(axis=0)
            smallest = np.maximum(ROUNDING * np.abs(mean), 1.0 / HUGE)
            varies = np.isfinite(variance) & (variance > smallest**2)
        mean, variance = np.where(np.abs(mean) < HUGE**2, mean, 0.0), np.where(varies, variance, 0.0)
        inverse = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=varies)
        return cls(mean, variance, inverse)

    def standardise(self, X: np.ndarray) -> np.ndarray:
        """The rows less the means, over the standard deviations."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.clip((X - self.mean) * self.inverse, -HUGE, HUGE)

    def widened(self, extra: int) -> "RunningScales":
        """The same with columns added that were zero so far."""
        return RunningScales(*(np.pad(part, (0, extra)) for part in self))


def columns_per_direction(Z: np.ndarray) -> float:
    """Columns that vary over directions that rows take: 1 if the columns are unrelated."""
    length = np.sqrt((Z * Z).sum(axis=1))
    Z = Z[length > 0.0] / length[length > 0.0, None]
    if len(Z) < 2:
        return 1.0
    # Not by BLAS or einsum, whose rounding depends on where the numbers lie in memory.
    squares = sum(float(((Z * z).sum(axis=1) ** 2).sum()) - 1.0 for z in Z)
    return squares / (len(Z) * (len(Z) - 1)) * float(Z.any(axis=0).sum())


@vectorised
def update_moments(X, i, scales, rate, trust, clip):
    """Take row i into the means and variances at this rate.

    Its deviations count ``trust``, and at most ``clip`` standard deviations.
    """
    mean, variance, inverse = scales.mean, scales.variance, scales.inverse
    for j in range(X.shape[1]):
        bound = clip * variance[j] * inverse[j] if inverse[j] > 0.0 else HUGE
        gap = min(max(trust * (X[i, j] - mean[j]), -bound), bound)
        mean[j] += rate * gap
        variance[j] = min((1.0 - rate) * (variance[j] + rate * gap * gap), HUGE * HUGE)


@vectorised
def update_inverses(scales):
    """Take standard deviations from the variances, slow as roots are; the number of columns that vary."""
    varying = 0.0
    for j in range(len(scales.mean)):
        std = np.sqrt(scales.variance[j])
        varies = std > max(ROUNDING * abs(scales.mean[j]), 1.0 / HUGE)
        scales.inverse[j] = 1.0 / std if varies else 0.0
        varying += varies
    return varying
