"""How a fit continues, stops and warns, and how it works with scikit-learn."""

import copy
import signal
import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import SAUC, SOLAM, SPAM
from aucmax.io import load_model, save_model


@pytest.fixture(params=[SOLAM, SPAM])
def method(request):
    return request.param


def test_tol_stops_early_or_a_warning_is_given(method, problem):
    X, y, _ = problem
    early = method(tol=0.05, max_iter=1000, random_state=0).fit(X, y)
    assert 1 < early.n_iter_ < 1000
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        late = method(tol=1e-9, max_iter=3, random_state=0).fit(X, y)
    assert late.n_iter_ == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert method(max_iter=3).fit(X, y).n_iter_ == 3


def test_publishing_after_each_pass_changes_no_bit(method, problem, layout):
    X, y, weights = problem
    with pytest.warns(ConvergenceWarning):
        published = method(tol=0.0, max_iter=4, random_state=0).fit(layout(X), y, weights)
    model = method(max_iter=4, random_state=0).fit(layout(X), y, weights)
    np.testing.assert_array_equal(model.coef_, published.coef_)
    np.testing.assert_array_equal(model._solver.model.v, published._solver.model.v)


def test_tol_is_on_the_change_of_the_weights(method, problem):
    X, y, _ = problem
    model = method(tol=0.05, max_iter=1000, random_state=0).fit(X, y)
    before = method(max_iter=model.n_iter_ - 1, random_state=0).fit(X, y).coef_
    change = np.linalg.norm(model.coef_ - before) / np.linalg.norm(model.coef_)
    assert change <= 0.05


def test_random_state_determines_the_order_of_rows(method, problem):
    X, y, _ = problem
    first, second, other = (method(random_state=seed).fit(X, y).coef_ for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_warm_start_continues_from_the_weights(method, problem):
    X, y, _ = problem
    model = method(max_iter=1, step_size=1e-9, random_state=0, warm_start=True, average=False)
    model.coef_ = np.linspace(-1, 1, 20)[None, :]
    np.testing.assert_allclose(model.fit(X, y).coef_, np.linspace(-1, 1, 20)[None, :], atol=1e-6)


def test_partial_fit_continues_after_fit(method, problem):
    X, y, _ = problem
    model = method(random_state=0).fit(X, y)
    before = model.score(X, y)
    for _ in range(5):
        model.partial_fit(X, y)
    assert model.score(X, y) > before - 0.02


def test_a_first_chunk_of_one_class_needs_classes(method, problem):
    X, y, _ = problem
    only = y == y[0]
    with pytest.raises(ValueError, match=r"all of class .*; name the two classes: classes=\[\.\.\.\]\."):
        method().partial_fit(X[only], y[only])
    method().partial_fit(X[only], y[only], classes=np.unique(y))


def test_partial_fit_of_a_model_file_is_refused(method, problem, tmp_path):
    X, y, _ = problem
    save_model(method(random_state=0).fit(X, y), tmp_path / "model.auc")
    with pytest.raises(ValueError, match="use a checkpoint"):
        load_model(tmp_path / "model.auc").partial_fit(X, y)


def test_weights_count_as_repetitions_on_average(method, problem):
    X, y, weights = problem
    repeat = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = method(max_iter=2000, random_state=0).fit(X, y, sample_weight=weights).coef_[0]
    repeated = method(max_iter=2000, random_state=0).fit(X[repeat], y[repeat]).coef_[0]
    cosine = weighted @ repeated / np.linalg.norm(weighted) / np.linalg.norm(repeated)
    assert cosine > 0.999


def test_scale_of_the_weights_does_not_matter(method, problem):
    X, y, weights = problem
    one = method(random_state=0).fit(X, y, sample_weight=weights).coef_
    ten = method(random_state=0).fit(X, y, sample_weight=10 * weights).coef_
    np.testing.assert_allclose(one, ten, rtol=1e-10)


def test_deepcopy_continues_a_stream(method, problem, layout):
    X, y, _ = problem
    model = method().partial_fit(layout(X[:99]), y[:99])
    twin = copy.deepcopy(model)
    model.partial_fit(layout(X[99:]), y[99:])
    np.testing.assert_array_equal(
        twin.partial_fit(layout(X[99:]), y[99:]).coef_,
        method().partial_fit(layout(X), y).coef_,
    )
    np.testing.assert_array_equal(model.coef_, twin.coef_)


def test_stream_may_mix_dense_and_sparse_chunks(method, problem):
    from scipy import sparse

    X, y, _ = problem
    mixed = method().partial_fit(X[:100], y[:100]).partial_fit(sparse.csr_array(X[100:]), y[100:])
    np.testing.assert_allclose(mixed.coef_, method().partial_fit(X, y).coef_, atol=1e-12)


def test_predict_splits_midway_between_the_mean_scores(method, problem):
    X, y, _ = problem
    model = method(max_iter=50, random_state=0).fit(X, y)
    score = model.decision_function(X)
    middle = (score[y > 0].mean() + score[y < 0].mean()) / 2
    assert abs(middle) < 0.1 * (score[y > 0].mean() - score[y < 0].mean())
    np.testing.assert_array_equal(model.predict(X), np.where(score > 0, 1, -1))


class TestWithScikitLearn:
    def test_pipeline_and_grid_search_by_auc(self, method, problem):
        X, y, _ = problem
        search = GridSearchCV(
            make_pipeline(StandardScaler(), method(random_state=0)),
            {f"{method.__name__.lower()}__step_size": [0.1, 1.0]},
            cv=3,
        ).fit(X, y)
        auc = cross_val_score(search.best_estimator_, X, y, cv=3, scoring="roc_auc").mean()
        assert search.best_score_ == pytest.approx(auc)

    def test_calibration_threshold_and_many_classes(self, method, problem):
        X, y, _ = problem
        probability = CalibratedClassifierCV(method(random_state=0), cv=3).fit(X, y).predict_proba(X)
        assert probability.shape == (300, 2)
        TunedThresholdClassifierCV(method(random_state=0), cv=3).fit(X, y).predict(X)
        flowers, kinds = load_iris(return_X_y=True)
        many = OneVsRestClassifier(method(random_state=0)).fit(StandardScaler().fit_transform(flowers), kinds)
        assert many.decision_function(flowers).shape == (150, 3)

    def test_callbacks_run_after_each_pass_and_can_stop_the_fit(self, method, problem):
        pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
        X, y, _ = problem

        class Recorder:
            def __init__(self):
                self.auc, self.closed = [], 0

            def setup(self, estimator, context):
                pass

            def teardown(self, estimator, context):
                self.closed += 1

            def on_fit_task_begin(self, estimator, context):
                pass

            def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
                if context.task_name == "pass":
                    self.auc.append(fitted_estimator.score(X, y))
                return len(self.auc) == 4

        recorder = Recorder()
        model = method(max_iter=9, random_state=0).set_callbacks(recorder).fit(X, y)
        assert model.n_iter_ == len(recorder.auc) == 4
        assert recorder.closed == 1
        assert recorder.auc[-1] == pytest.approx(model.score(X, y))


@pytest.mark.parametrize("tol", [None, 0.0])
@pytest.mark.parametrize("warm_start", [False, True])
def test_interrupted_fit_leaves_the_estimator_unchanged(method, problem, monkeypatch, tol, warm_start):
    X, y, _ = problem
    model = method(max_iter=10, tol=tol, warm_start=warm_start, random_state=0)
    original = type(model)._pass
    passes = []

    def interrupted_third_pass(self, solver, data):
        passes.append(1)
        if len(passes) == 3:
            raise KeyboardInterrupt
        return original(self, solver, data)

    fresh = copy.deepcopy(model)
    model.partial_fit(X, y)
    before = copy.deepcopy(model)
    with monkeypatch.context() as patch:
        patch.setattr(type(model), "_pass", interrupted_third_pass)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[:, ::-1], -y)
        passes.clear()
        with pytest.raises(KeyboardInterrupt):
            fresh.fit(X, y)
    assert vars(fresh).keys() == vars(method()).keys()
    np.testing.assert_array_equal(model.coef_, before.coef_)
    np.testing.assert_array_equal(model.partial_fit(X, y).coef_, before.partial_fit(X, y).coef_)


def test_failed_first_chunk_leaves_the_estimator_unfitted(method, problem):
    X, y, _ = problem
    model = method()
    X = X.copy()
    X[3] = 1e200
    with pytest.raises(ValueError, match="diverged"):
        model.partial_fit(X, y)
    assert vars(model).keys() == vars(method()).keys()


def test_interrupt_takes_effect_at_the_end_of_a_pass(problem, monkeypatch):
    X, y, _ = problem
    model = SAUC(max_iter=1, random_state=0)
    original = type(model)._pass
    ended = []

    def interrupted(self, solver, data):
        signal.raise_signal(signal.SIGINT)
        ended.append(original(self, solver, data))
        return ended[-1]

    monkeypatch.setattr(SAUC, "_pass", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(ended) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
