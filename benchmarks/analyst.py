"""An analyst's raw tables: `aucmax train` without a word about columns, against a pipeline made by hand.

    AUCMAX_DATA=FOLDER python benchmarks/analyst.py [--rows 8000] [--seeds 3]

loans: generated, with customer numbers, dates, texts with rare values, gaps that tell something, a bend, a
season and a trend; written as Excel does in German (semicolons, decimal commas, dates such as 31.12.2020).
australian, heart: real tables of numbers and categories, the categories as letters; one value in ten of the
numbers is taken out. The pipeline is what a careful user of scikit-learn writes: ID out, dates as days, month
and weekday, median and indicator for gaps, one-hot with rare values together, scaling, and a penalty chosen
by cross-validation. Both are judged on the same rows, which neither has seen.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from datasets import read
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from aucmax import AUCClassifierCV


def loans(n_rows, rng):
    """Loans of which about one in eight is not paid back."""
    income = np.exp(rng.normal(8.0, 0.5, n_rows)).round()
    age = rng.integers(18, 80, n_rows).astype(float)
    start = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 1500, n_rows), unit="D")
    jobs = np.array(["Angestellte", "Beamte", "Selbständige", "Rentner", "ohne"])
    job = jobs[rng.choice(5, n_rows, p=[0.5, 0.1, 0.2, 0.15, 0.05])]
    towns = np.array([f"Ort {k}" for k in range(300)])
    town = towns[np.minimum(rng.geometric(0.03, n_rows) - 1, 299)]
    amount = np.exp(rng.normal(9.0, 0.7, n_rows)).round(2)
    effect = dict(zip(jobs, [0.0, -0.8, 0.5, -0.3, 1.2], strict=True))
    town_effect = dict(zip(towns, rng.normal(0.0, 0.4, 300), strict=True))
    score = (
        -0.8 * (np.log(income) - 8.0)
        + 0.5 * (np.log(amount) - 9.0)
        + 0.0012 * (age - 45.0) ** 2
        + 0.4 * np.isin(start.month, [11, 12])
        + 0.0006 * (start - pd.Timestamp("2019-01-01")).days
        + pd.Series(job).map(effect).to_numpy()
        + pd.Series(town).map(town_effect).to_numpy()
    )
    told = rng.random(n_rows) < 1 / (1 + np.exp(-1.5 * (score - 1.0)))  # who owes more says less
    default = rng.random(n_rows) < 1 / (1 + np.exp(3.2 - score))
    frame = pd.DataFrame({"Kundennummer": rng.permutation(np.arange(100_000, 100_000 + n_rows))})
    frame["Antrag"] = start
    frame["Alter"], frame["Einkommen"], frame["Betrag"] = age, income, amount
    frame["Beruf"], frame["Ort"] = job, town
    frame["Filiale"] = "Nord"
    frame.loc[told, "Einkommen"] = np.nan
    frame.loc[rng.random(n_rows) < 0.03, "Alter"] = np.nan
    frame.loc[rng.random(n_rows) < 0.05, "Beruf"] = None
    frame["Ausfall"] = np.where(default, "ja", "nein")
    return frame, "Ausfall", "ja"


# Columns that are codes, counted from 1, by the documentation of the data sets.
CODES = {"australian": (1, 4, 5, 6, 8, 9, 11, 12), "heart": (2, 3, 6, 7, 9, 11, 13)}


def coded(name, rng):
    """A real table of numbers and categories, in random order, with gaps in the numbers."""
    X, y = read(name)
    order = rng.permutation(len(y))
    X, y = X.toarray()[order], y[order]
    frame = pd.DataFrame({"case": np.arange(len(y))})
    for k, values in enumerate(X.T, start=1):
        if k in CODES[name]:
            frame[f"code {k}"] = [f"c{int(value)}" for value in values]
        else:
            frame[f"x{k}"] = np.where(rng.random(len(y)) < 0.1, np.nan, values)
    frame["label"] = np.where(y > 0, "yes", "no")
    return frame, "label", "yes"


def save(frame, path):
    """As Excel writes it in German."""
    dates = {name: frame[name].dt.strftime("%d.%m.%Y") for name in frame.select_dtypes("datetime")}
    frame.assign(**dates).to_csv(path, sep=";", decimal=",", index=False)


def by_hand(train, test, label, positive, last):
    """AUC on the test rows of a pipeline made by hand."""

    def columns(frame):
        made = frame.drop(columns=[label, *unused])
        for name in dates:
            made[f"{name} days"] = (frame[name] - pd.Timestamp("2019-01-01")).dt.days
            made[f"{name} month"] = frame[name].dt.month_name()
            made[f"{name} weekday"] = frame[name].dt.day_name()
        return made.fillna(dict.fromkeys(made.select_dtypes(exclude="number"), "?"))

    dates = list(train.select_dtypes("datetime"))
    unused = [*dates, *(name for name in ("Kundennummer", "Filiale", "case") if name in train)]
    made = columns(train)
    numbers = list(made.select_dtypes("number"))
    fill = SimpleImputer(strategy="median", add_indicator=True)
    encode = make_column_transformer(
        (make_pipeline(fill, StandardScaler()), numbers),
        (
            OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"),
            list(made.columns.drop(numbers)),
        ),
        sparse_threshold=0.0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that the training rows do not have
        model = make_pipeline(encode, last).fit(made, train[label] == positive)
        return roc_auc_score(test[label] == positive, model.decision_function(columns(test)))


def command(*arguments):
    """Run a command of aucmax."""
    line = [sys.executable, "-m", "aucmax", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def by_commands(folder, label, positive, *options):
    """AUC on the test rows of what the commands write."""
    labels = ["--label", label, "--positive", positive, "--no-baseline"]
    command("train", folder / "train.csv", *labels, *options, "-o", folder / "m.auc")
    return json.loads(command("evaluate", folder / "m.auc", folder / "test.csv", "--json"))["auc"]


def compare(frame, label, positive):
    """AUC of each way, trained on the first half of the rows and judged on the second."""
    half = len(frame) // 2
    train, test = frame[:half], frame[half:]
    logistic = LogisticRegressionCV(
        Cs=10, scoring="roc_auc", max_iter=2000, l1_ratios=(0.0,), use_legacy_attributes=False
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save(train, folder / "train.csv")
        save(test, folder / "test.csv")
        return {
            "aucmax train": by_commands(folder, label, positive),
            "aucmax train --curves": by_commands(folder, label, positive, "--curves"),
            "by hand, AUCClassifierCV": by_hand(train, test, label, positive, AUCClassifierCV()),
            "by hand, LogisticRegressionCV": by_hand(train, test, label, positive, logistic),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    tables = {"loans": lambda rng: loans(args.rows, rng)}
    if "AUCMAX_DATA" in os.environ:
        tables |= {name: partial(coded, name) for name in CODES}
    for name, make in tables.items():
        found = [compare(*make(np.random.default_rng(seed))) for seed in range(args.seeds)]
        print(f"{name}, test AUC, mean of {args.seeds}")
        for key in found[0]:
            values = [row[key] for row in found]
            print(f"  {key:32}{np.mean(values):.4f}   {' '.join(f'{value:.4f}' for value in values)}")


if __name__ == "__main__":
    main()
