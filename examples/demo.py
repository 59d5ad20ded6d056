"""Rare positives, ranked: the models of this package beside logistic regression, with AUC and times.

    python examples/demo.py [--rows 1000000]
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

import aucmax
from aucmax.metrics import auc_interval


def rare_cancer(seed=0):
    """scikit-learn's breast cancer data with one malignant case (the positives) in ten."""
    X, benign = load_breast_cancer(return_X_y=True)
    y = np.where(benign, "benign", "malignant")
    rng = np.random.default_rng(seed)
    malignant = rng.permutation(np.flatnonzero(y == "malignant"))[:40]
    keep = np.sort(np.r_[np.flatnonzero(y == "benign"), malignant])
    return train_test_split(X[keep], y[keep], test_size=0.5, stratify=y[keep], random_state=seed)


def stream(n_rows, n_features=30, chunk=10_000, seed=0):
    """Chunks of rows of which about 2 % are positive, by a logistic law."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=n_features) / np.sqrt(n_features)
    for start in range(0, n_rows, chunk):
        X = rng.normal(size=(min(chunk, n_rows - start), n_features))
        yield X, (rng.random(len(X)) < 1 / (1 + np.exp(5.0 - 2.0 * X @ w))).astype(int)


def batch_part():
    X, X_test, y, y_test = rare_cancer()
    print(f"Breast cancer, made rare: {len(y)} rows to learn from, {np.mean(y == 'malignant'):.0%} malignant")
    print(f"{'':34}{'test AUC':>9}   {'95 % interval':15}{'seconds':>8}")
    models = {
        "LogisticRegression": LogisticRegression(),
        "aucmax.SOLAM": make_pipeline(Normalizer(), aucmax.SOLAM(random_state=0)),
        "aucmax.SPAM": make_pipeline(Normalizer(), aucmax.SPAM(random_state=0)),
    }
    for name, model in models.items():
        pipeline = make_pipeline(StandardScaler(), model)
        pipeline.fit(X, y)  # the first fit of a method may compile: time the second
        start = time.perf_counter()
        pipeline.fit(X, y)
        seconds = time.perf_counter() - start
        found = auc_interval(y_test == "malignant", pipeline.decision_function(X_test))
        print(f"{name:34}{found.auc:9.4f}   {found.low:.4f} - {found.high:.4f}{seconds:8.3f}")


def stream_part(n_rows):
    held_X, held_y = next(stream(100_000, chunk=100_000, seed=0))
    print(f"\nA stream of {n_rows:,} rows in chunks of 10,000, one pass, {held_y.mean():.1%} positive")
    print(f"{'':34}{'test AUC':>9}{'seconds':>26}")
    models = {
        "SGDClassifier(log_loss, average)": SGDClassifier(loss="log_loss", average=True, random_state=0),
        "aucmax.SOLAM": aucmax.SOLAM(),
        "aucmax.SPAM": aucmax.SPAM(),
    }
    seconds = dict.fromkeys(models, 0.0)
    chunks = stream(n_rows + 100_000)
    for _ in range(10):  # these rows are the held-out ones
        next(chunks)
    for X, y in chunks:
        for name, model in models.items():
            start = time.perf_counter()
            model.partial_fit(X, y, classes=[0, 1])
            seconds[name] += time.perf_counter() - start
    for name, model in models.items():
        found = auc_interval(held_y, model.decision_function(held_X)).auc
        print(f"{name:34}{found:9.4f}{seconds[name]:26.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="length of the stream")
    options = parser.parse_args()
    batch_part()
    stream_part(options.rows)
