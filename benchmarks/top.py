"""The top of the list: partial AUC and average precision beside logistic regression tuned for the same.

    AUCMAX_DATA=... python benchmarks/top.py run [DATA ...] [--splits N]
    AUCMAX_DATA=... python benchmarks/top.py table
    AUCMAX_DATA=... python benchmarks/top.py time [DATA ...]
    AUCMAX_DATA=... python benchmarks/top.py penalty [DATA ...]

`run`: random splits into 80 % and 20 % of every data set with at least 30 positives to test on. Parameters
are chosen by 5-fold cross-validation on the training rows: of logistic regression, plain and with balanced
classes, by the very measure of the column (columns standardised, unit rows for text); of `AUCClassifierCV` by
AUC, or by partial AUC with `max_fpr`. At most 20,000 rows and 3 million numbers are trained on. Results are
kept in the folder of temporary files, one file a set, so that a run can be continued.
`table`: means over the splits of all sets run so far, with differences to the better of the two logistic
regressions (by the mean of each set) and to the plain one, on all sets and on every other one.
`time`: processor time, one thread, of a fit with push 4 beside push 1, and of the search by partial AUC
(13 values of l2, 4 pushes) beside the search by AUC.
`penalty`: partial AUC up to .05 in cross-validation that multiples of the default l2 lose against the best
one, for each push: the default is well chosen where the least is lost near 1.
"""

import argparse
import json
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from datasets import TEXT, load, names
from raw_columns import STRENGTHS, binary
from scipy import sparse
from scipy.stats import wilcoxon
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler, normalize
from timing import shortest

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.metrics import partial_auc

COPIES = ("heart_scale", "australian_scale")
TEST_POSITIVES = 30
MOST_ROWS, MOST_CELLS, TUNING_CELLS = 20_000, 3e6, 1e6
MEASURES = {
    "pAUC .05": lambda y, score: partial_auc(y, score, 0.05, standardized=True),
    "pAUC .01": lambda y, score: partial_auc(y, score, 0.01, standardized=True),
    "AP": average_precision_score,
}
MAX_FPR = {"pAUC .05": 0.05, "pAUC .01": 0.01, "AP": 0.05}
MODELS = ("LR", "LR balanced", "AUC", "max_fpr")
FOLDER = Path(tempfile.gettempdir()) / "aucmax-benchmarks" / "top"


def size(X) -> int:
    return X.nnz if sparse.issparse(X) else X.size


def sample(X, y, cells: float, seed: int):
    """A part of the rows, stratified by class, with at most so many numbers."""
    share = min(MOST_ROWS / len(y), cells / size(X))
    if share >= 1.0:
        return X, y
    X, _, y, _ = train_test_split(X, y, train_size=share, stratify=y, random_state=seed)
    return X, y


def logistic_regressions(X, y, seed: int, weight):
    """Logistic regression with the best C for each measure."""
    scaler = FunctionTransformer() if sparse.issparse(X) else StandardScaler()
    model = make_pipeline(scaler, LogisticRegression(max_iter=1000, class_weight=weight))
    scoring = {
        name: lambda model, X, y, measure=measure: measure(y, model.decision_function(X))
        for name, measure in MEASURES.items()
    }
    grid = {"logisticregression__C": STRENGTHS}
    search = GridSearchCV(model, grid, scoring=scoring, cv=5, refit=False)
    search.fit(*sample(X, y, TUNING_CELLS, seed))
    best = {name: int(np.argmax(search.cv_results_[f"mean_test_{name}"])) for name in MEASURES}
    fits = {
        k: clone(model).set_params(logisticregression__C=STRENGTHS[k]).fit(X, y) for k in set(best.values())
    }
    return {name: fits[k] for name, k in best.items()}


def measure_split(X, y, seed: int) -> dict:
    """Each measure of each model on the test rows of one split, and the pushes chosen."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
    X, y = sample(X, y, MOST_CELLS, seed)
    plain = AUCClassifierCV(n_jobs=1).fit(X, y)
    by_rate = {rate: AUCClassifierCV(max_fpr=rate, n_jobs=1).fit(X, y) for rate in set(MAX_FPR.values())}
    peers = {weight: logistic_regressions(X, y, seed, weight) for weight in (None, "balanced")}
    found: dict = {"pushes": [by_rate[rate].push_ for rate in sorted(by_rate)]}
    for name, measure in MEASURES.items():
        models = (peers[None][name], peers["balanced"][name], plain, by_rate[MAX_FPR[name]])
        found[name] = [measure(y_test, model.decision_function(X_test)) for model in models]
    return found


def usable(chosen: list[str]) -> list[str]:
    return [name for name in names() if name not in COPIES and (not chosen or name in chosen)]


def run(chosen: list[str], splits: int) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in usable(chosen):
        kept = FOLDER / f"{name}.json"
        found = json.loads(kept.read_text()) if kept.exists() else []
        X, y = binary(name)
        if 0.2 * y.sum() < TEST_POSITIVES:
            continue
        X = normalize(sparse.csr_array(X)) if name in TEXT else X.toarray()
        start = time.perf_counter()
        for seed in range(len(found), splits):
            found.append(measure_split(X, y, seed))
            kept.write_text(json.dumps(found))
        seconds = time.perf_counter() - start
        means = [np.mean([split[measure] for split in found], axis=0) for measure in MEASURES]
        row = "".join("  " + "".join(f"{value:8.4f}" for value in mean) for mean in means)
        pushes = np.mean([split["pushes"] for split in found], axis=0)
        print(f"{name:<20}{y.mean():6.3f}{row}  pushes {pushes.round(1)} {seconds:.0f} s", flush=True)


def table(*_) -> None:
    kept = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
    for measure in MEASURES:
        means = {name: np.mean([split[measure] for split in found], axis=0) for name, found in kept.items()}
        print(f"\n== {measure}\n{'data':<20}" + "".join(f"{model:>12}" for model in MODELS) + f"{'gain':>9}")
        for name, mean in means.items():
            print(f"{name:<20}" + "".join(f"{value:12.4f}" for value in mean) + f"{mean[3] - mean[0]:+9.4f}")
        every = np.array(list(means.values()))
        for part, values in (("all", every), ("even", every[::2]), ("odd", every[1::2])):
            summarise(f"{part}: AUC - LR", values[:, 2] - values[:, 0])
            summarise(f"{part}: max_fpr - LR", values[:, 3] - values[:, 0])
            summarise(f"{part}: max_fpr - LR balanced", values[:, 3] - values[:, 1])
            summarise(f"{part}: max_fpr - better LR", values[:, 3] - values[:, :2].max(axis=1))
            summarise(f"{part}: max_fpr - AUC", values[:, 3] - values[:, 2])


def summarise(what: str, gains: np.ndarray) -> None:
    chance = wilcoxon(gains, alternative="greater").pvalue if len(gains) > 5 else np.nan
    row = f"{what:<30} {len(gains)} sets, mean {gains.mean():+.4f}, worst {gains.min():+.4f}"
    print(f"{row}, better on {np.mean(gains > 0):.0%}, Wilcoxon p = {chance:.2g}")


def timing(chosen: list[str], _) -> None:
    head = f"{'data':<16}{'rows':>8}{'fit, p=1':>10}{'p=4':>8}{'ratio':>7}"
    print(head + f"{'search':>10}{'max_fpr':>9}{'ratio':>7}")
    for name in chosen or ["a9a", "w8a", "ijcnn1", "magic04", "usps", "covtype"]:
        data = load(name)
        X, y = sample(data.X, data.y, np.inf, 0)
        models = AUCClassifier(), AUCClassifier(push=4.0), AUCClassifierCV(), AUCClassifierCV(max_fpr=0.05)
        fits = {k: partial(model.set_params(n_jobs=1).fit, X, y) for k, model in enumerate(models)}
        plain, pushed, search, by_rate = shortest(fits, 3, time.process_time).values()
        row = f"{name:<16}{len(y):8d}{plain:10.3f}{pushed:8.3f}{pushed / plain:7.2f}"
        print(f"{row}{search:10.2f}{by_rate:9.2f}{by_rate / search:7.2f}", flush=True)


def penalty(chosen: list[str], _) -> None:
    factors = np.logspace(-1.5, 1.5, 7)
    print(f"{'push':<6}" + "".join(f"{factor:8.2f}" for factor in factors) + "   in units of 1e-4")
    for push in (1.0, 2.0, 4.0, 8.0):
        lost = []
        for name in chosen or ["ijcnn1", "magic04", "svmguide3", "splice", "satimage.scale", "diabetes"]:
            data = load(name)
            X, y = sample(data.X, data.y, MOST_CELLS, 0)
            default = AUCClassifier(push=push, n_jobs=1).fit(X, y).l2_
            model = AUCClassifierCV(l2s=default * factors, max_fpr=0.05, pushes=[push], n_jobs=1).fit(X, y)
            mean = model.scores_.mean(axis=1)
            lost.append(mean.max() - mean)
        row = "".join(f"{value:8.1f}" for value in 1e4 * np.mean(lost, axis=0))
        print(f"{push:<6g}{row}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sections = {"run": run, "table": table, "time": timing, "penalty": penalty}
    parser.add_argument("section", choices=sections)
    parser.add_argument("sets", nargs="*", help="names of data sets; all where none is given")
    parser.add_argument("--splits", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sections[options.section](options.sets, options.splits)


if __name__ == "__main__":
    main()
