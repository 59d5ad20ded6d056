"""Small problems for the batch solvers, and their optimum from every pair by L-BFGS."""

import numpy as np
from scipy.optimize import minimize

from aucmax.batch.products import Products
from aucmax.kernels.rows import as_rows


def ranked(n=90, d=5, seed=0):
    """Rows with ties, labels -1 and 1, and small integer weights."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0.7, 1, -1)
    return X, y, rng.integers(1, 4, size=n).astype(float)


def objective(loss, X, y, weights, l2, l1=0.0):
    """Mean over all pairs plus the penalty: a function of ``w`` that gives value and gradient."""
    pos, neg = y > 0, y < 0
    differences = (X[pos][:, None, :] - X[neg]).reshape(-1, X.shape[1])
    weight = np.outer(weights[pos], weights[neg]).ravel()
    weight = weight / weight.sum()

    def value_grad(w):
        margin = differences @ w
        value = weight @ loss.value(margin) + 0.5 * l2 * w @ w + l1 * np.abs(w).sum()
        return value, differences.T @ (weight * loss.derivative(margin)) + l2 * w + l1 * np.sign(w)

    return value_grad


def optimum(loss, X, y, weights, l2):
    """Value and weights where scipy's L-BFGS can do no better."""
    function = objective(loss, X, y, weights, l2)
    options = {"maxiter": 5000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 30}
    found = minimize(function, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B", options=options)
    return found.fun, found.x


def signed_rows(n=300, d=7, seed=0):
    """Rows, six in ten of their entries not zero, and signed weights of both classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0) * rng.integers(1, 3, n)
    return X, y


def products_of(X, layout=np.asarray):
    """Products with these rows, stored dense or as CSR."""
    return Products(as_rows(layout(X)), X.shape[1])
