"""The sigmoid loss: AUC made smooth."""

import numpy as np
import pytest

from aucmax.pairs.push import push_loss
from aucmax.pairs.sigmoid import SIGMOID, get_any_loss
from aucmax.pairs.sums import Classes
from aucmax.validation.errors import ParameterError
from oracles.pairs import auc, pair_sums
from pairs.problems import assert_close, draw_scores


@pytest.mark.parametrize(("spread", "ties"), [(0.5, True), (3.0, False), (30.0, True)])
def test_sums_equal_those_over_every_pair(spread, ties):
    score, y, t = draw_scores(0, 60, spread, ties)
    value, gradient, curvature, _ = pair_sums(SIGMOID, score, y, t)
    sums = SIGMOID.sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-9)
    assert_close(sums.gradient(), gradient, 1e-9)
    assert_close(sums.curvature(t), curvature, 1e-9)


def test_derivatives_are_those_of_the_value():
    margin, step = np.linspace(-20.0, 20.0, 801), 1e-4
    for function, derivative in (("value", "derivative"), ("derivative", "second")):
        f = getattr(SIGMOID, function)
        slope = (f(margin + step) - f(margin - step)) / (2.0 * step)
        np.testing.assert_allclose(getattr(SIGMOID, derivative)(margin), slope, atol=1e-8)


def test_the_diagonal_is_a_bound_that_is_never_negative():
    score, y, _ = draw_scores(2, 80, 2.0, ties=False)
    _, _, _, diagonal = pair_sums(SIGMOID, score, y, score)
    bound = SIGMOID.sums(Classes.split(y), score).diagonal()
    assert np.all(bound >= np.abs(diagonal))
    assert diagonal.min() < 0.0 < bound.min()


def test_the_mean_over_pairs_of_long_weights_is_one_minus_auc():
    score, y, _ = draw_scores(3, 200, 1.0, ties=True)
    found = SIGMOID.sums(Classes.split(y), 1e4 * score).value
    assert found == pytest.approx(1.0 - auc(y, score, np.abs(y)), abs=1e-12)


def test_it_is_found_by_name_and_has_no_push():
    assert get_any_loss("sigmoid") is SIGMOID
    with pytest.raises(ParameterError, match="push must be 1 for a loss that is not convex"):
        push_loss(SIGMOID, 2.0)
