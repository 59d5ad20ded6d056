"""
A stream, killed and resumed
============================

A process learns from a stream and is killed without warning. Another one continues from its last checkpoint,
and ends in the very bits of a run that nothing happened to.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from aucmax import OnlineAUCClassifier
from aucmax.io import load_checkpoint
from aucmax.metrics import auc, auc_difference

X, y = make_classification(80_000, 30, n_informative=12, weights=[0.97], class_sep=0.8, random_state=1)
X_test, y_test, X, y = X[60_000:], y[60_000:], X[:60_000], y[:60_000]

# %%
# The program learns by chunks of 1,000 rows and writes a checkpoint after every 10,000: the state of the
# model, and where it is in the stream. After 37,000 rows it sends itself ``kill -9``, which leaves it no time
# for anything.

PROGRAM = """
import os, signal
import numpy as np
from aucmax import OnlineAUCClassifier
from aucmax.io import save_checkpoint

X, y, X_test, y_test = (np.load(f"{name}.npy", mmap_mode="r") for name in ("X", "y", "X_test", "y_test"))
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
    ended = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True)
    saved = load_checkpoint(Path(folder, "run.ckpt"))
killed = np.array([line.split() for line in ended.stdout.splitlines()], dtype=float)
print(
    f"exit status {ended.returncode} after {killed[-1, 0]:,.0f} rows, last checkpoint at {saved.position:,}"
)

# %%
# This process continues from the checkpoint, and learns from the whole stream without a pause, too.


def learn(model, done):
    """Rows so far and test AUC after each further chunk."""
    for start in range(done, len(y), 1000):
        model.partial_fit(X[start : start + 1000], y[start : start + 1000], classes=[0, 1])
        yield start + 1000, model.score(X_test, y_test)


model = OnlineAUCClassifier()
whole, resumed = (np.array(list(learn(*start))) for start in ((model, 0), (saved.model, saved.position)))
print("every weight has the same bits:", np.array_equal(model.coef_, saved.model.coef_))

# %%
# The rows after the last checkpoint are learnt from again, and give the same numbers again. Averaged SGD with
# the logistic loss, on scaled columns, saw the same stream without a pause.

scaler = StandardScaler().fit(X)
sgd, peer = SGDClassifier(loss="log_loss", average=True, random_state=0), []
for rows in np.split(np.arange(60_000), 60):
    sgd.partial_fit(scaler.transform(X[rows]), y[rows], classes=[0, 1])
    peer.append(auc(y_test, sgd.decision_function(scaler.transform(X_test))))
found = auc_difference(
    y_test, model.decision_function(X_test), sgd.decision_function(scaler.transform(X_test))
)
print(f"AUC less that of averaged SGD: {found.difference:.3f} ({found.low:.3f} to {found.high:.3f})")

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.plot(whole[:, 0], peer, color="#4c78a8", label="averaged SGD, logistic loss")
ax.plot(*whole.T, color="#999999", linewidth=6, alpha=0.5, label="never interrupted")
ax.plot(*killed.T, color="#e4572e", linewidth=2, label="killed after 37,000 rows")
ax.plot(*resumed.T, color="#333333", linewidth=1.5, linestyle="--", label="resumed from row 30,000")
ax.plot(*killed[-1], "X", color="#e4572e", markersize=11)
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.set(xlabel="rows learnt from", ylabel="test AUC", ylim=(whole[-1, 1] - 0.05, whole[-1, 1] + 0.01))
ax.legend(frameon=False, loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
