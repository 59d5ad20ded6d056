"""
Class weights and resampling
============================

With rare positives people reach for ``class_weight="balanced"``, or repeat the positives, or
drop negatives. AUC is a mean over pairs and does not see how many rows a class has, so there
is little to gain. Ten tasks: two handwritten digits, thinned to 6 % of the pictures, against
the eight others.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import t
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale
from sklearn.utils import resample

from aucmax import AUCClassifier
from aucmax.metrics import auc

X, digit = load_digits(return_X_y=True)
X = scale(X[:, X.std(axis=0) > 0.5])  # pixels at the edge are white in nearly all pictures


def fit_all(X, y):
    """Logistic regression fitted in four ways, and ours."""
    positive, negative = np.flatnonzero(y), np.flatnonzero(y == 0)
    repeated = resample(positive, n_samples=len(negative), random_state=0)
    dropped = resample(negative, n_samples=len(positive), replace=False, random_state=0)
    over, under = np.append(negative, repeated), np.append(positive, dropped)
    return {
        "logistic regression": LogisticRegression().fit(X, y),
        "class_weight='balanced'": LogisticRegression(class_weight="balanced").fit(X, y),
        "positives repeated": LogisticRegression().fit(X[over], y[over]),
        "negatives dropped": LogisticRegression().fit(X[under], y[under]),
        "AUCClassifier": AUCClassifier().fit(X, y),
    }


# %%
# Each half of the pictures is the test of the models of the other half.

rng = np.random.default_rng(0)
found = {}
for task in range(10):
    y = np.isin(digit, [task, (task + 3) % 10]).astype(int)
    rows = np.append(np.flatnonzero(y == 0), rng.choice(np.flatnonzero(y), 90, replace=False))
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(rows, y[rows]):
        train, test = rows[train], rows[test]
        for name, model in fit_all(X[train], y[train]).items():
            area = auc(y[test], model.decision_function(X[test]))
            found.setdefault(name, np.zeros(10))[task] += area / 2

# %%
# Grey: the ten tasks; in colour: their mean, with its 95 % interval. Class weights and
# repeated positives change no more than chance would; dropped negatives are missing. On other
# data class weights may help logistic regression, where a linear model fits badly; a model
# for AUC needs none there either (:doc:`/rare_positives`).

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
names = list(found)[1:]
for row, name in enumerate(names):
    difference = found[name] - found["logistic regression"]
    half = t.ppf(0.975, 9) * difference.std(ddof=1) / np.sqrt(10)
    color = "#e4572e" if name == "AUCClassifier" else "#4c78a8"
    ax.plot(difference, np.full(10, row), "o", color="#cccccc", markersize=5)
    ax.errorbar(difference.mean(), row, xerr=half, color=color, linewidth=2)
    ax.plot(difference.mean(), row, "o", color=color, markersize=8)
    ax.text(difference.mean(), row - 0.2, f"{difference.mean():+.4f}", ha="center")
ax.axvline(0, color="#777777", linewidth=0.8)
ax.set(yticks=range(4), yticklabels=names, ylim=(3.5, -0.6))
ax.set_xlabel("test AUC less that of plain logistic regression")
ax.spines[["top", "right", "left"]].set_visible(False)
ax.tick_params(left=False)
plt.show()
