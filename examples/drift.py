"""Concept drift: a stream whose true weights change halfway, learnt with and without ``half_life``.

    python examples/drift.py [--out drift.png]

Each chunk is scored before it is learnt from, so the curves are prequential AUC, chunk by chunk.
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np

from aucmax.metrics import auc
from aucmax.streaming.estimator import OnlineAUCClassifier

matplotlib.use("Agg")
from matplotlib import pyplot as plt

ROWS, CHUNK, FEATURES, HALF_LIVES = 60_000, 500, 20, (None, 5000, 500)


def stream(seed=0):
    """Chunks of raw rows and labels; after half of the rows other true weights apply."""
    rng = np.random.default_rng(seed)
    scale, weights = np.logspace(-2, 2, FEATURES), rng.normal(size=(2, FEATURES))
    for start in range(0, ROWS, CHUNK):
        Z = rng.normal(size=(CHUNK, FEATURES))
        score = Z @ weights[int(start >= ROWS // 2)]
        yield Z * scale + 10.0, (score + 2.0 * rng.normal(size=CHUNK) > 4.0).astype(int)


def prequential(half_life):
    """AUC of each chunk before it is learnt from, from the second on."""
    model, curve = OnlineAUCClassifier(half_life=half_life), []
    for k, (X, y) in enumerate(stream()):
        if k:
            curve.append(auc(y, model.decision_function(X)))
        model.partial_fit(X, y)
    return np.array(curve)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("drift.png"))
    args = parser.parse_args()
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    rows = CHUNK * np.arange(1, ROWS // CHUNK)
    for half_life in HALF_LIVES:
        curve = prequential(half_life)
        smooth = np.convolve(curve, np.ones(5) / 5, mode="valid")
        axes.plot(rows[4:], smooth, label=f"half_life={half_life}")
        before, after = curve[len(curve) // 4 : len(curve) // 2 - 1].mean(), curve[-len(curve) // 4 :].mean()
        print(
            f"half_life={half_life!s:5} AUC before the change {before:.3f}, in the last quarter {after:.3f}"
        )
    axes.axvline(ROWS // 2, color="grey", linewidth=1, linestyle=":")
    axes.set(xlabel="rows", ylabel="prequential AUC", ylim=(0.4, 1.0))
    axes.legend(loc="lower left")
    figure.savefig(args.out, dpi=120)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
