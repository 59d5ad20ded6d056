"""Fits on arrays of other libraries than NumPy: the same results, in the same place as X."""

import numpy as np
import pytest
import sklearn
from sklearn.utils.estimator_checks import estimator_checks_generator

from aucmax import SOLAM, AUCClassifier, AUCClassifierCV
from aucmax.batch.array_products import ArrayProducts
from aucmax.batch.moments import class_moments
from aucmax.batch.products import Products
from aucmax.batch.threshold import balanced_threshold
from aucmax.io import load_model, save_model
from aucmax.kernels.rows import as_rows
from aucmax.losses import LOSSES, Loss
from aucmax.metrics import auc, auc_interval, partial_auc
from aucmax.pairs.array_sums import ArrayClasses
from aucmax.pairs.losses import SmoothedHinge
from aucmax.pairs.sums import Classes
from aucmax.validation.namespaces import find_arrays

strict = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed")


def library(name, device, *, gpu=False):
    """A library and device; skipped where it is missing. Those that need a GPU have the mark gpu."""
    return pytest.param((name, device), id=f"{name}-{device}", marks=[pytest.mark.gpu] if gpu else [])


def has_gpu():
    """Whether torch can use a GPU here."""
    return pytest.importorskip("torch", reason="torch is not installed").cuda.is_available()


LIBRARIES = [
    library("array_api_strict", "CPU_DEVICE"),
    library("array_api_strict", "device1"),
    library("torch", "cpu"),
    library("torch", "cuda", gpu=True),
    library("cupy", None, gpu=True),
]


@pytest.fixture(autouse=True)
def dispatch(monkeypatch):
    """scikit-learn's dispatch is on, as it is for users of other arrays."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.fixture(params=LIBRARIES)
def arrays(request, dispatch):
    """A library and a device to put arrays on."""
    name, device = request.param
    module = pytest.importorskip(name, reason=f"{name} is not installed")
    if device == "cuda" and not has_gpu():
        pytest.skip("torch has no GPU here")
    if name == "array_api_strict":
        device = module.Device(device)
    return find_arrays(module.zeros(1, device=device) if device is not None else module.zeros(1))


def rows(n=400, d=6, dtype=np.float64, seed=0):
    """Rows in which scores tie, labels, and whole weights, some of them zero."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1) * np.array([1.0, 100.0, 0.01, 1.0, 3.0, 1.0]) + 2.0
    y = ((X[:, 0] + X[:, 1] / 100.0 - 3.0 + rng.normal(size=n)) > 1.2).astype(np.int64)
    return X.astype(dtype), y, rng.integers(0, 4, size=n).astype(float)


def host(model):
    """Every fitted array of a model, as NumPy arrays."""
    found = {name: value for name, value in vars(model).items() if name.endswith("_")}
    return {
        name: value if find_arrays(value) is None else find_arrays(value).get(value)
        for name, value in found.items()
        if not isinstance(value, (str, tuple))  # the calibration stays on the host
    }


def check_same(model, reference, rtol=1e-9):
    """Equal fitted attributes."""
    fitted, expected = host(model), host(reference)
    assert fitted.keys() == expected.keys()
    for name in expected.keys() - {"optimality_"}:
        np.testing.assert_allclose(fitted[name], expected[name], rtol=rtol, atol=rtol, err_msg=name)


FITS = [
    {},
    {"loss": "hinge", "l2": 0.05},
    {"loss": "logistic"},
    {"loss": "squared", "l1": 1e-3},
    {"loss": "exponential"},
    {"l1": 0.02},
    {"standardize": False},
    {"standardize": 0.5, "l2": 0.3},
]


@pytest.mark.parametrize("parameters", FITS, ids=str)
def test_fit_equals_numpy(arrays, parameters):
    X, y, weight = rows()
    parameters = {"tol": 1e-8, **parameters} if "loss" not in parameters else parameters
    for given in (None, weight):
        reference = AUCClassifier(**parameters).fit(X, y, given)
        on_device = None if given is None else arrays.put(given)
        model = AUCClassifier(**parameters).fit(arrays.put(X), arrays.put(y), on_device)
        # Sums of the smoothed hinge have terms of size 1/smoothing, so they round worse.
        check_same(model, reference, rtol=1e-6 if parameters.get("loss") == "hinge" else 1e-9)


def test_squared_loss_by_newton(arrays):
    X, y, weight = rows()
    reference = AUCClassifier("squared").fit(X, y, weight)
    model = AUCClassifier("squared", tol=1e-10).fit(arrays.put(X), arrays.put(y), arrays.put(weight))
    np.testing.assert_allclose(arrays.get(model.coef_), reference.coef_, rtol=1e-8)
    assert model.optimality_ <= 1e-10


def test_start_from_a_sample_and_preconditioner(arrays):
    X, y, _ = rows(n=20_000)
    reference = AUCClassifier().fit(X, y)
    model = AUCClassifier().fit(arrays.put(X), arrays.put(y))
    check_same(model, reference)


def test_many_columns_with_the_inverse_on_the_device(arrays):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 300)) + 3.0 * rng.normal(size=(4000, 1))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=4000) > 2.0).astype(int)
    reference = AUCClassifier(tol=1e-9).fit(X, y)
    model = AUCClassifier(tol=1e-9).fit(arrays.put(X), arrays.put(y))
    np.testing.assert_allclose(arrays.get(model.coef_), reference.coef_, rtol=1e-6, atol=1e-9)
    assert abs(model.n_iter_ - reference.n_iter_) <= 1


def test_the_sigmoid_equals_numpy(arrays):
    X, y, weight = rows()
    reference = AUCClassifier("sigmoid", tol=1e-7).fit(X, y, weight)
    model = AUCClassifier("sigmoid", tol=1e-7).fit(arrays.put(X), arrays.put(y), arrays.put(weight))
    check_same(model, reference)


@pytest.mark.parametrize(
    "parameters",
    [{"loss": "squared_hinge"}, {"loss": "logistic", "cv": 3}, {"loss": "squared", "l1": 0.1}],
)
def test_cross_validation_equals_numpy(arrays, parameters):
    X, y, weight = rows()
    reference = AUCClassifierCV(l2s=5, **parameters).fit(X, y, weight)
    model = AUCClassifierCV(l2s=5, **parameters).fit(arrays.put(X), arrays.put(y), arrays.put(weight))
    check_same(model, reference, rtol=1e-7)
    for method in ("predict_proba", "predict_log_proba"):
        found = getattr(model, method)(arrays.put(X))
        assert find_arrays(found) == arrays
        np.testing.assert_allclose(arrays.get(found), getattr(reference, method)(X), rtol=1e-6)


def test_float32(arrays):
    X, y, weight = rows(n=4000, dtype=np.float32)
    reference = AUCClassifier(tol=1e-5).fit(X, y, weight)
    model = AUCClassifier(tol=1e-5).fit(arrays.put(X), arrays.put(y), arrays.put(weight))
    np.testing.assert_allclose(arrays.get(model.coef_), reference.coef_, rtol=1e-3)
    assert model.coef_.dtype == arrays.xp.float64
    assert abs(model.score(arrays.put(X), arrays.put(y)) - reference.score(X, y)) < 1e-5


def test_predictions_follow_X(arrays):
    X, y, weight = rows()
    reference, model = AUCClassifier().fit(X, y), AUCClassifier().fit(arrays.put(X), arrays.put(y))
    decision, labels = model.decision_function(arrays.put(X)), model.predict(arrays.put(X))
    assert find_arrays(decision) == find_arrays(labels) == arrays
    np.testing.assert_allclose(arrays.get(decision), reference.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(arrays.get(labels), reference.predict(X))
    score = model.score(arrays.put(X), arrays.put(y), arrays.put(weight))
    assert isinstance(score, float)
    assert abs(score - reference.score(X, y, weight)) < 1e-12
    plain = model.to_sklearn()
    np.testing.assert_allclose(plain.decision_function(X), reference.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("labels", [[False, True], [3.0, 7.0], ["ham", "spam"], [-1, 1]], ids=str)
def test_labels_of_any_kind_on_the_host(arrays, labels):
    X, y, weight = rows()
    y = np.array(labels)[y]
    reference = AUCClassifier().fit(X, y, weight)
    model = AUCClassifier().fit(arrays.put(X), y, weight)
    np.testing.assert_allclose(arrays.get(model.coef_), reference.coef_, rtol=1e-9)
    predicted = model.predict(arrays.put(X))
    predicted = predicted if isinstance(predicted, np.ndarray) else arrays.get(predicted)
    np.testing.assert_array_equal(predicted, reference.predict(X))
    assert model.score(arrays.put(X), y) == pytest.approx(reference.score(X, y), abs=1e-12)


def test_labels_on_the_device(arrays):
    X, y, _ = rows()
    for labels in (y.astype(bool), y.astype(np.float32), 2 * y.astype(np.int32) - 1):
        model = AUCClassifier().fit(arrays.put(X), arrays.put(labels))
        assert find_arrays(model.classes_) == arrays
        np.testing.assert_array_equal(arrays.get(model.classes_), np.unique(labels))
        assert model.score(arrays.put(X), arrays.put(labels)) > 0.8


def test_warm_start(arrays):
    X, y, _ = rows()
    model = AUCClassifier(warm_start=True, tol=1e-6).fit(arrays.put(X), arrays.put(y))
    first = arrays.get(model.coef_)
    model.fit(arrays.put(X), arrays.put(y))
    assert model.n_iter_ == 1
    np.testing.assert_allclose(arrays.get(model.coef_), first, rtol=1e-4)


@pytest.mark.parametrize("loss", [*LOSSES.values(), SmoothedHinge(0.3)], ids=str)
def test_pair_sums_equal_numpy(arrays, loss):
    rng = np.random.default_rng(1)
    for n in (2, 7, 60, 500):
        score, t = 3.0 * np.round(rng.normal(size=n), 1), rng.normal(size=n)
        signed = np.where(rng.random(n) < 0.3, 1.0, -1.0) * rng.integers(0, 3, size=n)
        signed[:2] = 1.0, -1.0
        expected = loss.sums(Classes.split(signed), score)
        sums = loss.sums(ArrayClasses.split(arrays, arrays.put(signed)), arrays.put(score))
        assert sums.value == pytest.approx(expected.value, rel=1e-12)
        np.testing.assert_allclose(arrays.get(sums.gradient()), expected.gradient(), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(arrays.get(sums.diagonal()), expected.diagonal(), rtol=1e-10, atol=1e-12)
        product = arrays.get(sums.curvature(arrays.put(t)))
        np.testing.assert_allclose(product, expected.curvature(t), rtol=1e-10, atol=1e-11)


def test_own_smooth_loss(arrays):
    class Softplus(Loss):
        def value(self, margin):
            return np.logaddexp(0.0, 1.0 - margin)

        def derivative(self, margin):
            return -1.0 / (1.0 + np.exp(margin - 1.0))

        def second(self, margin):
            return 0.25 / np.cosh(0.5 * (margin - 1.0)) ** 2

    X, y, _ = rows()
    reference = AUCClassifier(Softplus()).fit(X, y)
    check_same(AUCClassifier(Softplus()).fit(arrays.put(X), arrays.put(y)), reference)


def test_moments_and_threshold(arrays):
    X, y, weight = rows(n=3000)
    X[:, 3] = 0.1  # constant, and not a binary fraction
    signed = np.where(y > 0, weight, -weight)
    for dtype, rtol in ((np.float64, 1e-12), (np.float32, 1e-5)):
        data = X.astype(dtype)
        products = ArrayProducts(arrays, arrays.put(data))
        classes, reference = products.split(signed), Classes.split(signed)
        moments = class_moments(products, classes)
        expected = class_moments(Products(as_rows(data), 6), reference)
        for found, right in zip(moments, expected, strict=True):
            np.testing.assert_allclose(found, right, rtol=rtol, atol=1e-12)
        assert moments.pos_variance[3] == moments.neg_variance[3] == 0.0
    for scores in (X[:, 0], -X[:, 0], np.zeros(len(X)), np.round(X[:, 1], -2)):
        assert balanced_threshold(arrays.put(scores), classes) == balanced_threshold(scores, reference)


def test_sums_of_many_float32_rows_are_added_in_float64(arrays):
    n = 2**20
    X = np.full((n, 1), 1.0 + 2.0**-20, dtype=np.float32)
    products = ArrayProducts(arrays, arrays.put(X))
    total = products.combine(arrays.put(np.ones(n)))
    np.testing.assert_allclose(total, n * (1.0 + 2.0**-20), rtol=2e-6)


def test_metrics(arrays):
    rng = np.random.default_rng(2)
    score, weight = np.round(rng.normal(size=300), 1), rng.integers(0, 3, size=300).astype(float)
    y = (score + rng.normal(size=300) > 1.0).astype(int)
    on_device = arrays.put(y), arrays.put(score)
    assert auc(*on_device) == auc(y, score)
    assert auc(y, on_device[1]) == auc(y, score)
    assert auc(*on_device, arrays.put(weight)) == pytest.approx(auc(y, score, weight), abs=1e-14)
    np.testing.assert_allclose(auc_interval(*on_device), auc_interval(y, score), rtol=1e-12)
    assert partial_auc(*on_device, max_fpr=0.1) == partial_auc(y, score, max_fpr=0.1)
    with pytest.raises(ValueError, match="score is nan at row 3"):
        auc(on_device[0], arrays.put(np.where(np.arange(300) == 3, np.nan, score)))
    with pytest.raises(ValueError, match="y has 300 rows and score has 299"):
        auc(on_device[0], on_device[1][1:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda X, y, w: (np.where(np.equal(X, X[3, 2]), np.nan, X), y, w),
            "X contains NaN at row 3, column 2",
        ),
        (lambda X, y, w: (X, 0 * y, w), "there is only one class: 0"),
        (lambda X, y, w: (X, np.arange(len(y)) % 3, w), "the labels are 0, 1, 2"),
        (lambda X, y, w: (X, y, -w), "sample_weight is -[1-3] at row"),
        (lambda X, y, w: (X, y, 0 * w), "sample_weight is zero on every row"),
        (lambda X, y, w: (X, y, np.where(y, w, 0.0)), "there is only one class: 1"),
    ],
)
def test_bad_data(arrays, change, message):
    X, y, weight = change(*rows())
    with pytest.raises(ValueError, match=message):
        AUCClassifier().fit(arrays.put(X), arrays.put(y), arrays.put(weight))


def test_model_and_rows_of_two_libraries(arrays):
    X, y, _ = rows()
    model, reference = AUCClassifier().fit(arrays.put(X), arrays.put(y)), AUCClassifier().fit(X, y)
    with pytest.raises(ValueError, match="must use the same namespace"):
        model.predict(X)
    with pytest.raises(ValueError, match="X is .* where fit had NumPy"):
        reference.decision_function(arrays.put(X))
    with sklearn.config_context(array_api_dispatch=False), pytest.raises(ValueError, match="turn on"):
        model.predict(X)


def test_other_estimators_refuse(arrays):
    X, y, _ = rows()
    with pytest.raises(ValueError, match="SOLAM takes NumPy arrays"):
        SOLAM().fit(arrays.put(X), arrays.put(y))


def test_push_is_refused(arrays):
    X, y, _ = rows()
    with pytest.raises(ValueError, match="push must be 1 where X is no NumPy array"):
        AUCClassifier(push=2.0).fit(arrays.put(X), arrays.put(y))
    with pytest.raises(ValueError, match=r"with max_fpr, give pushes=\[1\]"):
        AUCClassifierCV(max_fpr=0.2).fit(arrays.put(X), arrays.put(y))
    assert AUCClassifierCV(max_fpr=0.2, pushes=[1]).fit(arrays.put(X), arrays.put(y)).push_ == 1.0


def test_device_without_float64():
    device = strict.Device("no_float64")
    X, y, _ = rows(dtype=np.float32)
    with pytest.raises(ValueError, match="has no float64"):
        AUCClassifier().fit(strict.asarray(X, device=device), y)


def test_out_of_memory(monkeypatch):
    class OutOfMemoryError(RuntimeError):
        pass

    def fail(self, v):
        raise OutOfMemoryError("tried to allocate 20 GiB")

    monkeypatch.setattr(ArrayProducts, "scores", fail)
    X, y, _ = rows()
    with pytest.raises(MemoryError, match=r"out of memory; beside X, 400 rows need up to 0.54 GB"):
        AUCClassifier().fit(strict.asarray(X), strict.asarray(y))


class OnGPU:
    """An array on a GPU, as NumPy sees it."""

    device, dtype, shape, ndim = "cuda:0", np.dtype(float), (4, 2), 2

    def __array__(self, *_, **__):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def __len__(self):
        return 4

    def __dlpack_device__(self):
        return 2, 0


def test_without_dispatch():
    with sklearn.config_context(array_api_dispatch=False):
        with pytest.raises(ValueError, match="X is a .*OnGPU on cuda:0; turn on scikit-learn's dispatch"):
            AUCClassifier().fit(OnGPU(), [0, 1, 0, 1])
        with pytest.raises(ValueError, match="score is a .*OnGPU on cuda:0; turn on"):
            auc([0, 1, 0, 1], OnGPU())


def test_sparse_tensors_are_refused():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    X, y, _ = rows()
    with pytest.raises(ValueError, match=r"X is a sparse torch\.Tensor; give a dense array"):
        AUCClassifier().fit(torch.asarray(X).to_sparse(), y)


def array_checks():
    """scikit-learn's checks of array API support, for both estimators; they came with 1.9."""
    for estimator in (AUCClassifier(), AUCClassifierCV("squared_hinge", l2s=3, cv=2)):
        for _, check in estimator_checks_generator(estimator):
            if "check_array_api" in str(check):
                settings = ",".join(map(str, check.keywords.values()))
                yield pytest.param(estimator, check, id=f"{type(estimator).__name__}-{settings}")


@pytest.mark.parametrize(("estimator", "check"), array_checks())
def test_scikit_learn(estimator, check):
    if "cuda" in str(check) and not has_gpu():
        pytest.skip("torch has no GPU here")
    with sklearn.config_context(array_api_dispatch=False):  # the checks turn it on
        check(estimator)


def test_model_files_are_of_numpy(arrays, tmp_path):
    X, y, _ = rows()
    model = AUCClassifierCV("squared_hinge").fit(arrays.put(X), arrays.put(y))
    save_model(model, tmp_path / "model.auc")
    loaded = load_model(tmp_path / "model.auc")
    expected = arrays.get(model.predict_proba(arrays.put(X)))
    np.testing.assert_allclose(loaded.predict_proba(X), expected, rtol=1e-9)
