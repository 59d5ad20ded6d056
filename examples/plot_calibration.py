"""
Probabilities
=============

A model that maximises AUC gives scores; ``AUCClassifierCV`` turns them into probabilities
with the held-out rows of its folds, without a further fit. Class weights, often given to
logistic regression for rare positives, spoil its probabilities.

The guide: :doc:`/probabilities`.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from aucmax import AUCClassifierCV, plot
from aucmax.metrics import auc_interval

X, y = make_classification(
    40_000,
    n_informative=6,
    n_clusters_per_class=3,
    weights=[0.9],
    class_sep=1.2,
    random_state=3,
)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, test_size=0.5, random_state=0)
models = {
    "AUCClassifierCV": AUCClassifierCV(),
    "logistic regression": LogisticRegression(),
    "balanced class weights": LogisticRegression(class_weight="balanced"),
}

# %%
# The share of positives among test rows of about the same probability should be that
# probability: on the dotted line. Bars are 95 % intervals. AUC does not see the difference,
# since it looks at the order only; log-loss does.

figure, ax = plt.subplots(figsize=(6.5, 6), layout="constrained")
colors = dict(zip(models, ["#e4572e", "#4c78a8", "#999999"], strict=True))
for name, model in models.items():
    probability = model.fit(X, y).predict_proba(X_test)[:, 1]
    area = auc_interval(y_test, probability)
    print(f"{name:30} AUC {area.auc:.3f} ({area.low:.3f} to {area.high:.3f}), ", end="")
    print(f"log-loss {log_loss(y_test, probability):.3f}, mean {probability.mean():.3f}")
    plot.calibration(y_test, probability, ax, label=name, color=colors[name])
plt.show()
