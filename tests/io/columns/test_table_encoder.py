"""A loaded model of the command line scores a data frame as ``aucmax predict`` scores a file."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline

from aucmax import AUCClassifierCV
from aucmax.cli import main
from aucmax.io import DataError, TableEncoder, load_model, read, save_model
from aucmax.io.columns.encoding import ColumnEncoding, TableEncoding
from aucmax.io.columns.feature_names import FeatureNames
from aucmax.io.storage import container
from aucmax.io.storage.steps import rebuild

FRAMES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "categories": lambda frame: frame.astype({"city": "category"}),
}
OPTIONS = {
    "onehot": ["--categorical", "onehot", "--missing", "mean"],
    "zero": ["--categorical", "onehot", "--missing", "zero", "--positive", "bad"],
    "hash": ["--stream", "--categorical", "hash", "--n-features", "20", "--missing", "mean"],
}


@pytest.fixture(scope="module")
def frame():
    """Numbers and text with gaps, and labels."""
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Oslo", "São Paulo", "it's", 'x="y"'], n),
            "hours per week": rng.normal(40, 9, n),
        }
    )
    frame["age"] = rng.integers(18, 90, n).astype(float)
    score = frame["age"] / 20 + (frame["city"] == "Oslo") + rng.normal(size=n)
    frame["state"] = np.where(score > 3, "good", "bad")
    frame.loc[::9, "age"] = np.nan
    frame.loc[::11, "city"] = None
    return frame


@pytest.fixture(scope="module", params=OPTIONS)
def trained(request, frame, tmp_path_factory):
    """A model of the frame, and the scores that ``predict`` writes."""
    folder = tmp_path_factory.mktemp(request.param)
    frame.to_parquet(folder / "all.parquet")
    data, model, scores = (str(folder / name) for name in ("all.parquet", "m.auc", "scores.csv"))
    for command in (
        ["train", data, "--label", "state", *OPTIONS[request.param], "-o", model],
        ["predict", model, data, "-o", scores],
    ):
        with pytest.raises(SystemExit) as left:
            main(command)
        assert left.value.code == 0
    sign = -1.0 if "bad" in OPTIONS[request.param] else 1.0  # --positive: the first class in sorted order
    lines = Path(scores).read_text().splitlines()[1:]  # pandas need not give back the last bit
    return model, sign * np.array([float(line.partition(",")[0]) for line in lines])


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_scored_as_files_are(trained, frame, kind):
    path, expected = trained
    model = load_model(path)
    rows = FRAMES[kind](frame)
    np.testing.assert_array_equal(model.decision_function(rows), expected)
    assert model.classes_.tolist() == ["bad", "good"]
    np.testing.assert_array_equal(model.predict(rows), model.classes_[(expected > 0).astype(int)])
    assert model.score(rows, frame["state"]) > 0.6


def test_columns_may_have_any_order_and_further_ones_do_not_matter(trained, frame):
    path, expected = trained
    others = frame[["state", "age", "hours per week", "city"]]
    if load_model(path)[0].encoding_.n_buckets == 0:
        others = others.assign(id=1).drop(columns="state")
    np.testing.assert_array_equal(load_model(path).decision_function(others), expected)
    encoded = load_model(path)[0].transform(frame)  # as it is, without names
    np.testing.assert_array_equal(load_model(path).decision_function(encoded), expected)


def test_a_loaded_model_can_be_saved_again(trained, frame, tmp_path):
    path, expected = trained
    save_model(load_model(path), tmp_path / "again.auc")
    again = load_model(tmp_path / "again.auc")
    assert isinstance(again, Pipeline)
    np.testing.assert_array_equal(again.decision_function(frame), expected)


def test_models_that_kept_only_the_names_of_their_features():
    known = FeatureNames(["age", "city=Oslo", "city=a=b"], "onehot", "mean", [5.0, 0, 0])
    encoder = TableEncoder.of(known)
    frame = pd.DataFrame({"age": [np.nan, 1.0], "city": ["a=b", " Oslo "]})
    expected = [[5.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    np.testing.assert_array_equal(encoder.transform(frame).toarray(), expected)
    assert encoder.get_feature_names_out().tolist() == ["age", "city=Oslo", "city=a=b"]
    assert encoder.feature_names_in_.tolist() == ["age", "city"]
    assert not hasattr(TableEncoder.of(FeatureNames(["hash_0"], "hash")), "feature_names_in_")
    matrix = np.eye(3)
    assert encoder.transform(matrix) is matrix


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (pd.DataFrame({"city": ["Oslo"]}), "^the data frame: it has no column 'age', which"),
        (pd.DataFrame({"age": ["31"], "city": ["Oslo"]}), "text in the column 'age', which has numbers"),
        (
            pd.DataFrame({"age": [np.nan], "city": ["Oslo"]}),
            "frame, row 0: a missing value in column 'age'; fill",
        ),
        (pd.DataFrame({"age": [3.0], "city": [None]}, dtype=object).astype({"age": float}), "column 'city'"),
        (pd.DataFrame({"age": [np.inf], "city": ["Oslo"]}), "row 0: an infinite value in column 'age'"),
        (pd.DataFrame({"age": [{}], "city": ["Oslo"]}), "column 'age' has the type struct"),
        (pd.DataFrame([[1, 2]], columns=["age", "age"]), "^the data frame: two columns are called 'age'"),
        (pd.DataFrame({"age": [1.0], "city": ["Oslo"]})[:0], "^the data frame: it has no rows; give one"),
        (
            pd.DataFrame({"age": [1.0, "a"], "city": "Oslo"}, dtype=object),
            "read .*; give each column values of",
        ),
    ],
)
def test_bad_frames(frame, complaint):
    with pytest.raises(DataError, match=complaint):
        TableEncoder.of(FeatureNames(["age", "city=Oslo"], "onehot")).transform(frame)
    columns = ColumnEncoding("age", "number"), ColumnEncoding("city", "text", levels=("Oslo",))
    with pytest.raises(DataError, match=complaint):
        TableEncoder.of(TableEncoding(columns)).transform(frame)


def test_the_index_of_a_frame_is_no_feature(tmp_path):
    frame = pd.DataFrame({"age": [3.0, 4.0], "state": ["a", "b"]}, index=[7, 5])
    frame.to_parquet(tmp_path / "rows.parquet")
    table = read(tmp_path / "rows.parquet", "state")
    assert table.feature_names == ["age"]
    np.testing.assert_array_equal(table.X, [[3.0], [4.0]])


def test_encoders_in_files_that_kept_only_the_names_of_features():
    state = {"features": ["age", "city=Oslo"], "categorical": "onehot", "missing": "mean", "label": "y"}
    frame = pd.DataFrame({"city": ["Oslo", None], "age": [None, 3.0]})
    encoder = rebuild("aucmax.io.TableEncoder", state | {"means": np.array([7.0, 0.5])})
    np.testing.assert_array_equal(encoder.transform(frame).toarray(), [[7, 1], [3, 0]])
    without = rebuild("aucmax.io.TableEncoder", state | {"means": None})
    with pytest.raises(DataError, match="a missing value in column 'age'; fill it in before"):
        without.transform(frame)


def test_a_step_of_a_pipeline(frame):
    model = make_pipeline(TableEncoder(), AUCClassifierCV(l2s=[0.01]))
    rows = frame.drop(columns="state")
    assert model.fit(rows, frame["state"]).score(rows, frame["state"]) > 0.8
    encoder = clone(model[0])
    assert not hasattr(encoder, "encoding_")
    with pytest.raises(NotFittedError):
        encoder.transform(rows)
    with pytest.raises(DataError, match="a TableEncoder needs a data frame; give one of pandas"):
        encoder.fit(np.eye(3))
    with pytest.raises(ValueError, match="missing must be"):
        TableEncoder(missing="most").fit(rows)


def test_a_pipeline_with_the_former_names_of_records_loads(tmp_path, frame):
    rows = frame.drop(columns="state")
    model = make_pipeline(TableEncoder(), AUCClassifierCV(l2s=[0.01])).fit(rows, frame["state"])
    save_model(model, tmp_path / "now.auc")
    header, arrays = container.read(tmp_path / "now.auc")
    text = json.dumps(header)
    assert "aucmax.io.columns.encoding.TableEncoding" in text
    former = json.loads(text.replace("aucmax.io.columns.", "aucmax.io.reading."))
    del former["arrays"]
    container.write(tmp_path / "then.auc", former, arrays)
    loaded = load_model(tmp_path / "then.auc")
    assert loaded[0].encoding_ == model[0].encoding_
    np.testing.assert_array_equal(loaded.decision_function(rows), model.decision_function(rows))
