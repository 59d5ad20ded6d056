"""
A stream in the worst order
===========================

Files are often sorted: all negatives first, or by date, or by a column. One pass of stochastic gradients then
learns the end of the file and forgets its start. ``OnlineAUCClassifier`` keeps a sample of past rows of each
class and replays them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from aucmax import OnlineAUCClassifier
from aucmax.metrics import auc_interval

X, y = make_classification(60_000, 30, n_informative=12, weights=[0.95], class_sep=0.6, random_state=0)
X, X_test, y, y_test = train_test_split(X, y, test_size=20_000, stratify=y, random_state=0)
X, X_test = (
    StandardScaler().fit(X).transform(rows) for rows in (X, X_test)
)  # for SGD; ours takes raw columns

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
    "OnlineAUCClassifier": [one_pass(OnlineAUCClassifier(), order) for order in orders.values()],
    "averaged SGD, logistic loss": [
        one_pass(SGDClassifier(loss="log_loss", average=True, random_state=0), order)
        for order in orders.values()
    ],
}

# %%
# Test AUC with 95 % intervals.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for (name, areas), color, shift in zip(found.items(), ["#e4572e", "#4c78a8"], [-0.1, 0.1], strict=True):
    rows = np.arange(len(orders)) + shift
    ax.hlines(rows, [area.low for area in areas], [area.high for area in areas], color=color, linewidth=2)
    ax.plot([area.auc for area in areas], rows, "o", color=color, label=name)
ax.set(xlabel="test AUC after one pass", yticks=range(len(orders)), yticklabels=orders, ylim=(4.5, -0.5))
ax.legend(frameon=False, loc="lower left")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
