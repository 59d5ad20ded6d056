"""
The papers' methods race to their optimum
=========================================

Six methods of the literature minimise the same function, the mean squared loss over all pairs
plus an L2 penalty, one row or one batch at a time. ``AUCClassifier`` knows its exact minimum,
so one can see how far from it each of them is.

The guide: :doc:`/methods`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import normalize, scale

from aucmax import OPAUC, SOLAM, SPAM, SPDAM, VRSPAM, AUCClassifier, RegSOLAM, plot
from aucmax.metrics import auc_interval, pair_loss

L2 = 0.01

X, y = make_classification(
    8000, 30, n_informative=10, weights=[0.9], class_sep=0.7, random_state=0
)
X, X_test, y, y_test = train_test_split(normalize(scale(X)), y, test_size=0.5, random_state=0)


def objective(model):
    """What all of them minimise."""
    loss = pair_loss(y, model.decision_function(X), "squared")
    return loss + L2 / 2 * np.sum(model.coef_**2)


best = AUCClassifier("squared", l2=L2, standardize=False, tol=1e-10).fit(X, y)
p = y.mean()

# %%
# Each paper scales the penalty in its own way; the docstrings say which values have the same
# minimiser. SOLAM has a ball instead: the one whose surface goes through the minimiser.
# VRSPAM reads all rows twice in a stage, and twice before.

methods = {
    "SOLAM": SOLAM(radius=float(np.linalg.norm(best.coef_)), random_state=0),
    "RegSOLAM": RegSOLAM(l2=L2 * p * (1 - p), random_state=0),
    "SPAM": SPAM(l2=L2 * p * (1 - p), random_state=0),
    "OPAUC": OPAUC(l2=L2 / 2, random_state=0),
    "VRSPAM": VRSPAM(l2=L2 * p * (1 - p), random_state=0),
    "SPDAM": SPDAM(l2=L2 / 2, random_state=0),
}
records = []
for name, model in methods.items():
    for passes in (2, 4, 8, 16, 32, 64):
        stages = passes // 2 - 1 if name == "VRSPAM" else passes
        if stages:
            model.set_params(max_iter=stages).fit(X, y)
            gap = abs(objective(model) - objective(best)) / objective(best)
            records.append({"method": name, "passes": passes, "gap": gap})

# %%
# The distance to the minimum falls along a straight line for VRSPAM and SPDAM, as their
# papers prove; the others have steps that get smaller, or, OPAUC, steps that do not. For the
# ranking a few passes of any of them are enough:

logistic = LogisticRegression().fit(X, y)
for name, model in {"the minimum": best, **methods, "logistic regression": logistic}.items():
    found = auc_interval(y_test, model.decision_function(X_test))
    print(f"{name:20} test AUC {found.auc:.3f} ({found.low:.3f} to {found.high:.3f})")

figure, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
ax.set_prop_cycle(color=["#4c78a8", "#7b4fa3", "#b8860b", "#999999", "#333333", "#e4572e"])
plot.convergence(records, x="passes", y="gap", ax=ax)
ax.set_xscale("log", base=2)
ax.xaxis.set_major_formatter("{x:.0f}")
ax.set_ylabel("objective less its minimum, relative")
plt.show()
