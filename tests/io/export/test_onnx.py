"""ONNX graphs give the scores, labels and probabilities of the model, in onnxruntime."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import aucmax
from aucmax.io import DataError, load_model, register_onnx, to_onnx

pytest.importorskip("skl2onnx", reason="ONNX graphs are written by skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX graphs are run by onnxruntime")

TOLERANCE = {"float32": 1e-6, "float64": 1e-12}  # relative to the largest score
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE)


def run(graph, inputs):
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


def columns(frame, dtype):
    """A column of each input: text, with nothing in gaps, or numbers."""
    texts = frame.select_dtypes(exclude="number").columns
    as_text = {name: frame[[name]].fillna("").to_numpy(dtype=object) for name in texts}
    return {name: frame[[name]].to_numpy(dtype) for name in frame.columns if name not in texts} | as_text


def assert_same(found, model, X, dtype):
    scores = model.decision_function(X)
    assert found["scores"].dtype == dtype
    assert found["scores"].shape == scores.shape
    assert np.max(np.abs(found["scores"] - scores)) <= TOLERANCE[dtype] * np.max(np.abs(scores))
    sure = np.abs(scores) > TOLERANCE[dtype] * np.max(np.abs(scores))
    assert found["label"][sure].tolist() == model.predict(X)[sure].tolist()


@DTYPES
def test_scores_labels_and_probabilities(model, numbers, dtype):
    X = numbers[0].astype(dtype)  # the graph sees rounded numbers, and so must the model
    found = run(to_onnx(model, dtype=dtype), {"X": X.to_numpy()})
    assert_same(found, model, X, dtype)
    assert ("probabilities" in found) == hasattr(model, "calibration_")
    if "probabilities" in found:
        expected = model.predict_proba(X)
        np.testing.assert_allclose(found["probabilities"], expected, atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize("name", aucmax.__all__)
def test_every_estimator(name, problem):
    X, y, _ = problem
    model = getattr(aucmax, name)().fit(X, y)
    assert_same(run(to_onnx(model, dtype="float64"), {"X": X}), model, X, "float64")


def test_a_model_of_many_machines(problem):
    da = pytest.importorskip("dask.array", reason="Dask is not installed")
    X, y, _ = problem
    parts = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    model = aucmax.distributed.DaskAUCClassifier().fit(*parts)
    found = run(to_onnx(model, dtype="float64"), {"X": X})
    np.testing.assert_allclose(found["scores"], np.asarray(model.decision_function(X)), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1.0, 1.0], [False, True], ["no", "ö"], np.array(["a", "b"], dtype=object)],
)
def test_labels(labels, problem):
    X, y, _ = problem
    model = aucmax.AUCClassifier().fit(X, np.asarray(labels)[(y > 0).astype(int)])
    found = run(to_onnx(model), {"X": X.astype(np.float32)})
    assert found["label"].tolist() == model.predict(X).tolist()


@DTYPES
def test_a_table_of_the_command_line(table_model, mixed, dtype):
    X = mixed[["hours per week", "age", "city"]].astype({"hours per week": dtype, "age": dtype})
    graph = to_onnx(table_model, dtype=dtype)
    assert sorted(value.name for value in graph.graph.input) == sorted(X.columns)
    assert_same(run(graph, columns(X, dtype)), table_model, X, dtype)


@DTYPES
def test_a_table_of_text_alone(mixed, train, dtype):
    model = load_model(train("--categorical", "onehot", "--missing", "zero", rows=mixed[["city", "state"]]))
    graph = to_onnx(model, dtype=dtype)
    found = run(graph, columns(mixed[["city"]], dtype))
    scores = model.decision_function(mixed[["city"]])
    np.testing.assert_allclose(
        found["scores"], scores, rtol=0, atol=TOLERANCE["float32"] * np.max(np.abs(scores))
    )


@DTYPES
def test_gaps_give_nan_where_training_had_none(mixed, train, dtype):
    model = load_model(train("--categorical", "onehot", "--missing", "error", rows=mixed.dropna()))
    X = mixed[["hours per week", "age", "city"]].fillna({"city": "Oslo"})
    found = run(to_onnx(model, dtype=dtype), columns(X, dtype))
    np.testing.assert_array_equal(np.isnan(found["scores"]), mixed["age"].isna())


@DTYPES
def test_a_pipeline_with_columns(mixed, dtype):
    X = (
        mixed[["hours per week", "age", "city"]]
        .fillna({"city": ""})
        .astype({"hours per week": dtype, "age": dtype})
    )
    scale = make_pipeline(SimpleImputer(), StandardScaler()) if dtype == "float32" else StandardScaler()
    # onnxruntime does not fill gaps in doubles
    X = X.fillna({"age": 50.0}) if dtype == "float64" else X
    encode = make_column_transformer(
        (scale, ["hours per week", "age"]),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    model = make_pipeline(encode, aucmax.AUCClassifierCV(l2s=[0.01], standardize=False)).fit(
        X, mixed["state"]
    )
    assert_same(run(to_onnx(model, X, dtype=dtype), columns(X, dtype)), model, X, dtype)
    with pytest.raises(DataError, match="its columns; give some of its rows as X"):
        to_onnx(model)


@DTYPES
def test_a_pipeline_of_a_matrix(numbers, dtype):
    X, y = numbers
    X = X.to_numpy(dtype)
    model = make_pipeline(StandardScaler(), aucmax.AUCClassifier()).fit(X, y)
    # skl2onnx scales in the precision of the input.
    found = run(to_onnx(model, dtype=dtype), {"X": X})
    assert_same(found, model, X, dtype)


def test_skl2onnx_itself(numbers):
    from skl2onnx import to_onnx as convert

    register_onnx()
    X, y = numbers
    X = ((X - X.mean()) / X.std()).to_numpy(np.float32)
    model = make_pipeline(StandardScaler(), aucmax.OnlineAUCClassifier(random_state=0)).fit(X, y)
    assert_same(run(convert(model, X[:1]), {"X": X}), model, X, "float32")
    both = [("own", aucmax.AUCClassifierCV(l2s=[0.1])), ("lr", LogisticRegression())]
    voting = VotingClassifier(both, voting="soft", flatten_transform=False).fit(X, y)
    found = run(convert(voting, X[:1], options={"zipmap": False}), {"X": X})
    np.testing.assert_allclose(found["probabilities"], voting.predict_proba(X), atol=1e-6)


def test_what_cannot_be_converted(train, numbers):
    hashed = load_model(train("--stream", "--categorical", "hash", "--n-features", "9", "--missing", "mean"))
    with pytest.raises(DataError, match="the model hashes text"):
        to_onnx(hashed)
    X, y = numbers
    with pytest.raises(ValueError, match="dtype must be"):
        to_onnx(aucmax.AUCClassifier().fit(X, y), dtype="float16")

    class Strange(StandardScaler):
        pass

    model = make_pipeline(Strange(), aucmax.AUCClassifier()).fit(X.to_numpy(), y)
    with pytest.raises(DataError, match="skl2onnx cannot convert this Pipeline of Strange, AUCClassifier"):
        to_onnx(model)


def test_text(numbers):
    words = np.array([["good day"], ["bad day"], ["good good"], ["bad"], ["day"]] * 8, dtype=object)
    y = np.array([1, 0, 1, 0, 0] * 8)
    frame = pd.DataFrame({"text": words[:, 0]})
    model = make_pipeline(
        make_column_transformer((TfidfVectorizer(lowercase=False), "text")), aucmax.AUCClassifier()
    ).fit(frame, y)
    found = run(to_onnx(model, frame), {"text": words})
    assert_same(found, model, frame, "float32")
