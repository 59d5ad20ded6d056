"""Groups reach the splitter: directly, and by scikit-learn's metadata routing."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, StratifiedGroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV
from batch.problems import ranked

GRID = [0.01, 0.1, 1.0]


@pytest.fixture
def grouped():
    """Rows, labels and groups."""
    X, y, _ = ranked()
    return X, y, np.random.default_rng(0).integers(0, 8, len(y))


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("cv", [StratifiedGroupKFold(4), GroupKFold(3), LeaveOneGroupOut()], ids=str)
@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
def test_folds_are_those_of_the_splitter(grouped, cv, routing):
    X, y, groups = grouped
    expected = AUCClassifierCV("squared", l2s=GRID, cv=list(cv.split(X, y, groups))).fit(X, y)
    with config_context(enable_metadata_routing=routing):
        found = AUCClassifierCV("squared", l2s=GRID, cv=cv).fit(X, y, groups=groups)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
def test_routed_through_a_pipeline_and_cross_validation(grouped):
    X, y, groups = grouped
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    outer, inner = StratifiedGroupKFold(3), StratifiedGroupKFold(2)
    with config_context(enable_metadata_routing=True):
        model = AUCClassifierCV("squared", l2s=GRID, cv=inner).set_fit_request(sample_weight=True)
        scoring = get_scorer("roc_auc").set_score_request(sample_weight=False)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        found = cross_validate(
            make_pipeline(scaler, model),
            X,
            y,
            params={"groups": groups, "sample_weight": weight},
            cv=outer,
            scoring=scoring,
            return_estimator=True,
        )["estimator"]
    for (rows, _), fitted in zip(outer.split(X, y, groups), found, strict=True):
        scaled = StandardScaler().fit_transform(X[rows])
        expected = AUCClassifierCV("squared", l2s=GRID, cv=inner)
        expected.fit(scaled, y[rows], weight[rows], groups=groups[rows])
        np.testing.assert_array_equal(fitted[-1].coef_, expected.coef_)


def test_arguments_that_cannot_be_used(grouped):
    X, y, groups = grouped
    with pytest.raises(
        ValueError, match=r"cv must be a splitter that keeps groups together.*StratifiedGroupKFold.5.*got 5"
    ):
        AUCClassifierCV().fit(X, y, groups=groups)
    with pytest.raises(
        TypeError, match=r"AUCClassifierCV.fit\(\) got an unexpected keyword argument 'group'"
    ):
        AUCClassifierCV(cv=GroupKFold(3)).fit(X, y, group=groups)
    with pytest.raises(
        ValueError, match="does not split the rows: The 'groups' parameter should not be None"
    ):
        AUCClassifierCV(cv=GroupKFold(3)).fit(X, y)
    with pytest.raises(ValueError, match="does not split the rows: .*inconsistent numbers of samples"):
        AUCClassifierCV(cv=GroupKFold(3)).fit(X, y, groups=groups[:-1])
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(TypeError, match="unexpected argument.*groups"),
    ):
        AUCClassifierCV().fit(X, y, groups=groups)
    AUCClassifierCV("squared", l2s=[0.1]).fit(X, y, groups=None)
