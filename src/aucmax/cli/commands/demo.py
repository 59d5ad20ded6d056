"""``aucmax demo``: AUC maximisation compared with logistic regression, on data that need no download."""

import time
from collections.abc import Iterator
from typing import Annotated, Any, TextIO

from ..evaluation import cross_validate, logistic_regression
from ..options import Json, Seed, whole_option
from ..progress import Step, compile_notice
from ..rendering import interval_cells, print_result, print_table

EPILOG = "\b\nExample:\n  aucmax demo --rows 200000"
CHUNK = 10_000
N_TEST = 100_000
N_SPLITS = 20
RARE_POSITIVES = 40

Rows = Annotated[int, whole_option(CHUNK, "Length of the generated stream.")]


def run(rows: Rows = 1_000_000, seed: Seed = 0, json: Json = False) -> None:
    """Compare with logistic regression on a small table and on a long generated stream."""
    with compile_notice(json), Step("fitting"):
        result = {"table": compare_on_table(seed), "stream": compare_on_stream(rows, seed)}
    print_result(result, json, show)


def compare_on_table(seed: int) -> dict[str, Any]:
    """Random halves of scikit-learn's breast cancer data, with one malignant (positive) case in ten."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import StratifiedShuffleSplit

    import aucmax

    X, benign = load_breast_cancer(return_X_y=True)
    malignant = np.random.default_rng(seed).permutation(np.flatnonzero(benign == 0))[:RARE_POSITIVES]
    keep = np.sort(np.r_[np.flatnonzero(benign), malignant])
    X, y = X[keep], 1 - benign[keep]
    halves = list(StratifiedShuffleSplit(N_SPLITS, test_size=0.5, random_state=seed).split(X, y))
    models = {
        "AUCClassifier": aucmax.AUCClassifier(),
        "AUCClassifierCV": aucmax.AUCClassifierCV(),
        "logistic regression": logistic_regression(X),
    }
    results = {name: cross_validate(model, X, y, halves) for name, model in models.items()}
    return {"rows": len(y) // 2, "positives": int(y.sum()) // 2, "models": results}


def compare_on_stream(n_rows: int, seed: int) -> dict[str, Any]:
    """One pass over generated chunks with about 2 % positive rows; the first chunks are the test set."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.linear_model import SGDClassifier

    import aucmax

    from ...metrics import auc_interval

    chunks = generate_chunks(N_TEST + n_rows, seed)
    test = [next(chunks) for _ in range(N_TEST // CHUNK)]
    X_test, y_test = (np.concatenate(column) for column in zip(*test, strict=True))
    models = {
        "OnlineAUCClassifier": aucmax.OnlineAUCClassifier(),
        "SPAM": aucmax.SPAM(),
        "SOLAM": aucmax.SOLAM(),
        "logistic regression by SGD": SGDClassifier(loss="log_loss", average=True, random_state=seed),
    }
    for model in models.values():
        clone(model).partial_fit(*test[0], classes=[0, 1])  # compiles before the time is measured
    seconds = dict.fromkeys(models, 0.0)
    for X, y in chunks:
        for name, model in models.items():
            start = time.perf_counter()
            model.partial_fit(X, y, classes=[0, 1])
            seconds[name] += time.perf_counter() - start
    results = {
        name: auc_interval(y_test, model.decision_function(X_test))._asdict() | {"seconds": seconds[name]}
        for name, model in models.items()
    }
    return {"rows": n_rows, "test_rows": N_TEST, "test_positives": int(y_test.sum()), "models": results}


def generate_chunks(n_rows: int, seed: int, n_features: int = 30) -> Iterator[tuple[Any, Any]]:
    """Chunks of Gaussian rows whose labels follow a logistic model."""
    import numpy as np

    rng = np.random.default_rng(seed)
    w = rng.normal(size=n_features) / np.sqrt(n_features)
    for start in range(0, n_rows, CHUNK):
        X = rng.normal(size=(min(CHUNK, n_rows - start), n_features))
        yield X, (rng.random(len(X)) < 1 / (1 + np.exp(5.0 - 2.0 * X @ w))).astype(int)


def show(result: dict[str, Any], stream: TextIO) -> None:
    """Print the result as text."""
    table, chunks = result["table"], result["stream"]
    share = 100 * table["positives"] / table["rows"]
    print(
        f"Breast cancer with few positives: {table['rows']} training rows, {share:.0f} % malignant",
        file=stream,
    )
    rows = [
        [name, f"{found['auc']:.4f} ± {found['std']:.4f}", f"{found['seconds']:.3f}"]
        for name, found in table["models"].items()
    ]
    print_table([f"mean of {N_SPLITS} random halves", "test AUC", "seconds"], rows, stream)
    print("The classes are nearly separable, so all models rank alike. The stream is harder.", file=stream)
    share = 100 * chunks["test_positives"] / chunks["test_rows"]
    size = f"{chunks['rows']:,} rows in chunks of {CHUNK:,}"
    print(f"\nA stream of {size}, one pass, {share:.1f} % positive", file=stream)
    rows = [
        [name, *interval_cells(found), f"{found['seconds']:.3f}"] for name, found in chunks["models"].items()
    ]
    print_table(["", "test AUC", "95 % interval", "seconds"], rows, stream)
