"""Averages of iterates whose computation is deferred to the end of a pass.

Over the passes of a fit one number per row replaces an update of the average at each non-zero.
"""

import numpy as np

from ...kernels.jit import kernel
from ...kernels.rows import axpy
from .loop import Data
from .model import LinearModel, Model


def defer_average(data: Data, model: LinearModel) -> Data:
    """Let the passes over these rows defer the model's average, if it keeps one."""
    averaged = isinstance(model, Model) and len(model.v) > 0
    return data._replace(deferred_average=np.zeros(len(data.y) if averaged else 0))


def flush_average(model: LinearModel, data: Data) -> LinearModel:
    """The model with the deferred part, if any, added to its average; the arguments do not change."""
    if not isinstance(model, Model) or not len(data.deferred_average):
        return model
    v = model.v.copy()
    _add_rows(data.X, data.deferred_average, v)
    return model._replace(v=v)


@kernel
def _add_rows(X, multiples, v):
    for i in range(len(multiples)):
        axpy(X, i, multiples[i], v)
