"""
A scorecard with curves
=======================

Risk does not rise in a straight line with age or income. ``aucmax train --curves`` gives each
number a smooth curve, keeps the curves if they have the higher AUC in cross-validation, and
the model stays a sum of one contribution for each column: a scorecard.

The guide: :doc:`/columns`.
"""

import subprocess
import sys
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucmax.io import column_curve, load_model


def make_loans(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 80, n), "income": np.exp(rng.normal(7.8, 0.5, n)).round()}
    )
    frame["debt"] = rng.gamma(1.5, 4000.0, n).round()
    frame["months"] = rng.choice(np.arange(6, 85, 6), n)
    odds = (
        0.002 * (frame["age"] - 48) ** 2
        + 3.0 * np.exp(-frame["income"] / 1500)
        + 0.012 * frame["months"]
    )
    odds += 1.6 * np.tanh(frame["debt"] / 8000) - 5.8
    return frame.assign(
        default=np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
    )


loans = make_loans(6000, seed=0)

# %%
# ``train`` says what it kept, and shows the AUC with its interval beside that of logistic
# regression.

command = "aucmax train loans.csv --label default --curves -o model.auc"
with TemporaryDirectory() as folder:
    loans.to_csv(f"{folder}/loans.csv", index=False)
    ended = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=folder, capture_output=True, text=True
    )
    print(f"$ {command}\n{ended.stdout}{ended.stderr if ended.returncode else ''}")
    encoder, model = load_model(f"{folder}/model.auc")

# %%
# What each value of a column adds to the score. Ticks at the bottom: a sample of the training
# rows.

figure, axes = plt.subplots(1, 4, figsize=(11, 3.2), sharey=True, layout="constrained")
for ax, column in zip(axes, ["age", "income", "debt", "months"], strict=True):
    x, points = column_curve(encoder.encoding_, model.coef_[0], column)
    ax.plot(x, points, color="#e4572e", linewidth=2)
    ax.axhline(0, color="#999999", linewidth=0.8, linestyle=":")
    ax.plot(
        loans[column][::20],
        np.full(300, 0.02),
        "|",
        color="#4c78a8",
        alpha=0.4,
        transform=ax.get_xaxis_transform(),
    )
    ax.set(xlabel=column, xlim=(x[0], np.quantile(loans[column], 0.995)))
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("added to the score")
plt.show()
