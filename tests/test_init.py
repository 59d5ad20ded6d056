"""The public names: all can be imported, and no others."""

import pytest

import aucmax


@pytest.mark.parametrize("name", dir(aucmax))
def test_public_names_can_be_used(name):
    assert getattr(aucmax, name) is not None


def test_estimators_are_listed():
    assert {"AUCClassifier", "AUCClassifierCV", "OnlineAUCClassifier", "SPAM"} <= set(aucmax.__all__)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="module 'aucmax' has no attribute 'nothing'"):
        _ = aucmax.nothing
