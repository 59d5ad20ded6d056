"""The estimate of the Hessian from a sample of rows."""

import numpy as np

from aucmax.batch.moments import class_moments, relative_gradient_norm
from aucmax.batch.objective import Objective
from aucmax.batch.preconditioner import Preconditioner, add_covariance
from aucmax.kernels.rows import as_rows
from aucmax.pairs.losses import LOSSES
from aucmax.pairs.sums import Classes
from batch.problems import products_of, ranked


def test_preconditioner_is_close_to_the_inverse(layout):
    X, y, weights = ranked(n=400)
    products, classes, loss = products_of(X, layout), Classes.split(weights * y), LOSSES["squared_hinge"]
    point = Objective(products, classes, loss, 1e-2).at(0.3 * np.ones(5))
    scale = relative_gradient_norm(class_moments(products, classes), loss, 1e-2).scale
    solve = Preconditioner(products, classes).for_penalty(1e-2, scale)(point)
    product = np.column_stack([solve(point.hessp(column)[0]) for column in np.eye(5)])
    values = np.sort(np.linalg.eigvals(product).real)
    assert values[-1] / values[0] < 3.0


def test_covariance_of_rows(layout):
    X, _, weights = ranked()
    rows, weight = np.arange(0, len(X), 2), weights[::2] / weights[::2].sum()
    out = np.zeros((X.shape[1], X.shape[1]))
    mean = add_covariance(as_rows(layout(X)), rows, weight, 3.0, out)
    np.testing.assert_allclose(mean, weight @ X[rows], atol=1e-12)
    covariance = np.cov(X[rows].T, aweights=weight, ddof=0)
    np.testing.assert_allclose(np.tril(out), np.tril(3.0 * covariance), atol=1e-12)
