"""
A loss of your own
==================

``AUCClassifier`` minimises the mean of a loss over all pairs of a positive and a negative
row. Five losses have names; any other that is convex and smooth is a class with three short
methods. Here: the hinge, rounded at its corner, for data where some rows are broken.

The guide: :doc:`/batch`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifier
from aucmax.losses import Loss, get_loss
from aucmax.metrics import auc_interval


class RoundedHinge(Loss):
    """log(1 + exp(4 (1 - margin))) / 4."""

    width = 0.5  # it bends four times as fast as the logistic loss
    tail = 12.0  # beyond these margins it is a straight line

    def value(self, margin):
        return np.logaddexp(0.0, 4.0 * (1.0 - margin)) / 4.0

    def derivative(self, margin):
        return -expit(4.0 * (1.0 - margin))

    def second(self, margin):
        slope = expit(4.0 * (1.0 - margin))
        return 4.0 * slope * (1.0 - slope)


# %%
# In one training row of a hundred the label is wrong and the columns are ten times too large.
# A loss that grows like a square, or faster, listens to such rows most.


def rows(n, seed, broken=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    y = X[:, :4].sum(axis=1) + 2.0 * rng.normal(size=n) > 4.5
    wrong = rng.random(n) < broken
    X[wrong] *= 10.0
    return X, y ^ wrong


(X, y), (X_test, y_test) = rows(5000, seed=0, broken=0.01), rows(20_000, seed=1)
names = "exponential", "squared", "squared_hinge", "logistic", "hinge"
losses = {**{name: get_loss(name) for name in names}, "RoundedHinge()": RoundedHinge()}
models = {name: AUCClassifier(loss) for name, loss in losses.items()}
models["logistic regression"] = LogisticRegression()
found = {
    name: auc_interval(y_test, model.fit(X, y).decision_function(X_test))
    for name, model in models.items()
}

# %%
# Left the losses, right the test AUC of the models that minimise them, with 95 % intervals.
# The hinge, rounded or not, is disturbed least. Logistic regression, which counts rows and
# not pairs, is as good here.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9.5, 3.8), layout="constrained", width_ratios=[1, 1.2]
)
palette = ["#b8860b", "#7b4fa3", "#2a9d5c", "#333333", "#999999", "#e4572e", "#4c78a8"]
margin = np.linspace(-2, 3, 200)
for row, ((name, area), color) in enumerate(zip(found.items(), palette, strict=True)):
    right.plot([area.low, area.high], [row, row], color=color, linewidth=2)
    right.plot(area.auc, row, "o", color=color)
    if name in losses:
        left.plot(margin, losses[name].value(margin), color=color, label=name)
left.set(xlabel="margin of a pair", ylabel="loss", xlim=(-2, 3), ylim=(0, 6))
left.legend(frameon=False, fontsize="small")
right.set(xlabel="test AUC", yticks=range(len(found)), yticklabels=found)
right.invert_yaxis()
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
