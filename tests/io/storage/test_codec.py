"""The codec gives back what it was given, and refuses what it cannot store."""

import json

import numpy as np
import pytest

from aucmax.io.storage.codec import CodecError, decode, encode
from aucmax.pairs.losses import Loss, SmoothedHinge, SquaredHinge
from aucmax.stochastic.engine.model import Model


@pytest.mark.parametrize(
    "value",
    [
        None,
        -0.0,
        float("inf"),
        2**70,
        np.float32(0.1),
        np.str_("x"),
        (1, [2.5, "three"], {"four": None}),
        {"tuple": [1]},
        {0: 1, "1": 2},
        slice(None, 3, 2),
        np.float64,
        np.dtype("float32"),
        np.dtype(object),
        SquaredHinge(),
        SmoothedHinge(0.25),
        Model(np.arange(3.0), np.zeros(0), n_seen=7),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3), dtype=np.int32),
    ],
    ids=repr,
)
def test_values_come_back(value):
    arrays = []
    again = decode(json.loads(json.dumps(encode(value, arrays))), arrays)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_names_of_losses_are_without_their_module():
    assert encode(SquaredHinge(), []) == {"loss": ["SquaredHinge", {}]}
    for name in ("SquaredHinge", "aucmax.losses.SquaredHinge"):  # 0.1.0 wrote the module
        assert decode({"loss": [name, {}]}, []) == SquaredHinge()


class Logistic(Loss):
    """A user's loss that has the name of one of the package."""

    value = derivative = second = None


@pytest.mark.parametrize(
    "value", [object(), {1.5: 2}, {None: 2}, np.array([1j]), lambda: 0, json, Logistic(), complex]
)
def test_other_values_are_refused(value):
    with pytest.raises(CodecError):
        encode(value, [])
