"""``aucmax demo``: the main job on data that need no download, in a few seconds."""

import time
from collections.abc import Iterator
from typing import Annotated, Any, TextIO

import typer

from .. import rendering
from ..evaluation import logistic_regression
from ..options import Debug, Json, Seed
from ..progress import spinner
from .compare import measured

EPILOG = "\b\nExample:\n  aucmax demo --rows 200000"
CHUNK = 10_000
HELD_OUT = 100_000
HALVES = 20

Rows = Annotated[int, typer.Option(metavar="N", min=CHUNK, help="Length of the generated stream.")]


def run(rows: Rows = 1_000_000, seed: Seed = 0, json: Json = False, debug: Debug = False) -> None:
    """Rank rare positives beside logistic regression: a small table in memory, then a long stream."""
    with spinner("fitting ..."):
        result = {"table": in_memory(seed), "stream": from_stream(rows, seed)}
    rendering.emit(result, json, show, None)


def in_memory(seed: int) -> dict[str, Any]:
    """scikit-learn's breast cancer data with one malignant case (the positives) in ten, halved many times."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import StratifiedShuffleSplit
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import aucmax

    X, benign = load_breast_cancer(return_X_y=True)
    malignant = np.random.default_rng(seed).permutation(np.flatnonzero(benign == 0))[:40]
    keep = np.sort(np.r_[np.flatnonzero(benign), malignant])
    X, y = X[keep], 1 - benign[keep]
    halves = list(StratifiedShuffleSplit(HALVES, test_size=0.5, random_state=seed).split(X, y))
    models = {
        "AUCClassifier": make_pipeline(StandardScaler(), aucmax.AUCClassifier()),
        "AUCClassifierCV": make_pipeline(StandardScaler(), aucmax.AUCClassifierCV()),
        "logistic regression": logistic_regression(X),
    }
    lines = {name: measured(model, X, y, halves) for name, model in models.items()}
    return {"rows": len(y) // 2, "positives": int(y.sum()) // 2, "models": lines}


def from_stream(n_rows: int, seed: int) -> dict[str, Any]:
    """Generated rows in chunks, one pass, about 2 % positive; the first ones are held out."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.linear_model import SGDClassifier

    import aucmax

    from ...metrics import auc_interval

    chunks = generated(HELD_OUT + n_rows, seed)
    held = [next(chunks) for _ in range(HELD_OUT // CHUNK)]
    X_test, y_test = (np.concatenate(column) for column in zip(*held, strict=True))
    models = {
        "OnlineAUCClassifier": aucmax.OnlineAUCClassifier(),
        "SPAM": aucmax.SPAM(),
        "SOLAM": aucmax.SOLAM(),
        "logistic regression by SGD": SGDClassifier(loss="log_loss", average=True, random_state=seed),
    }
    for model in models.values():
        clone(model).partial_fit(*held[0], classes=[0, 1])  # may compile, off the clock
    seconds = dict.fromkeys(models, 0.0)
    for X, y in chunks:
        for name, model in models.items():
            start = time.perf_counter()
            model.partial_fit(X, y, classes=[0, 1])
            seconds[name] += time.perf_counter() - start
    lines = {
        name: auc_interval(y_test, model.decision_function(X_test))._asdict() | {"seconds": seconds[name]}
        for name, model in models.items()
    }
    return {"rows": n_rows, "test_rows": HELD_OUT, "test_positives": int(y_test.sum()), "models": lines}


def generated(n_rows: int, seed: int, n_features: int = 30) -> Iterator[tuple[Any, Any]]:
    """Chunks of rows whose labels follow a logistic law."""
    import numpy as np

    rng = np.random.default_rng(seed)
    w = rng.normal(size=n_features) / np.sqrt(n_features)
    for start in range(0, n_rows, CHUNK):
        X = rng.normal(size=(min(CHUNK, n_rows - start), n_features))
        yield X, (rng.random(len(X)) < 1 / (1 + np.exp(5.0 - 2.0 * X @ w))).astype(int)


def show(result: dict[str, Any], stream: TextIO) -> None:
    """The result for people."""
    table, flow = result["table"], result["stream"]
    share = table["positives"] / table["rows"]
    print(
        f"Breast cancer, made rare: {table['rows']} rows to learn from, {100 * share:.0f} % malignant",
        file=stream,
    )
    rows = [
        [name, f"{found['auc']:.4f} ± {found['std']:.4f}", f"{found['seconds']:.3f}"]
        for name, found in table["models"].items()
    ]
    rendering.table([f"mean of {HALVES} random halves", "test AUC", "seconds"], rows, stream)
    print("The classes are nearly separable: all rank alike. The stream is harder.", file=stream)
    share = flow["test_positives"] / flow["test_rows"]
    print(
        f"\nA stream of {flow['rows']:,} rows in chunks of {CHUNK:,}, one pass, {100 * share:.1f} % positive",
        file=stream,
    )
    rows = [
        [name, *rendering.interval(found), f"{found['seconds']:.3f}"]
        for name, found in flow["models"].items()
    ]
    rendering.table(["", "test AUC", "95 % interval", "seconds"], rows, stream)
