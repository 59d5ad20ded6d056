"""Scores on a mesh, one row and one node at a time."""

import numpy as np
import pytest

from aucmax.distributed import mesh
from aucmax.distributed.mesh import spread_scores


def b_spline(x):
    """The cubic B-spline around 0, in spacings."""
    x = abs(x)
    return 2.0 / 3.0 - x * x * (1.0 - 0.5 * x) if x < 1.0 else max(0.0, 2.0 - x) ** 3 / 6.0


@pytest.mark.python_mode
@pytest.mark.parametrize("max_table", [0, 2**20])  # nodes are sorted, or found in a table
@pytest.mark.parametrize("spacing", [0.25, 1.0 / 64.0])
def test_weights_and_their_changes(spacing, max_table, monkeypatch):
    monkeypatch.setattr(mesh, "MAX_TABLE", max_table)
    rng = np.random.default_rng(0)
    score, change, signed = rng.normal(size=(3, 40))
    score[:3], score[3], signed[4] = (0.0, 1.0, -0.5), 30.0, 0.0  # scores at nodes, one far away, no weight
    found = spread_scores(score, change, signed, spacing)
    assert np.all(np.diff(found.nodes) > 0)
    before, weights, later = np.zeros((3, 2, len(found.nodes)))
    step = 1e-5 * spacing
    for total, moved in ((before, score - step * change), (weights, score), (later, score + step * change)):
        for s, weight in zip(moved, signed, strict=True):
            total[int(weight > 0.0)] += [abs(weight) * b_spline(s / spacing - k) for k in found.nodes]
    np.testing.assert_allclose(found.weight[:2], weights, atol=1e-12)
    np.testing.assert_allclose(
        found.weight[:2].sum(axis=1), [-signed[signed < 0].sum(), signed[signed > 0].sum()]
    )
    np.testing.assert_allclose(found.weight[2:], 0.5 * (later - before) / step, atol=1e-7 / spacing)


def test_table_and_sort_give_the_same_nodes_and_bits(monkeypatch):
    score, change, signed = np.random.default_rng(0).normal(size=(3, 500))
    table = spread_scores(score, change, signed, 1.0 / 64.0)
    monkeypatch.setattr(mesh, "MAX_TABLE", 0)
    found = spread_scores(score, change, signed, 1.0 / 64.0)
    np.testing.assert_array_equal(found.nodes, table.nodes)
    np.testing.assert_array_equal(found.weight, table.weight)


def test_no_rows_and_scores_too_large():
    empty = spread_scores(np.empty(0), np.empty(0), np.empty(0), 1.0)
    assert empty.weight.shape == (4, 0)
    whole = spread_scores(np.ones(1), np.ones(1), np.ones(1), 1.0)
    np.testing.assert_array_equal((empty + whole).weight, whole.weight)
    for score in (1e300, np.inf, np.nan):
        with pytest.raises(ValueError, match="Scores became too large"):
            spread_scores(np.array([0.0, score]), np.zeros(2), np.ones(2), 1.0)
