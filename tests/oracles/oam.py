"""OAM."""

import numpy as np


def oam(X, y, *, update, C, size, generator, weights=None):
    """OAM's boxes, with the buffers as plain lists of rows: last iterate and the buffers."""
    weights = np.ones(len(y)) if weights is None else weights
    w, kappa2, buffers, mass = np.zeros(X.shape[1]), 0.0, {1: [], -1: []}, {1: 0.0, -1: 0.0}
    for x, sign, q in zip(X, y, weights, strict=True):
        kappa2, mass[sign] = max(kappa2, x @ x), mass[sign] + q
        cap = q * C * max(1, mass[-sign] / size) / 2 / kappa2
        frozen = w
        for z in buffers[-sign]:
            if update == "gradient" and sign * frozen @ (x - z) <= 1:
                w = w + cap * sign * (x - z)
            elif update == "sequential" and (x != z).any():
                w = w + min(cap, max(0, 1 - sign * w @ (x - z)) / np.sum((x - z) ** 2)) * sign * (x - z)
        if len(buffers[sign]) < size:
            buffers[sign].append(x)
        elif (at := int(generator.uniform() * mass[sign] / q)) < size:
            buffers[sign][at] = x
    return w, buffers
