"""Pipelines in model files: equal scores to the last bit, equal bytes, and no code from a file."""

import hashlib
import json
import re
import struct
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold, chi2
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)

import aucmax
from aucmax.io import load_model, save_model
from aucmax.io.storage import steps
from aucmax.io.storage.container import MAGIC, ModelFileError
from aucmax.io.storage.models import load_scorer

PRELUDE = struct.Struct("<8sIQQ")
BINS = (
    {"quantile_method": "averaged_inverted_cdf"}
    if "quantile_method" in KBinsDiscretizer().get_params()
    else {}
)

NUMBER_STEPS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    MinMaxScaler(clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    Normalizer(),
    Binarizer(threshold=1.0),
    PolynomialFeatures(2, interaction_only=True, include_bias=False),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=20, random_state=0),
    SplineTransformer(n_knots=4, extrapolation="linear"),
    SplineTransformer(knots="quantile", sparse_output=True),
    KBinsDiscretizer(4, random_state=0, **BINS),
    KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
    SelectKBest(k=2),
    SelectPercentile(percentile=60),
    VarianceThreshold(),
    FunctionTransformer(),
    FeatureUnion(
        [("s", StandardScaler()), ("k", SelectKBest(k=1)), ("d", "drop")], transformer_weights={"s": 2.0}
    ),
    make_pipeline(MinMaxScaler(), SelectKBest(chi2, k=3), verbose=False),
]


@pytest.fixture(scope="module")
def frame():
    """Numbers with and without gaps, text, categories; and labels."""
    rng = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.exponential(size=n), "c": rng.normal(5, 2, n)})
    frame["gaps"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    frame["colour"] = rng.choice(["red", "green", "blue", "rare"], n, p=[0.5, 0.3, 0.18, 0.02])
    frame["size"] = rng.choice(["S", "M", "L"], n)
    frame["words"] = rng.choice(["good day", "bad day", "a good one", "so so"], n)
    score = frame["b"] + (frame["colour"] == "red") + frame["words"].str.contains("good") + rng.normal(size=n)
    return frame, np.where(score > 2, "yes", "no")


def shown(model):
    """The parameters, without addresses in memory."""
    return re.sub(r"0x\w+", "", str(model.get_params()))


def assert_round_trip(model, X, folder):
    """Save, load and save again: equal scores, equal bytes."""
    save_model(model, folder / "a.auc")
    again = load_model(folder / "a.auc")
    assert type(again) is Pipeline
    assert shown(again) == shown(model)
    frames = [X, pl.from_pandas(X)] if isinstance(X, pd.DataFrame) else [X]
    for rows in frames:
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    save_model(again, folder / "b.auc")
    assert (folder / "a.auc").read_bytes() == (folder / "b.auc").read_bytes()
    return again


@pytest.mark.parametrize("step", NUMBER_STEPS, ids=lambda step: str(step).replace("\n", " ")[:40])
def test_steps_of_numbers(step, frame, tmp_path):
    X, y = frame
    assert_round_trip(
        make_pipeline(step, aucmax.AUCClassifier()).fit(X[["a", "b", "c"]], y), X[["a", "b", "c"]], tmp_path
    )


def every_kind(**options):
    """A pipeline of columns of all kinds."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True),
        FeatureUnion([("scaled", StandardScaler()), ("squares", PolynomialFeatures(2, include_bias=False))]),
    )
    columns = ColumnTransformer(
        [
            ("numbers", numbers, ["a", "gaps"]),
            ("missing", MissingIndicator(), ["gaps"]),
            ("one hot", OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"), ["colour"]),
            (
                "ordinal",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                make_column_selector("^si"),
            ),
            ("words", TfidfVectorizer(ngram_range=(1, 2), stop_words=["a"]), "words"),
            ("left out", "drop", ["b"]),
        ],
        remainder="passthrough",
        **options,
    )
    return make_pipeline(columns, aucmax.AUCClassifierCV(l2s=[0.01, 0.1, 1.0]))


@pytest.mark.parametrize("options", [{}, {"sparse_threshold": 0.0}, {"transformer_weights": {"words": 2.0}}])
def test_columns_of_all_kinds(frame, tmp_path, options):
    X, y = frame
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "AUCClassifierCV: the best of the given l2s")
        model = every_kind(**options).fit(X, y)
    again = assert_round_trip(model, X, tmp_path)
    new = X.iloc[:5].assign(colour="never seen", gaps=np.nan, words="unknown words")
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
    assert again[:-1].get_feature_names_out().tolist() == model[:-1].get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "words", [CountVectorizer(binary=True), HashingVectorizer(n_features=64), TfidfVectorizer()]
)
def test_text(words, frame, tmp_path):
    X, y = frame
    model = make_pipeline(words, TfidfTransformer(), aucmax.AUCClassifier()).fit(X["words"].tolist(), y)
    assert_round_trip(model, X["words"].tolist(), tmp_path)


def test_missing_values_that_encoders_keep(frame, tmp_path):
    X, y = frame
    X = X[["colour", "size"]].astype(object)
    X.iloc[::7] = None
    for encoder in (OneHotEncoder(), OrdinalEncoder(encoded_missing_value=-2)):
        model = make_pipeline(encoder, aucmax.AUCClassifier()).fit(X, y)
        save_model(model, tmp_path / "m.auc")
        np.testing.assert_array_equal(
            load_model(tmp_path / "m.auc").decision_function(X), model.decision_function(X)
        )


def test_output_as_a_frame_and_sparse_rows(frame, tmp_path):
    X, y = frame
    numbers = X[["a", "b"]]
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), aucmax.AUCClassifier()).fit(
        numbers, y
    )
    assert_round_trip(model, numbers, tmp_path)
    rows = sparse.csr_array(numbers.to_numpy())
    assert_round_trip(make_pipeline(MaxAbsScaler(), aucmax.AUCClassifier()).fit(rows, y), rows, tmp_path)


def test_every_known_step_is_tested():
    tested = {type(step).__name__ for step in NUMBER_STEPS}
    tested |= {type(step).__name__ for step in every_kind().get_params().values()}
    tested |= {"CountVectorizer", "HashingVectorizer", "TfidfTransformer"}  # in test_text
    tested |= {"TableEncoder"}  # in tests/io/columns
    assert {name for names in steps.CLASSES.values() for name in names.split()} <= tested | {
        "make_column_selector"
    }


class Own(TransformerMixin, BaseEstimator):
    """A user's step."""

    def fit(self, X, y=None):
        """Nothing to learn."""
        return self

    def transform(self, X):
        """The same rows."""
        return X


def renamed(name):
    """A user's class with the name of a known one."""
    return type(name, (Own,), {})()


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (
            Pipeline([("p", PCA(1)), ("m", aucmax.AUCClassifier())]),
            "The step 'p' of the pipeline is a sklearn.decomposition",
        ),
        (
            make_pipeline(make_column_transformer((make_pipeline(Own()), ["a"])), aucmax.AUCClassifier()),
            "The step 'columntransformer__pipeline__own' of the pipeline is a .*Own, which cannot",
        ),
        (make_pipeline(renamed("StandardScaler"), aucmax.AUCClassifier()), "The step 'standardscaler'"),
        (
            make_pipeline(FunctionTransformer(np.log1p), aucmax.AUCClassifier()),
            "The step 'functiontransformer' of the pipeline cannot be saved: func=<ufunc 'log1p'> is a",
        ),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            "LogisticRegression cannot be saved: only the models of",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in log1p")
def test_unknown_steps_are_named(model, complaint, frame, tmp_path):
    X, y = frame
    with pytest.raises(ValueError, match=complaint):
        save_model(model.fit(X[["a", "b", "c"]].abs(), y), tmp_path / "m.auc")
    assert not list(tmp_path.iterdir())


def test_a_pipeline_that_is_not_fitted(tmp_path):
    with pytest.raises(ValueError, match="This AUCClassifier is not fitted yet"):
        save_model(make_pipeline(StandardScaler(), aucmax.AUCClassifier()), tmp_path / "m.auc")


@pytest.fixture
def saved(frame, tmp_path):
    """The bytes of a small pipeline."""
    X, y = frame
    save_model(
        make_pipeline(StandardScaler(), aucmax.AUCClassifier()).fit(X[["a", "b"]], y), tmp_path / "m.auc"
    )
    return (tmp_path / "m.auc").read_bytes()


def edited(raw, edit):
    """The file with its header edited and a checksum that matches."""
    _, version, _, size = PRELUDE.unpack(raw[: PRELUDE.size])
    header = json.loads(raw[PRELUDE.size : PRELUDE.size + size])
    edit(header, header["pipeline"]["step"][1]["steps"][0]["tuple"])
    text = json.dumps(header).encode()
    body = text + raw[PRELUDE.size + size : -32]
    start = PRELUDE.pack(MAGIC, version, PRELUDE.size + len(body) + 32, len(text))
    return start + body + hashlib.sha256(start + body).digest()


@pytest.mark.parametrize(
    "edit",
    [
        lambda header, step: step[1]["step"].__setitem__(0, "os.system"),
        lambda header, step: step[1]["step"].__setitem__(0, "sklearn.preprocessing.os"),
        lambda header, step: step[1]["step"].__setitem__(0, "sklearn.pipeline.__class__"),
        lambda header, step: step[1]["step"].__setitem__(0, "sklearn.decomposition.PCA"),
        lambda header, step: step[1]["step"][1].update(__class__={"type": "object"}),
        lambda header, step: step[1]["step"][1].update({"a b": 1}),
        lambda header, step: step[1]["step"][1].update(mean_={"function": "os.system"}),
        lambda header, step: step[1]["step"][1].update(
            mean_={"function": "sklearn.feature_selection.SelectKBest"}
        ),
        lambda header, step: step[1]["step"][1].update(mean_={"type": "eval"}),
        lambda header, step: step[1]["step"][1].update(mean_={"dtype": "V8"}),
        lambda header, step: step[1]["step"][1].update(mean_={"spline": {"t": [1], "c": [1], "k": 3}}),
        lambda header, step: header.update(pipeline=3),
        lambda header, step: header.update(pipeline=step[1]),
        lambda header, step: header.pop("scikit-learn"),
        lambda header, step: header["pipeline"]["step"][1].pop("steps"),
    ],
)
def test_forged_files_are_refused(edit, saved, tmp_path):
    (tmp_path / "forged.auc").write_bytes(edited(saved, edit))
    with pytest.raises(ModelFileError, match="forged.auc: it is complete, but this aucmax cannot read it"):
        load_model(tmp_path / "forged.auc")


def test_another_version_of_scikit_learn(saved, frame, tmp_path):
    (tmp_path / "old.auc").write_bytes(
        edited(saved, lambda header, step: header.update({"scikit-learn": "1.2.3"}))
    )
    complaint = (
        f"old.auc was written with scikit-learn 1.2.3, and this is {sklearn.__version__}: its steps may"
    )
    with pytest.warns(UserWarning, match=complaint) as caught:
        model = load_model(tmp_path / "old.auc")
    assert caught[0].filename == __file__
    assert np.isfinite(model.decision_function(frame[0][["a", "b"]])).all()


def test_the_command_line_says_that_it_is_a_pipeline(saved, tmp_path):
    with pytest.raises(
        ModelFileError, match="m.auc: it holds a pipeline; use it in Python, with aucmax.io.load_model"
    ):
        load_scorer(tmp_path / "m.auc")
