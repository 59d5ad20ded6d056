"""
How many positives does one need?
=================================

What limits a comparison of rankings is the number of rows of the rarer class, not that of all rows. Here the
same two models are judged on test sets with more and more frauds, in each of which 2 % of the rows are fraud.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifierCV
from aucmax.metrics import auc_difference, auc_interval, top

X, y = make_classification(
    125_000,
    15,
    n_informative=8,
    n_clusters_per_class=3,
    weights=[0.98],
    class_sep=1.2,
    flip_y=0,
    random_state=5,
)
ours, logistic = (
    AUCClassifierCV().fit(X[:20_000], y[:20_000]),
    LogisticRegression().fit(X[:20_000], y[:20_000]),
)
y_test = y[20_000:]
a, b = ours.decision_function(X[20_000:]), logistic.decision_function(X[20_000:])

# %%
# Half the width of the 95 % intervals of the AUC, of the recall among the top 2 %, and of the difference
# between the two models, which is judged on the same rows and so known much better.

counts, found = [10, 20, 50, 100, 200, 500, 1000, 2000], []
for count in counts:
    last = np.flatnonzero(y_test)[count - 1] + 1  # the first rows, with so many positives
    area, recall = auc_interval(y_test[:last], a[:last]), top(y_test[:last], a[:last], 0.02)[0].recall
    pair = auc_difference(y_test[:last], a[:last], b[:last])
    widths = [(each.high - each.low) / 2 for each in (area, recall, pair)]
    found.append([area.auc, area.low, area.high, *widths])
value, low, high, *widths = np.transpose(found)

# %%
# To halve an interval takes four times the positives.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
left.fill_between(counts, low, high, color="#e4572e", alpha=0.2, linewidth=0)
left.plot(counts, value, "o-", color="#e4572e", markersize=4)
left.set(
    xscale="log", ylim=(0.7, 1), xlabel="positives in the test rows", ylabel="AUC, with its 95 % interval"
)
names = {
    "AUC": "#e4572e",
    "recall in the top 2 %": "#b8860b",
    "AUC less that of\nlogistic regression": "#4c78a8",
}
for (name, color), width in zip(names.items(), widths, strict=True):
    right.loglog(counts, width, "o-", color=color, markersize=4)
    right.annotate(
        name, (counts[-1], width[-1]), (6, 0), textcoords="offset points", color=color, va="center"
    )
right.set(xlabel="positives in the test rows", ylabel="half the width of the interval")
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
    ax.xaxis.set_major_formatter("{x:,.0f}")
plt.show()
