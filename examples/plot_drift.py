"""
A stream that drifts
====================

Half-way through a stream other weights become true, as when fraudsters change their habits. A
model that remembers everything is slow to follow; with ``half_life`` a row counts half after
so many rows. Each chunk is scored before it is learnt from, so the curves are honest at every
point.

The guide: :doc:`/online`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import OnlineAUCClassifier
from aucmax.metrics import auc

ROWS, CHUNK, FEATURES = 60_000, 500, 20


def stream():
    """Chunks of rows in wild units; after half of them the true weights change."""
    rng = np.random.default_rng(0)
    units, weights = np.logspace(-2, 2, FEATURES), rng.normal(size=(2, FEATURES))
    for start in range(0, ROWS, CHUNK):
        Z = rng.normal(size=(CHUNK, FEATURES))
        score = Z @ weights[int(start >= ROWS // 2)]
        yield Z * units + 10.0, score + 2.0 * rng.normal(size=CHUNK) > 5.0


class ScaledSGD:
    """Averaged SGD behind a scaler that was fitted to the first chunk."""

    def partial_fit(self, X, y, classes):
        if not hasattr(self, "model"):
            self.scaler = StandardScaler().fit(X)
            self.model = SGDClassifier(loss="log_loss", average=True, random_state=0)
        self.model.partial_fit(self.scaler.transform(X), y, classes=classes)

    def decision_function(self, X):
        return make_pipeline(self.scaler, self.model).decision_function(X)


# %%
# Averaged SGD is scikit-learn's, with the logistic loss.

models = {
    "half_life=5000": OnlineAUCClassifier(half_life=5000),
    "half_life=500": OnlineAUCClassifier(half_life=500),
    "no half_life": OnlineAUCClassifier(),
    "averaged SGD": ScaledSGD(),
}
curves = {name: [] for name in models}
for k, (X, y) in enumerate(stream()):
    for name, model in models.items():
        if k:
            curves[name].append(auc(y, model.decision_function(X)))
        model.partial_fit(X, y, classes=[False, True])

# %%
# Without ``half_life`` the rows before the change count as much as those after it.

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
colors = ["#e4572e", "#b8860b", "#333333", "#4c78a8"]
for (name, curve), color, shift in zip(
    curves.items(), colors, [0.01, -0.02, 0, 0], strict=True
):
    smooth = np.convolve(curve, np.ones(5) / 5, mode="valid")  # mean of five chunks
    rows = ROWS - CHUNK * np.arange(len(smooth))[::-1]
    ax.plot(rows, smooth, color=color, linewidth=1.6)
    ax.text(ROWS + 600, smooth[-1] + shift, name, color=color, va="center")
    before, after = np.mean(curve[29:59]), np.mean(curve[-30:])
    print(f"{name:15} before the change {before:.3f}, in the last quarter {after:.3f}")
ax.axvline(ROWS // 2, color="#999999", linewidth=1, linestyle=":")
ax.text(ROWS // 2, 1.0, " the weights change", color="#777777", va="top")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.set(xlabel="rows", ylabel="AUC of a chunk before it is learnt from", ylim=(0.4, 1.0))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
