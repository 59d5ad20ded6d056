"""Curves are means over repeats, without the level of each split."""

import numpy as np

from aucmax.reproduction.page.mean_curves import mean_curve


def test_curve_is_the_mean_and_the_level_of_a_split_is_subtracted():
    records = [
        {"repeat": repeat, "point": point, "passes": point + 1, "auc": auc}
        for repeat, aucs in enumerate([(0.5, 0.7, 0.8), (0.6, 0.8, 0.9)])
        for point, auc in enumerate(aucs)
    ]
    curve = mean_curve(records[::-1], "passes", "auc")
    np.testing.assert_allclose(curve.x, [1, 2, 3])
    np.testing.assert_allclose(curve.y, [0.55, 0.75, 0.85])
    np.testing.assert_allclose(curve.low, curve.y)
    np.testing.assert_allclose(curve.high, curve.y)
    assert curve.first_x(0.749) == 2
    assert len(mean_curve(records, "passes", "variance").x) == 0
