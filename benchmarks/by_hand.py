"""SOLAM written by hand, one function per layout: a reference for what the abstractions cost."""

import numpy as np
from numba import njit


@njit(fastmath={"reassoc", "contract", "arcp", "nsz"}, error_model="numpy", nogil=True)
def solam_dense(X, y, order, u, v, zeta, radius):
    a, b, alpha, pos, t, scale, sqnorm, drift, kappa2 = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    for i in order:
        s, x2 = 0.0, 0.0
        for j in range(X.shape[1]):
            s += X[i, j] * u[j]
            x2 += X[i, j] * X[i, j]
        s *= scale
        kappa2 = max(kappa2, x2)
        t += 1.0
        gamma, bound = zeta / np.sqrt(t), radius * np.sqrt(kappa2)
        drift += gamma * scale
        if y[i] > 0:
            pos += 1.0
            p = pos / t
            g = 2.0 * (1.0 - p) * (s - a - 1.0 - alpha)
            rise = -2.0 * (1.0 - p) * (s + p * alpha)
            a = min(max(a + gamma * 2.0 * (1.0 - p) * (s - a), -bound), bound)
        else:
            p = pos / t
            g = 2.0 * p * (s - b + 1.0 + alpha)
            rise = 2.0 * p * (s - (1.0 - p) * alpha)
            b = min(max(b + gamma * 2.0 * p * (s - b), -bound), bound)
        alpha = min(max(alpha + gamma * rise, -2.0 * bound), 2.0 * bound)
        c = -gamma * g / kappa2
        sqnorm += 2.0 * c * s + c * c * x2
        c /= scale
        for j in range(X.shape[1]):
            u[j] += c * X[i, j]
            v[j] -= drift * c * X[i, j]
        if sqnorm > radius * radius:
            scale *= radius / np.sqrt(sqnorm)
            sqnorm = radius * radius
    return scale, drift


@njit(fastmath={"contract", "arcp", "nsz"}, error_model="numpy", nogil=True)
def solam_csr(data, indices, indptr, y, order, u, v, zeta, radius):
    a, b, alpha, pos, t, scale, sqnorm, drift, kappa2 = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    for i in order:
        s, x2 = 0.0, 0.0
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            s += data[k] * u[np.uintp(indices[k])]
            x2 += data[k] * data[k]
        s *= scale
        kappa2 = max(kappa2, x2)
        t += 1.0
        gamma, bound = zeta / np.sqrt(t), radius * np.sqrt(kappa2)
        drift += gamma * scale
        if y[i] > 0:
            pos += 1.0
            p = pos / t
            g = 2.0 * (1.0 - p) * (s - a - 1.0 - alpha)
            rise = -2.0 * (1.0 - p) * (s + p * alpha)
            a = min(max(a + gamma * 2.0 * (1.0 - p) * (s - a), -bound), bound)
        else:
            p = pos / t
            g = 2.0 * p * (s - b + 1.0 + alpha)
            rise = 2.0 * p * (s - (1.0 - p) * alpha)
            b = min(max(b + gamma * 2.0 * p * (s - b), -bound), bound)
        alpha = min(max(alpha + gamma * rise, -2.0 * bound), 2.0 * bound)
        c = -gamma * g / kappa2
        sqnorm += 2.0 * c * s + c * c * x2
        c /= scale
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            j = np.uintp(indices[k])
            u[j] += c * data[k]
            v[j] -= drift * c * data[k]
        if sqnorm > radius * radius:
            scale *= radius / np.sqrt(sqnorm)
            sqnorm = radius * radius
    return scale, drift
