"""
Columns in any unit
===================

Euros beside cents, metres beside millimetres: a penalty that treats all columns alike then
means something else for each of them. ``AUCClassifierCV`` has its penalty in each column's
own units, so nothing needs to be scaled; logistic regression needs a ``StandardScaler`` in
front.

The guide: :doc:`/batch`.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV
from aucmax.metrics import auc_difference

X, y = make_classification(
    20_000, 20, n_informative=8, weights=[0.95], class_sep=0.6, random_state=0
)
models = {
    "AUCClassifierCV, raw columns": AUCClassifierCV(),
    "logistic regression, scaled columns": make_pipeline(
        StandardScaler(), LogisticRegression()
    ),
    "logistic regression, raw columns": LogisticRegression(),
}

# %%
# Each column is divided by a power of ten, at random from 1 to as many decades as the axis
# says.

decades = np.arange(7)
powers = np.random.default_rng(0).uniform(0, 1, X.shape[1])
found = {name: [] for name in models}
for spread in decades:
    train, test, y_train, y_test = train_test_split(
        X / 10.0 ** (spread * powers), y, test_size=0.5, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # of logistic regression on raw columns
        scores = {
            name: model.fit(train, y_train).decision_function(test)
            for name, model in models.items()
        }
    for name, score in scores.items():
        found[name].append(
            auc_difference(y_test, score, scores["logistic regression, scaled columns"])
        )

# %%
# The lines of ``AUCClassifierCV`` and of scaled columns are level: no unit changes their
# ranking. Shaded are 95 % intervals of the paired differences.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
colors, places = ["#e4572e", "#4c78a8", "#777777"], [10, -14, 10]
for (name, differences), color, place in zip(found.items(), colors, places, strict=True):
    value, low, high, _ = np.transpose(differences)
    ax.plot(decades, value, "o-", color=color, markersize=4)
    ax.fill_between(decades, low, high, color=color, alpha=0.15, linewidth=0)
    ax.annotate(
        name, (6, value[-1]), (0, place), textcoords="offset points", color=color, ha="right"
    )
ax.set(
    xlabel="decades between the units of the columns",
    ylabel="AUC less that of scaled logistic regression",
)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
