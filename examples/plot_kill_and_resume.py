"""
A stream, killed and resumed
============================

A process learns from a stream and is killed without warning. Another one continues from its
last checkpoint, and ends in the very bits of a run that nothing happened to.

The guide: :doc:`/online`.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import scale

from aucmax import OnlineAUCClassifier
from aucmax.io import load_checkpoint
from aucmax.metrics import auc, auc_difference

X, y = make_classification(
    80_000, 30, n_informative=12, weights=[0.97], class_sep=0.8, random_state=1
)
X = scale(X)  # for SGD; ours takes raw columns
X, X_test, y, y_test = X[:60_000], X[60_000:], y[:60_000], y[60_000:]

# %%
# The program learns by chunks of 1,000 rows and writes a checkpoint after every 10,000: the
# state of the model, and where it is in the stream. After 37,000 rows it sends itself ``kill
# -9``, which leaves it no time for anything.

PROGRAM = """
import os, signal
import numpy as np
from aucmax import OnlineAUCClassifier
from aucmax.io import save_checkpoint

X, y, X_test, y_test = map(np.load, ["X.npy", "y.npy", "X_test.npy", "y_test.npy"])
model = OnlineAUCClassifier()
for done in range(1000, len(y) + 1, 1000):
    model.partial_fit(X[done - 1000 : done], y[done - 1000 : done], classes=[0, 1])
    print(done, model.score(X_test, y_test), flush=True)
    if done % 10_000 == 0:
        save_checkpoint(model, "run.ckpt", position=done)
    if done == 37_000:
        os.kill(os.getpid(), signal.SIGKILL)
"""

with TemporaryDirectory() as folder:
    for name, array in {"X": X, "y": y, "X_test": X_test, "y_test": y_test}.items():
        np.save(Path(folder, name), array)
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    saved = load_checkpoint(Path(folder, "run.ckpt"))
killed = np.array([line.split() for line in ended.stdout.splitlines()], dtype=float)
print(f"exit status {ended.returncode} after {killed[-1, 0]:,.0f} rows")
print(f"last checkpoint after {saved.position:,} rows")

# %%
# This process continues from the checkpoint. It also learns from the whole stream without a
# pause, and so does averaged SGD with the logistic loss.


def learn(model, done=0):
    """Rows so far and test AUC, after each further chunk."""
    curve = []
    for start in range(done, len(y), 1000):
        model.partial_fit(X[start : start + 1000], y[start : start + 1000], classes=[0, 1])
        curve.append([start + 1000, auc(y_test, model.decision_function(X_test))])
    return np.transpose(curve)


sgd = SGDClassifier(loss="log_loss", average=True, random_state=0)
model = OnlineAUCClassifier()
whole, peer, resumed = learn(model), learn(sgd), learn(saved.model, saved.position)
print("every weight has the same bits:", np.array_equal(model.coef_, saved.model.coef_))
found = auc_difference(y_test, model.decision_function(X_test), sgd.decision_function(X_test))
print(f"less averaged SGD: {found.difference:.3f} ({found.low:.3f} to {found.high:.3f})")

# %%
# The rows after the last checkpoint are learnt from again, and give the same numbers again.

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.plot(*peer, color="#4c78a8", label="averaged SGD, logistic loss")
ax.plot(*whole, color="#999999", linewidth=6, alpha=0.5, label="never interrupted")
ax.plot(*killed.T, color="#e4572e", linewidth=2, label="killed after 37,000 rows")
ax.plot(*resumed, "--", color="#333333", label="resumed from row 30,000")
ax.plot(*killed[-1], "X", color="#e4572e", markersize=11)
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.set(xlabel="rows learnt from", ylabel="test AUC", ylim=(0.78, 0.85))
ax.legend(frameon=False, loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
