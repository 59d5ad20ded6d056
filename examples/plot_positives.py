"""
How many positives does one need?
=================================

What limits a comparison of rankings is the number of rows of the rarer class, not that of all
rows. Here the same two models are judged on test sets with more and more frauds, in each of
which 2 % of the rows are fraud.

The guide: :doc:`/rare_positives`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifierCV
from aucmax.metrics import auc_difference, auc_interval, top

shape = {"n_informative": 8, "n_redundant": 2, "n_features": 15, "n_clusters_per_class": 3}
X, y = make_classification(
    125_000, **shape, weights=[0.98], class_sep=1.2, flip_y=0, random_state=5
)
train, test = slice(20_000), slice(20_000, None)
ours = AUCClassifierCV().fit(X[train], y[train]).decision_function(X[test])
peer = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
y = y[test]

# %%
# Half the width of the 95 % intervals of the AUC, of the recall among the top 2 %, and of the
# difference between the two models, which is judged on the same rows and so known much
# better.

counts, found = [10, 20, 50, 100, 200, 500, 1000, 2000], []
for count in counts:
    rows = slice(np.flatnonzero(y)[count - 1] + 1)  # the first rows, with so many positives
    area, recall = auc_interval(y[rows], ours[rows]), top(y[rows], ours[rows], 0.02)[0].recall
    pair = auc_difference(y[rows], ours[rows], peer[rows])
    widths = [(each.high - each.low) / 2 for each in (area, recall, pair)]
    found.append([area.auc, area.low, area.high, *widths])
value, low, high, *widths = np.transpose(found)

# %%
# To halve an interval takes four times the positives.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
left.fill_between(counts, low, high, color="#e4572e", alpha=0.2, linewidth=0)
left.plot(counts, value, "o-", color="#e4572e", markersize=4)
left.set(xscale="log", ylim=(0.7, 1), ylabel="AUC, with its 95 % interval")
names = "AUC", "recall in the top 2 %", "AUC less that of\nlogistic regression"
for name, width, color in zip(names, widths, ["#e4572e", "#b8860b", "#4c78a8"], strict=True):
    right.loglog(counts, width, "o-", color=color, markersize=4)
    right.text(2400, width[-1], name, color=color, va="center")
right.set_ylabel("half the width of the interval")
for ax in (left, right):
    ax.set_xlabel("positives in the test rows")
    ax.spines[["top", "right"]].set_visible(False)
    ax.xaxis.set_major_formatter("{x:,.0f}")
plt.show()
