"""The mean scores of the classes and the threshold between them."""

import numpy as np
import pytest

from aucmax.stochastic.engine.model import SCORE_MEMORY, MeanScores, Model, update_mean_scores

pytestmark = pytest.mark.python_mode


def test_midpoint_of_both_classes_of_one_and_of_none():
    assert MeanScores(pos_sum=6.0, pos_weight=2.0, neg_sum=-1.0, neg_weight=1.0).midpoint() == 1.0
    assert MeanScores(neg_sum=-4.0, neg_weight=2.0).midpoint() == -2.0
    assert MeanScores().midpoint() == 0.0


def test_mean_scores_keep_at_most_the_weight_of_the_memory():
    scores = MeanScores()
    for score in (1.0, 1.0, 5.0):
        scores = update_mean_scores(scores, score, True, 1.0, 2.0)
    assert scores.pos_weight == 2.0
    assert scores.pos_sum / scores.pos_weight == pytest.approx((1.0 + 1.0 + 5.0) / 3)
    assert scores.neg_weight == 0.0


def test_threshold_is_midway_between_mean_scores():
    rng = np.random.default_rng(0)
    model, found = Model.at(np.zeros(3), average=False), {True: [], False: []}
    for _ in range(200):
        score, positive = rng.normal(), bool(rng.random() < 0.3)
        found[positive].append(score)
        scores = update_mean_scores(model.scores, score, positive, 1.0, SCORE_MEMORY)
        model = model._replace(scores=scores)
    assert model.threshold() == pytest.approx((np.mean(found[True]) + np.mean(found[False])) / 2)
