"""Models of aucmax in other packages: SHAP, MLflow and skops. ONNX and SQL have their tests in io/export."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier, AUCClassifierCV, OnlineAUCClassifier

LARGE = 'a large package: pip install "aucmax[integrations]"'
REQUIREMENTS = ["scikit-learn"]  # to find them out, MLflow loads the model in another process


@pytest.fixture(scope="module")
def rows():
    """Rows, and labels."""
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module", params=["cv", "online", "pipeline"])
def model(request, rows):
    """A model with probabilities, one of a stream, and one in a pipeline."""
    kinds = {
        "cv": AUCClassifierCV(),
        "online": OnlineAUCClassifier(random_state=0),
        "pipeline": make_pipeline(StandardScaler(), AUCClassifier()),
    }
    return kinds[request.param].fit(*rows)


def assert_same(found, model, X):
    np.testing.assert_allclose(found.decision_function(X), model.decision_function(X), rtol=0, atol=1e-9)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found.predict(X), model.predict(X))


def test_shap(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shap = pytest.importorskip("shap", reason=LARGE)
    X, y = rows
    model = AUCClassifierCV().fit(X, y)
    explainer = shap.LinearExplainer(model, X)
    values = explainer.shap_values(X)
    centre = explainer.expected_value
    np.testing.assert_allclose(values.sum(axis=1) + centre, model.decision_function(X), rtol=0, atol=1e-9)
    background = explainer.masker.data if hasattr(explainer.masker, "data") else X
    np.testing.assert_allclose(values, model.coef_ * (X - background.mean(axis=0)), rtol=0, atol=1e-9)


def test_skops(model, rows, tmp_path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    skops.dump(model, tmp_path / "model.skops")
    untrusted = skops.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(name.startswith("aucmax.") for name in untrusted)
    assert_same(skops.load(tmp_path / "model.skops", trusted=untrusted), model, rows[0])


@pytest.fixture
def mlflow():
    """MLflow's module for scikit-learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("mlflow.sklearn", reason=LARGE)


@pytest.mark.filterwarnings("ignore")  # MLflow has many of its own
def test_mlflow(model, rows, mlflow, tmp_path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    trusted = skops.get_untrusted_types(data=skops.dumps(model))
    mlflow.save_model(model, tmp_path / "own", skops_trusted_types=trusted, pip_requirements=REQUIREMENTS)
    assert_same(mlflow.load_model(str(tmp_path / "own")), model, rows[0])


@pytest.mark.filterwarnings("ignore")  # MLflow has many of its own
def test_mlflow_of_the_model_of_scikit_learn(rows, mlflow, tmp_path):
    model = AUCClassifierCV(calibration="sigmoid").fit(*rows)
    for name, plain in (("svc", model.to_sklearn()), ("logistic", model.to_sklearn(probabilities=True))):
        mlflow.save_model(plain, tmp_path / name, pip_requirements=REQUIREMENTS)
        found = mlflow.load_model(str(tmp_path / name))
        order = np.argsort(model.decision_function(rows[0]))
        assert np.all(np.diff(found.decision_function(rows[0])[order]) >= -1e-9)
    np.testing.assert_allclose(found.predict_proba(rows[0]), model.predict_proba(rows[0]), rtol=0, atol=1e-9)
