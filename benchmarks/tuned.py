"""SOLAM and SPAM tuned over the papers' grid on a9a, beside logistic regression and the optimum.

    AUCMAX_DATA=folder python benchmarks/tuned.py

Rows are scaled to norm one. Parameters are chosen by 5-fold cross-validation on a9a; the model is then fitted
on all of a9a. Printed are the AUC over the 5 folds and on LIBSVM's test part. The last lines show how SPAM
approaches the closed-form minimiser with more passes.
"""

import numpy as np
from datasets import read
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import normalize

from aucmax import SOLAM, SPAM

GRIDS = {
    "SOLAM": (
        SOLAM(max_iter=15, random_state=0),
        {"radius": 10.0 ** np.arange(-1, 6), "step_size": np.arange(1.0, 101.0, 9.0)},
    ),
    "SPAM": (
        SPAM(max_iter=15, random_state=0),
        {"l2": 10.0 ** np.arange(-5, 6), "step_size": [1.0, 10.0, 100.0]},
    ),
    "LogisticRegression": (LogisticRegression(max_iter=1000), {"C": 10.0 ** np.arange(-2, 4)}),
}


def closed_form(X, y, l2):
    """Minimiser of mean squared pair loss + l2/2 |w|^2 from the class means and covariances."""
    moments = []
    for rows in (X[y > 0], X[y <= 0]):
        mean = np.asarray(rows.mean(axis=0)).ravel()
        moments.append((mean, (rows.T @ rows).toarray() / rows.shape[0] - np.outer(mean, mean)))
    (m_pos, c_pos), (m_neg, c_neg) = moments
    b = m_pos - m_neg
    return np.linalg.solve(2 * (c_pos + c_neg + np.outer(b, b)) + l2 * np.eye(X.shape[1]), 2 * b)


def main():
    X, y = read("a9a")
    X_test, y_test = read("a9a.t")
    X_test.resize(X_test.shape[0], X.shape[1])  # no row of the test part has the last column
    X, X_test = sparse.csr_array(normalize(X)), sparse.csr_array(normalize(X_test))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    print(f"{'':20}{'5-fold AUC':>12}{'test AUC':>10}  parameters")
    for name, (estimator, grid) in GRIDS.items():
        search = GridSearchCV(estimator, grid, cv=folds, scoring="roc_auc", n_jobs=2, error_score=0.0).fit(
            X, y
        )
        test = search.score(X_test, y_test)
        print(f"{name:20}{search.best_score_:12.4f}{test:10.4f}  {search.best_params_}", flush=True)

    p = np.mean(y > 0)
    for l2 in (1e-3, 1e-2, 1e-1):
        best = closed_form(X, y, l2 / (p * (1 - p)))
        for passes in (15, 150, 500):
            w = SPAM(l2, step_size=1.0, max_iter=passes, random_state=0).fit(X, y).coef_[0]
            error = np.linalg.norm(w - best) / np.linalg.norm(best)
            print(f"SPAM l2={l2:g}, {passes} passes: relative distance to the minimiser {error:.1e}")


if __name__ == "__main__":
    main()
