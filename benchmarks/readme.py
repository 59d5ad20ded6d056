"""The picture of the README, and its example on other random data.

    AUCMAX_DATA=... python benchmarks/readme.py run      measure; results go to benchmarks/readme.json
    python benchmarks/readme.py draw                     docs/images/readme.svg from these
    python benchmarks/readme.py example                  the data of the README's code with ten random states

`run`: five random splits of w8a, ijcnn1 and a9a into 80 % and 20 %; at most 20,000 rows are trained on.
Logistic regression has standardised columns and the fastest solver for so few columns; `C`, where it is
tuned, is the best of eight by 5-fold AUC, or by partial AUC up to .05 where that is shown. aucmax has raw
columns. Seconds are processor time of one thread and include the search for the penalty.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from aucmax import AUCClassifier, AUCClassifierCV, OnlineAUCClassifier
from aucmax.metrics import auc, auc_difference, partial_auc

RESULTS = Path(__file__).with_name("readme.json")
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "readme.svg"
DATA = {"w8a": "3 % positive", "ijcnn1": "10 % positive", "a9a": "24 % positive"}
SPLITS, MOST_ROWS, MAX_FPR = 5, 20_000, 0.05
STRENGTHS = np.logspace(-4, 3, 8)
MEASURES = {"AUC": auc, "top": lambda y, score: partial_auc(y, score, MAX_FPR, standardized=True)}
# Name in the legend, colour, marker, and the panels in which it is shown.
MODELS = {
    "logistic": ("logistic regression", "#8a8f98", "o", ("AUC", "top")),
    "logistic tuned": ("logistic regression, tuned", "#8a8f98", "D", ("AUC", "top")),
    "AUCClassifier": ("AUCClassifier", "#3b82f6", "s", ("AUC",)),
    "AUCClassifierCV": ("AUCClassifierCV", "#3b82f6", "P", ("AUC", "top")),
    "max_fpr": ("AUCClassifierCV(max_fpr=0.05)", "#e8590c", "*", ("top",)),
    "online": ("OnlineAUCClassifier, one pass", "#2f9e44", "v", ("AUC", "top")),
}


def logistic_regressions(X, y) -> dict:
    """Scores as functions of test rows, and seconds: default, and tuned for each of the measures."""
    model = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky", max_iter=1000))
    start = time.process_time()
    fitted = {"logistic": dict.fromkeys(MEASURES, clone(model).fit(X, y))}
    seconds = {"logistic": time.process_time() - start}
    scoring = {
        name: lambda model, X, y, measure=measure: measure(y, model.decision_function(X))
        for name, measure in MEASURES.items()
    }
    start = time.process_time()
    grid = {"logisticregression__C": STRENGTHS}
    search = GridSearchCV(model, grid, scoring=scoring, cv=5, refit=False).fit(X, y)
    searched = time.process_time() - start
    fitted["logistic tuned"] = {}
    for name in MEASURES:
        best = STRENGTHS[int(np.argmax(search.cv_results_[f"mean_test_{name}"]))]
        start = time.process_time()
        fitted["logistic tuned"][name] = clone(model).set_params(logisticregression__C=best).fit(X, y)
        seconds["logistic tuned"] = searched + time.process_time() - start
    return {name: (fitted[name], seconds[name]) for name in fitted}


def aucmax_models(X, y) -> dict:
    """The estimators of aucmax, likewise."""
    models = {
        "AUCClassifier": AUCClassifier(n_jobs=1),
        "AUCClassifierCV": AUCClassifierCV(n_jobs=1),
        "max_fpr": AUCClassifierCV(max_fpr=MAX_FPR, n_jobs=1),
        "online": OnlineAUCClassifier(),
    }
    found = {}
    for name, model in models.items():
        clone(model).fit(X[:2000], y[:2000])  # compiles
        start = time.process_time()
        found[name] = (dict.fromkeys(MEASURES, model.fit(X, y)), time.process_time() - start)
    return found


def measure_split(X, y, seed: int) -> dict:
    """Seconds, and both measures on the test rows, of every model."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
    if len(y) > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, stratify=y, random_state=seed)
    result = {}
    for name, (fitted, seconds) in (logistic_regressions(X, y) | aucmax_models(X, y)).items():
        values = {key: MEASURES[key](y_test, fitted[key].decision_function(X_test)) for key in MEASURES}
        result[name] = values | {"seconds": seconds}
    return result


def run() -> None:
    """Measure all splits; those already there are kept."""
    from raw_columns import binary

    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {name: [] for name in DATA}
    for seed in range(SPLITS):
        for name in DATA:
            if len(results[name]) > seed:
                continue
            X, y = binary(name)
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")
                results[name].append(measure_split(X.toarray(), y, seed))
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
            found = {key: round(value["AUC"], 4) for key, value in results[name][-1].items()}
            print(name, seed, found, flush=True)


def mean_and_error(splits: list[dict], model: str, key: str) -> tuple[float, float, float]:
    """Mean seconds, mean of a measure, and the standard error of its difference to tuned logistic regression.

    The splits share rows, for which Nadeau and Bengio's factor makes up.
    """
    values = np.array([found[model][key] for found in splits])
    change = values - [found["logistic tuned"][key] for found in splits]
    error = change.std(ddof=1) * np.sqrt(1 / len(values) + 0.2 / 0.8)
    return float(np.mean([found[model]["seconds"] for found in splits])), float(values.mean()), float(error)


def draw(results: dict) -> None:
    """A column of panels for each measure, a row for each data set."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

    plt.rcParams |= {"svg.hashsalt": "aucmax", "font.size": 12, "svg.fonttype": "none"}
    plt.rcParams |= {"font.family": "sans-serif", "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans"]}
    figure, axes = plt.subplots(len(DATA), 2, figsize=(6.4, 7.4), layout="constrained", sharex="row")
    for row, (name, share) in zip(axes, DATA.items(), strict=True):
        for axis, key in zip(row, MEASURES, strict=True):
            for model, (label, colour, marker, panels) in MODELS.items():
                if key in panels:
                    seconds, value, error = mean_and_error(results[name], model, key)
                    style = {"marker": marker, "color": colour, "markersize": 13 if marker == "*" else 9}
                    hollow = {"markerfacecolor": "none"} if model == "logistic" else {}
                    axis.errorbar(seconds, value, error or None, label=label, linestyle="", **style, **hollow)
            _, tuned, _ = mean_and_error(results[name], "logistic tuned", key)
            axis.axhline(tuned, color="#8a8f98", linewidth=0.8, linestyle=":")
            axis.set_xscale("log")
            axis.margins(x=0.15, y=0.15)
            axis.set_title(f"{name}, {share}" if key == "AUC" else f"{name}, the top", fontsize=12)
            axis.set_ylabel("AUC" if key == "AUC" else f"AUC to {MAX_FPR}")
            axis.yaxis.set_major_locator(MaxNLocator(4))
            axis.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
            axis.xaxis.set_minor_locator(NullLocator())
            axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("seconds of training")
    handles: dict = {}
    for axis in axes.flat:
        handles |= dict(zip(*axis.get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None}, transparent=True)
    plt.close(figure)
    PICTURE.write_text(with_themes(PICTURE.read_text()))


def with_themes(svg: str) -> str:
    """The picture on a ground of its own, which is dark where the reader's screen is."""
    style = (
        "svg{background:#fff;max-width:100%;height:auto}text{fill:#24292f}.ink{stroke:#57606a}"
        "@media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3!important}"
        "[style*='#000000'],[style*='stroke: #000']{stroke:#8b949e!important}}"
    )
    return svg.replace("</style>", f"{style}</style>", 1)


def example() -> None:
    """AUC of AUCClassifierCV less that of logistic regression, C tuned by AUC, on the README's data."""
    differences = []
    for seed in range(10):
        X, y = make_classification(
            40_000,
            n_features=20,
            n_informative=6,
            n_clusters_per_class=4,
            weights=[0.97],
            flip_y=0,
            random_state=seed,
        )
        X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
        search = GridSearchCV(LogisticRegression(max_iter=1000), {"C": STRENGTHS}, scoring="roc_auc").fit(
            X, y
        )
        score = AUCClassifierCV().fit(X, y).decision_function(X_test)
        found = auc_difference(y_test, score, search.decision_function(X_test))
        differences.append(found.difference)
        print(f"random_state={seed}: {found.difference:+.4f} (p = {found.p_value:.2g})", flush=True)
    print(f"mean {np.mean(differences):+.4f}, positive {sum(value > 0 for value in differences)} of 10")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run"]:
            run()
        case ["draw"]:
            draw(json.loads(RESULTS.read_text()))
        case ["example"]:
            example()
        case _:
            sys.exit(__doc__)
