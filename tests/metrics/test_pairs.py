"""Mean pair loss against the table of all pairs."""

import numpy as np
import pytest

from aucmax.metrics import pair_loss
from aucmax.pairs.losses import LOSSES

MARGIN_LOSSES = {
    "squared_hinge": lambda m: np.maximum(1 - m, 0) ** 2,
    "hinge": lambda m: np.maximum(1 - m, 0),
    "logistic": lambda m: np.logaddexp(0, -m),
    "squared": lambda m: (1 - m) ** 2,
    "exponential": lambda m: np.exp(-m),
}


def test_every_loss_is_covered():
    assert set(MARGIN_LOSSES) == set(LOSSES)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MARGIN_LOSSES)
def test_equals_all_pairs(name, weighted):
    rng = np.random.default_rng(0)
    y = rng.random(150) < 0.3
    score = np.round(rng.normal(size=150) + y, 1)
    weight = rng.integers(0, 4, 150) / 2 if weighted else np.ones(150)
    margins = score[y][:, None] - score[~y]
    products = np.outer(weight[y], weight[~y])
    expected = (products * MARGIN_LOSSES[name](margins)).sum() / products.sum()
    labels = np.where(y, "yes", "no")
    found = pair_loss(labels, score, name, weight if weighted else None)
    assert found == pytest.approx(expected, rel=1e-9)
    assert pair_loss(labels, score, LOSSES[name], weight) == pytest.approx(expected, rel=1e-9)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="loss must be .* got 'hing'"):
        pair_loss([0, 1], [0.0, 1.0], "hing")
    with pytest.raises(ValueError, match="one class: 1"):
        pair_loss([1, 1], [0.0, 1.0], "hinge")
