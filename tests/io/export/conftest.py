"""A frame of numbers, models of it with and without probabilities, and a model of the command line."""

import numpy as np
import pandas as pd
import pytest

import aucmax
from aucmax.calibration import Calibration
from aucmax.cli import main
from aucmax.io import load_model

KNOTS = {"sigmoid": [0.2, 0.8], "pieces": [0.0, 0.3, 0.5, 0.9, 1.0]}  # quantiles of the scores
LOG_ODDS = {"sigmoid": [-2.0, 3.0], "pieces": [-5.0, -1.0, -0.9, 2.0, 30.0]}


@pytest.fixture(scope="session")
def numbers():
    """Columns of different sizes, some with names that need quotes, and labels."""
    rng = np.random.default_rng(0)
    names = ["age", "hours per week", 'so "called"', "it's", "SELECT", "größe"]
    X = pd.DataFrame(
        rng.normal(size=(300, 6)) * [1, 10, 1e-3, 1e4, 1, 1] + [0, 50, 0, 1e6, 3, 0], columns=names
    )
    y = np.where(X["age"] + X["hours per week"] / 10 + rng.normal(size=300) > 5.5, "yes", "no")
    return X, y


@pytest.fixture(scope="session", params=["none", "sigmoid", "pieces"])
def model(request, numbers):
    """A model without probabilities, and two with a calibration set by hand."""
    X, y = numbers
    if request.param == "none":
        return aucmax.AUCClassifier().fit(X, y)
    fitted = aucmax.AUCClassifierCV(l2s=[0.01]).fit(X, y)
    knots = np.quantile(fitted.decision_function(X), KNOTS[request.param])
    fitted.calibration_ = Calibration(knots, np.array(LOG_ODDS[request.param]))
    return fitted


@pytest.fixture(scope="session")
def mixed():
    """Numbers and text with gaps, and labels."""
    rng = np.random.default_rng(1)
    cities = rng.choice(["Oslo", "São Paulo", "it's", 'x="y"', "rare"], 300, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    frame = pd.DataFrame({"city": cities, "hours per week": rng.normal(40, 9, 300)})
    frame["age"] = rng.integers(18, 90, 300).astype(float)
    score = frame["age"] / 20 + (frame["city"] == "Oslo") + rng.normal(size=300)
    frame["state"] = np.where(score > 3, "good", "bad")
    frame.loc[::9, "age"] = np.nan
    frame.loc[::11, "city"] = None
    return frame


@pytest.fixture(scope="session")
def train(mixed, tmp_path_factory):
    """Train a model by the command line: ``train("--missing", "mean")`` gives the file."""

    def command(*options, rows=mixed):
        folder = tmp_path_factory.mktemp("trained")
        rows.to_parquet(folder / "all.parquet", index=False)
        arguments = ["train", str(folder / "all.parquet"), "--label", "state", *options]
        if "--stream" not in options:
            arguments.append("--no-baseline")
        if "--positive" not in options:
            arguments += ["--positive", rows["state"].max()]  # as by default, but without a hint
        with pytest.raises(SystemExit) as left:
            main([*arguments, "-o", str(folder / "model.auc")])
        assert left.value.code == 0
        return folder / "model.auc"

    return command


@pytest.fixture(scope="session", params=["mean", "zero"])
def table_model(request, train):
    """A model of the command line that encodes text and fills gaps."""
    return load_model(train("--categorical", "onehot", "--missing", request.param))
