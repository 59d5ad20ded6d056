"""
Rare frauds, with intervals and a paired test
=============================================

Payments, 2 % of them fraud: stolen cards, cards that are tried out, and accounts opened for
it; some honest people travel. All models are linear and see the same columns. Which one is
better, and for which use?

The guide: :doc:`/rare_positives`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV, plot
from aucmax.metrics import auc_difference, auc_interval


def payments(n, seed):
    """Euros, hours since the last one, payments that day, kilometres, account's age."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 0.02
    kind = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    stolen, tried, opened = (fraud & (kind == k) for k in range(3))
    travel = ~fraud & (rng.random(n) < 0.03)
    euros = np.exp(rng.normal(3.5, 0.6, n) + 1.2 * stolen - 1.0 * tried + 1.0 * travel)
    hours = rng.gamma(2.0, 20.0, n) * np.where(tried, 0.1, 1.0)
    count = rng.poisson(2.0 + 5.0 * tried)
    kilometres = np.exp(rng.normal(2.0, 1.0, n) + 1.5 * stolen + 0.7 * opened + 3.0 * travel)
    days = rng.gamma(3.0, 500.0, n) * np.where(opened, 0.2, 1.0)
    return np.column_stack([euros, hours, count, kilometres, days]), fraud


(X, y), (X_test, y_test) = payments(20_000, seed=0), payments(50_000, seed=1)

# %%
# Logistic regression gets scaled columns and the penalty with the best cross-validated AUC.
# ``AUCClassifierCV`` needs neither scaling nor a grid; with ``max_fpr=0.05`` it is trained
# for the first alerts instead of the whole list.

logistic = make_pipeline(StandardScaler(), LogisticRegression())
grid = {"logisticregression__C": np.logspace(-4, 2, 7)}
models = {
    "AUCClassifierCV()": AUCClassifierCV(),
    "logistic regression": GridSearchCV(logistic, grid, scoring="roc_auc"),
    "AUCClassifierCV(max_fpr=0.05)": AUCClassifierCV(max_fpr=0.05),
}
scores = {name: model.fit(X, y).decision_function(X_test) for name, model in models.items()}
for name, score in scores.items():
    found = auc_interval(y_test, score)
    print(f"{name:30} AUC {found.auc:.4f} ({found.low:.4f} to {found.high:.4f})")

# %%
# The intervals of the AUCs overlap, because all of them contain the luck of the same 1,000
# frauds. DeLong's paired test removes what they have in common. Over the whole curve the
# model for AUC is ahead; among the first alerts it is not, and the model trained for them is.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
colors = dict(zip(models, ["#e4572e", "#4c78a8", "#333333"], strict=True))
for name, score in scores.items():
    plot.roc(y_test, score, left, band=False, label=name, color=colors[name])
regions = {None: "whole curve", 0.2: "up to 0.2", 0.05: "up to 0.05"}
for row, max_fpr in enumerate(regions):
    for name, shift in {
        "AUCClassifierCV()": -0.12,
        "AUCClassifierCV(max_fpr=0.05)": 0.12,
    }.items():
        pair = scores[name], scores["logistic regression"]
        found = auc_difference(y_test, *pair, max_fpr=max_fpr, standardized=True)
        at, color = row + shift, colors[name]
        right.plot([found.low, found.high], [at, at], color=color, linewidth=2)
        right.plot(found.difference, at, "o", color=color)
        right.text(
            found.high + 0.001, at, f"p = {found.p_value:.1g}", va="center", fontsize="small"
        )
right.axvline(0, color=colors["logistic regression"], linewidth=1)
right.set(
    xlim=(-0.022, 0.034), ylim=(2.5, -0.5), yticks=range(3), yticklabels=regions.values()
)
right.set(xlabel="AUC less that of logistic regression", ylabel="false positive rates")
right.set_title("paired differences, 95 % intervals", fontsize="medium")
right.spines[["top", "right"]].set_visible(False)
plt.show()
