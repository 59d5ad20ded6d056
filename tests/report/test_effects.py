"""Effects: weights in order of weight times spread, with the intervals of the jackknife."""

import numpy as np
import pytest
from scipy import sparse, stats

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.io import save_model
from aucmax.io.columns.curves import learn_knots, spline_columns
from aucmax.io.columns.encoding import ColumnEncoding, TableEncoding
from aucmax.io.columns.options import ReadOptions
from aucmax.io.storage.models import load_scorer
from aucmax.report.effects import column_moments, curve_spreads, find_curves, find_effects, summarise_effects


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) * [1.0, 100.0, 1.0, 0.01]
    return X, X @ [1.0, 0.02, 0.0, 50.0] + rng.normal(size=300) > 1


def saved(model, folder, **summary):
    save_model(model, folder / "m.auc", summary)
    return load_scorer(folder / "m.auc")


def test_effects_are_weights_times_spreads_with_intervals(rows, tmp_path):
    model = AUCClassifierCV(cv=5).fit(*rows)
    scorer = saved(model, tmp_path)
    found = find_effects(scorer)
    assert [each.feature for each in found[:2]] == ["feature 2", "feature 1"]
    assert [abs(each.effect) for each in found] == sorted((abs(each.effect) for each in found), reverse=True)
    for each in found:
        k = int(each.feature[-1]) - 1
        half = stats.t.isf(0.025, 4) * model.coef_se_[0, k]
        assert each.weight == model.coef_[0, k]
        assert (each.low, each.high) == pytest.approx((each.weight - half, each.weight + half))
        assert each.effect == pytest.approx(each.weight * model.feature_scale_[k])
        assert each.interval == pytest.approx((each.low * each.spread, each.high * each.spread))


def test_weights_of_0_are_left_out_and_what_is_not_known_is_none(rows, tmp_path):
    scorer = saved(AUCClassifier(l1=0.1).fit(*rows), tmp_path)
    scorer.coef[2] = 0.0
    found = find_effects(scorer._replace(spread=None))
    assert "feature 3" not in [each.feature for each in found]
    assert all(each.interval == () and each.spread is None and each.effect == each.weight for each in found)
    given = find_effects(scorer._replace(spread=None), np.full(4, 2.0))
    assert all(each.effect == 2 * each.weight for each in given)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_moments_of_columns(rows, layout):
    X = np.where(rows[0] > 0, rows[0], 0.0)
    np.testing.assert_allclose(column_moments(layout(X)), [X.mean(axis=0), X.std(axis=0)], rtol=1e-10)


@pytest.fixture
def bent(tmp_path):
    """A model of a curve and a straight line, of which the label depends on the square of the first."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 2))
    y = X[:, 0] ** 2 + 0.3 * X[:, 1] + rng.normal(size=800) > 2
    knots = learn_knots(X[:, 0])
    columns = ColumnEncoding("wave", "number", knots=knots), ColumnEncoding("line", "number")
    encoding = TableEncoding(columns, 0)
    bent = np.hstack([spline_columns(X[:, 0], knots), X[:, 1:]])
    model = AUCClassifierCV(cv=5).fit(bent, y)
    model.feature_names_in_ = np.array(encoding.feature_names, dtype=object)
    for layout in (np.asarray, sparse.csr_array):
        spreads = curve_spreads(layout(bent), model.coef_[0], encoding)
        assert spreads == {"wave": pytest.approx(np.std(bent[:, :-1] @ model.coef_[0, :-1]))}
    reading = ReadOptions(encoding=encoding).to_dict()
    return saved(model, tmp_path, reading=reading, curve_spreads=spreads), X


def test_a_curve_is_one_effect(bent):
    scorer, X = bent
    (curve,) = find_curves(scorer)
    assert curve.column == "wave"
    found = summarise_effects(scorer)
    assert [each.feature for each in found] == ["wave (curve)", "line"]
    assert len(find_effects(scorer)) == len(scorer.coef)
    added = np.interp(X[:, 0], curve.curve.x, curve.curve.contribution)
    assert found[0].effect == pytest.approx(added.std(), rel=0.02)
    ends = curve.curve.contribution[[0, -1]]
    middle = np.interp(0.0, curve.curve.x, curve.curve.contribution)
    assert min(ends) > middle  # the square was found
    assert np.isnan(found[0].weight)
