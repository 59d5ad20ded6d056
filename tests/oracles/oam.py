"""OAM."""

import numpy as np


def oam(X, y, *, update, C, size, generator, weights=None):
    """OAM's boxes, with the buffers as plain lists of rows: last iterate and the buffers."""
    weights = np.ones(len(y)) if weights is None else weights
    w, kappa2, buffers, weight_of = np.zeros(X.shape[1]), 0.0, {1: [], -1: []}, {1: 0.0, -1: 0.0}
    for x, sign, q in zip(X, y, weights, strict=True):
        kappa2, weight_of[sign] = max(kappa2, x @ x), weight_of[sign] + q
        max_step = q * C * max(1, weight_of[-sign] / size) / 2 / kappa2
        w_before = w
        for z in buffers[-sign]:
            if update == "gradient" and sign * w_before @ (x - z) <= 1:
                w = w + max_step * sign * (x - z)
            elif update == "sequential" and (x != z).any():
                w = w + min(max_step, max(0, 1 - sign * w @ (x - z)) / np.sum((x - z) ** 2)) * sign * (x - z)
        if len(buffers[sign]) < size:
            buffers[sign].append(x)
        elif (at := int(generator.uniform() * weight_of[sign] / q)) < size:
            buffers[sign][at] = x
    return w, buffers
