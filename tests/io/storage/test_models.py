"""Model files: a loaded model equals the saved one to the last bit, and no forged file is accepted."""

import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV

import aucmax
from aucmax.io import load_model, save_model
from aucmax.io.storage.codec import CodecError
from aucmax.io.storage.container import MAGIC, ModelFileError
from aucmax.io.storage.models import Scorer, load_scorer
from aucmax.pairs.losses import Logistic

PRELUDE = struct.Struct("<8sIQQ")
OLD_FILES = Path(__file__).parent / "files_of_0_1_0"


@pytest.fixture(scope="module")
def fitted(problem):
    X, y, _ = problem
    return aucmax.SOLAM(random_state=0, max_iter=2).fit(X, y)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("models") / "model.auc"


@pytest.fixture(scope="module")
def raw(fitted, path):
    """The bytes of a model file."""
    save_model(fitted, path, {"rows": 300})
    return path.read_bytes()


@pytest.mark.parametrize("name", aucmax.__all__)
def test_every_estimator_can_be_saved_and_loaded(name, problem, tmp_path):
    X, y, _ = problem
    model = getattr(aucmax, name)().fit(X, y)
    save_model(model, tmp_path / "model.auc")
    again = load_model(tmp_path / "model.auc")
    assert type(again) is type(model)
    assert repr(again.get_params()) == repr(model.get_params())
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    public = {key for key in vars(model) if key.endswith("_") and not key.startswith("_")}
    assert public <= set(vars(again))


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1.0, 1.0], [False, True], ["no", "yes"], np.array(["a", "ö"], dtype=object), [3, 250]],
)
def test_labels_of_any_type(labels, problem, tmp_path):
    X, y, _ = problem
    y = np.asarray(labels)[(y > 0).astype(int)]
    model = aucmax.SPAM(max_iter=1, random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.auc")
    again = load_model(tmp_path / "model.auc")
    assert again.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_equal_models_give_equal_bytes(problem, tmp_path):
    X, y, _ = problem
    for name in "ab":
        save_model(aucmax.SPAM(random_state=3).fit(X, y), tmp_path / name, {"rows": 300})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_feature_names_random_state_and_summary(problem, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, _ = problem
    frame = pandas.DataFrame(X, columns=[f"größe {k}" for k in range(X.shape[1])])
    model = aucmax.SOLAM(random_state=np.random.RandomState(5)).fit(frame, y)
    save_model(model, tmp_path / "model.auc", {"auc": 0.9, "folds": [1, 2]})
    again = load_model(tmp_path / "model.auc")
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))
    assert again.random_state.randint(1 << 30) == model.random_state.randint(1 << 30)
    scorer = load_scorer(tmp_path / "model.auc")
    assert scorer.feature_names == list(frame.columns)
    assert scorer.summary == {"auc": 0.9, "folds": [1, 2]}
    np.testing.assert_array_equal(scorer.coef, model.coef_[0])


def test_other_objects_are_refused_or_left_out(fitted, problem, tmp_path):
    path = tmp_path / "model.auc"
    with pytest.raises(ValueError, match="not fitted"):
        save_model(aucmax.SOLAM(), path)
    with pytest.raises(ValueError, match="only the models of aucmax"):
        save_model(GridSearchCV(fitted, {}), path)
    strange = aucmax.SOLAM(max_iter=1).fit(*problem[:2]).set_params(tol=object())
    with pytest.warns(UserWarning, match="tol=.*cannot be stored"):
        save_model(strange, path)
    assert load_model(path).tol is None


def test_a_failed_save_leaves_the_old_file(fitted, tmp_path):
    path = tmp_path / "model.auc"
    save_model(fitted, path)
    old = path.read_bytes()
    with pytest.raises(CodecError):
        save_model(fitted, path, {"when": object()})
    with pytest.raises(OSError, match="No space left"):
        save_model(fitted, "/dev/full")
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["model.auc"]


def reseal(raw, edit):
    """The file with its header edited and a checksum that matches."""
    _, version, _, size = PRELUDE.unpack(raw[: PRELUDE.size])
    header = json.loads(raw[PRELUDE.size : PRELUDE.size + size])
    edited = edit(header)
    text = json.dumps(edited if isinstance(edited, list) else header).encode()
    body = text + raw[PRELUDE.size + size : -32]
    start = PRELUDE.pack(MAGIC, version, PRELUDE.size + len(body) + 32, len(text))
    return start + body + hashlib.sha256(start + body).digest()


@pytest.mark.parametrize(
    "edit",
    [
        lambda h: h.update(estimator="os.system"),
        lambda h: h.update(estimator="metrics"),
        lambda h: h["fitted"].update(coef_={"record": ["os.system", {"command": "true"}]}),
        lambda h: h["fitted"].update(coef_={"loss": ["os.system", {"command": "true"}]}),
        lambda h: h["fitted"].update(coef_={"record": ["aucmax.__main__.x", {}]}),
        lambda h: h["fitted"].update(coef_={"record": ["aucmax.stochastic.engine.model.Model", {}]}),
        lambda h: h["fitted"].update(coef_={"array": 99}),
        lambda h: h["fitted"].update(coef_="1.0"),
        lambda h: h["fitted"].update(__class__=1),
        lambda h: h["fitted"].pop("coef_"),
        lambda h: h["parameters"].update(unheard_of=1),
        lambda h: h["arrays"][0].__setitem__(0, "|O8"),
        lambda h: h["arrays"][0].__setitem__(1, [2**62, 2**62]),
        lambda h: h.update(arrays=h["arrays"][:-1]),
        lambda h: h.update(kind="checkpoint"),
        lambda h: h.update(kind=["model"]),
        lambda h: h.pop("fitted"),
        lambda h: [1, 2],
        lambda h: json.loads("[" * 500 + "]" * 500),
    ],
)
def test_forged_headers_are_refused(edit, raw, tmp_path):
    path = tmp_path / "model.auc"
    path.write_bytes(reseal(raw, edit))
    with pytest.raises(ModelFileError):
        load_model(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tuple", "dict", "array", "scalar", "objects", "record", "loss", "float"])
            | st.text(max_size=3),
            inner,
            max_size=2,
        )
    ),
    max_leaves=10,
)


@settings(max_examples=10_000 if os.environ.get("AUCMAX_LONG_TESTS") else 200, deadline=None)
@given(entry=st.sampled_from(["fitted", "parameters", "estimator", "arrays", "summary"]), value=JSON)
def test_random_headers_load_or_are_refused(entry, value, raw, path):
    path.write_bytes(reseal(raw, lambda header: header.update({entry: value})))
    for load in (load_model, load_scorer):
        try:
            model = load(path)
        except ModelFileError:
            continue
        assert isinstance(model, (aucmax.SOLAM, Scorer))


def test_loading_compiles_nothing_and_imports_little(raw, tmp_path):
    (tmp_path / "model.auc").write_bytes(raw)
    code = """
import sys
from aucmax.io.storage.models import load_model, load_scorer
load_scorer(sys.argv[1])
assert not {"sklearn", "pandas", "numba", "scipy"} & set(sys.modules), "load_scorer imports too much"
model = load_model(sys.argv[1])
import gc, numba
compiled = [d for d in gc.get_objects() if isinstance(d, numba.core.dispatcher.Dispatcher) and d.signatures]
assert not [d for d in compiled if d.py_func.__module__.startswith("aucmax")], compiled
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "model.auc")], check=True)


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("AUCClassifierCV", [-0.033869421064205235, 0.42301286633708307, -1.859922359114558]),
        ("OnlineAUCClassifier", [0.3053148774130484, 1.147185295935281, -3.6233911146626454]),
        ("AUCClassifier_with_loss_object", [-0.06677462638536741, 0.72360839748107, -3.223053142646332]),
    ],
)
def test_files_of_0_1_0_give_the_same_scores(name, scores):
    X = np.random.default_rng(0).normal(size=(300, 6))[:3]
    model = load_model(OLD_FILES / f"{name}.auc")
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-12)
    scorer = load_scorer(OLD_FILES / f"{name}.auc")
    np.testing.assert_allclose(X @ scorer.coef + scorer.intercept, scores, rtol=1e-12)
    if "loss_object" in name:
        assert model.loss == Logistic()


def test_a_table_model_of_0_1_0_gives_the_same_scores():
    frame = pd.DataFrame({"k": ["b", "b", "b"], "x": [0.9417, -1.3966, -1.4471]})
    found = load_model(OLD_FILES / "table.auc").decision_function(frame)
    expected = [-0.07108350616552968, -0.10716863695537693, -0.10794796343396705]
    np.testing.assert_array_equal(found, expected)
