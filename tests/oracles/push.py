"""The p-norm push over every pair, with the full Hessian in the scores."""

import numpy as np
from scipy.optimize import minimize


def pushed_sums(loss, push, score, y):
    """Value, gradient and Hessian in the scores of ``(sum_j b_j L_j^p)^(1/p)``."""
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    a, b = y[pos] / y[pos].sum(), y[neg] / y[neg].sum()
    margin = score[pos][:, None] - score[neg]
    value, slope, second = loss.value(margin), loss.derivative(margin), loss.second(margin)
    L, n = a @ value, len(score)
    F = L.max() * (b @ (L / L.max()) ** push) ** (1 / push)
    omega = b * (L / F) ** (push - 1)
    changes, hessian = np.zeros((len(neg), n)), np.zeros((n, n))
    for k, j in enumerate(neg):
        changes[k, pos] = a * slope[:, k]
        changes[k, j] = -a @ slope[:, k]
        bent = omega[k] * a * second[:, k]
        hessian[pos, pos] += bent
        hessian[j, j] += bent.sum()
        hessian[pos, j] -= bent
        hessian[j, pos] -= bent
    gradient = omega @ changes
    for k in range(len(neg)):
        if L[k] > 0.0:
            hessian += (push - 1) * omega[k] / L[k] * np.outer(changes[k], changes[k])
    return F, gradient, hessian - (push - 1) / F * np.outer(gradient, gradient)


def pushed_objective(loss, push, X, signed, l2, l1=0.0):
    """The pushed mean plus the penalty: a function of ``w`` that gives value and gradient."""

    def value_grad(w):
        value, gradient, _ = pushed_sums(loss, push, X @ w, signed)
        penalty = 0.5 * l2 * w @ w + l1 * np.abs(w).sum()
        return value + penalty, X.T @ gradient + l2 * w + l1 * np.sign(w)

    return value_grad


def pushed_optimum(loss, push, X, signed, l2):
    """Value and weights where scipy's L-BFGS can do no better."""
    options = {"maxiter": 5000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 30}
    function, start = pushed_objective(loss, push, X, signed, l2), np.zeros(X.shape[1])
    found = minimize(function, start, jac=True, method="L-BFGS-B", options=options)
    return found.fun, found.x
