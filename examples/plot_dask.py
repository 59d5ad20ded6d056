"""
Rows on many machines
=====================

A pair has two rows, and they may be on different machines. ``DaskAUCClassifier`` finds the
model that ``AUCClassifier`` finds on all rows in one place, without bringing rows or scores
together. Here the cluster is two workers in this process.

The guide: :doc:`/distributed`.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask import delayed
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifier
from aucmax.distributed import DaskAUCClassifier
from aucmax.metrics import auc_difference, auc_interval
from distributed import Client

SHAPE = 2500, 100  # of a partition


def clicks(n, seed):
    """Rows of a day, about 4 % of them clicked."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 100))
    odds = X @ np.linspace(-0.25, 0.25, 100) - 4.5
    return X, (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)


# %%
# Each worker makes its own rows, as it would read its own files.

parts = [delayed(clicks, nout=2)(SHAPE[0], seed) for seed in range(8)]
X = da.concatenate([da.from_delayed(rows, SHAPE, float) for rows, _ in parts])
y = da.concatenate([da.from_delayed(labels, SHAPE[:1], int) for _, labels in parts])
with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None):
    model = DaskAUCClassifier().fit(X, y)
    pieces = dask.compute(*parts)  # only to compare: a cluster never does this
print(f"{len(y):,} rows in {X.npartitions} partitions")
print(f"{model.n_rounds_} rounds, {model.bytes_ / 1e6:.1f} MB sent and returned")

# %%
# All rows in one place give the same weights. Logistic regression is a little better here,
# since these clicks follow just the model that it assumes.

X, y = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
local = AUCClassifier(tol=1e-8).fit(X, y)
X_test, y_test = clicks(20_000, seed=99)
scores = {
    "AUCClassifier, one partition": AUCClassifier().fit(*pieces[0]).decision_function(X_test),
    "DaskAUCClassifier": model.decision_function(X_test),
    "AUCClassifier, all in one place": local.decision_function(X_test),
    "logistic regression, all in one place": LogisticRegression()
    .fit(X, y)
    .decision_function(X_test),
}
pair = scores["DaskAUCClassifier"], scores["logistic regression, all in one place"]
found = auc_difference(y_test, *pair)
print(f"AUC less that of logistic regression: {found.difference:+.4f}")
print(f"95 % interval: {found.low:+.4f} to {found.high:+.4f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.plot(local.coef_[0], model.coef_[0], "o", color="#e4572e", markersize=4)
left.axline((0, 0), slope=1, color="#999999", linewidth=0.8, linestyle=":")
gap = np.max(abs(model.coef_ - local.coef_)) / np.max(abs(local.coef_))
left.set_title(f"all weights agree to {gap:.0e} of the largest", fontsize="medium")
left.set(xlabel="weight, all rows in one place", ylabel="weight, on the cluster")
for row, (name, score) in enumerate(scores.items()):
    area = auc_interval(y_test, score)
    color = "#4c78a8" if name.startswith("logistic") else "#e4572e"
    right.plot([area.low, area.high], [row, row], color=color, linewidth=2)
    right.plot(area.auc, row, "o", color=color)
right.set(xlabel="test AUC", yticks=range(len(scores)), yticklabels=scores, ylim=(3.5, -0.5))
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
