"""The AUC over folds and its interval."""

import json

import numpy as np
import pytest

from aucmax.cli.evaluation import fold_interval, fold_intervals


def test_folds_without_spread_have_an_interval(run, tmp_path):
    rows = [f"{'+1' if k % 5 == 0 else '-1'} 1:{k % 5 == 0:d} 2:{k % 3}\n" for k in range(50)]
    (tmp_path / "easy.svm").write_text("".join(rows))
    found = json.loads(run("train", tmp_path / "easy.svm", "-o", tmp_path / "m.auc", "--json").out)
    for part in (found, found["logistic_regression"]):
        assert (part["auc"], part["high"]) == (1.0, 1.0)
        assert part["low"] == pytest.approx(0.025 ** (1 / 10))


def test_folds_that_agree_below_1():
    low, high = (fold_interval(np.full(5, 0.75), 40)[end] for end in ("low", "high"))
    assert 0.5 < low < 0.65
    assert 0.85 < high < 1
    wide = fold_interval(np.array([0.7, 0.8]), 40)
    assert wide["low"] == pytest.approx(0.75 - 12.706 * 0.05, abs=1e-3)


def test_the_interval_of_a_partial_auc_ends_at_its_least_value():
    same = {"auc": 0.5, "partial_auc": 0.025, "average_precision": 0.1, "top_recall": 0.0}
    found = fold_intervals([same] * 5, (20, 60), 0.05)["partial_auc"]
    assert found["value"] == pytest.approx(0.5)  # chance
    assert found["low"] == pytest.approx((1 - 0.025 / 0.975) / 2, abs=1e-3)  # no positive up to this rate
    assert found["high"] < 1
