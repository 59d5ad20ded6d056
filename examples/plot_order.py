"""
A stream in the worst order
===========================

Files are often sorted: all negatives first, or by date, or by a column. One pass of
stochastic gradients then learns the end of the file and forgets its start.
``OnlineAUCClassifier`` keeps a sample of past rows of each class and replays them.

The guide: :doc:`/online`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from aucmax import OnlineAUCClassifier
from aucmax.metrics import auc_interval

X, y = make_classification(
    60_000, 30, n_informative=12, weights=[0.95], class_sep=0.6, random_state=0
)
X, X_test, y, y_test = train_test_split(X, y, test_size=20_000, stratify=y, random_state=0)
scaler = StandardScaler().fit(X)  # for SGD; ours takes raw columns
X, X_test = scaler.transform(X), scaler.transform(X_test)

# %%
# The same 40,000 rows in five orders, in chunks of 1,000, once.

rng = np.random.default_rng(0)
mixed = rng.permutation(len(y))
blocks = np.lexsort([rng.random(len(y)), np.arange(len(y)) // 8000 * 2 + y])
orders = {
    "random": mixed,
    "in blocks of one class": blocks,
    "sorted by a column": np.argsort(X[:, np.argmax(abs(X.T @ (y - y.mean())))]),
    "negatives first": mixed[np.argsort(y[mixed], kind="stable")],
    "positives first": mixed[np.argsort(-y[mixed], kind="stable")],
}


def one_pass(model, order):
    for rows in np.split(order, 40):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    return auc_interval(y_test, model.decision_function(X_test))


found = {
    "OnlineAUCClassifier": [
        one_pass(OnlineAUCClassifier(), order) for order in orders.values()
    ],
    "averaged SGD, logistic loss": [
        one_pass(SGDClassifier(loss="log_loss", average=True, random_state=0), order)
        for order in orders.values()
    ],
}

# %%
# Test AUC with 95 % intervals.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
colors = {"OnlineAUCClassifier": "#e4572e", "averaged SGD, logistic loss": "#4c78a8"}
for name, areas in found.items():
    rows = np.arange(len(orders)) + (-0.1 if name == "OnlineAUCClassifier" else 0.1)
    value, low, high, _ = np.transpose(areas)
    ax.hlines(rows, low, high, color=colors[name], linewidth=2)
    ax.plot(value, rows, "o", color=colors[name], label=name)
ax.set(yticks=range(len(orders)), yticklabels=orders, ylim=(4.5, -0.5))
ax.set_xlabel("test AUC after one pass")
ax.legend(frameon=False, loc="lower left")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
