"""Pipelines in model files: the steps before the model, by their attributes, and scikit-learn's version."""

import copy
import os
import warnings
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from . import steps
from .codec import CodecError, decode, encode


def encode_steps(pipeline: Pipeline, arrays: list[np.ndarray]) -> dict[str, Any]:
    """The entries of a header for all but the last step; a ValueError names a step that is not known."""
    last = pipeline.steps[-1][0]
    for place, value in sorted(pipeline.get_params().items()):
        if place != last and not place.startswith(f"{last}__"):
            _check(place, value)
    shell = copy.copy(pipeline)
    shell.steps = [*pipeline.steps[:-1], (last, None)]
    return {"pipeline": encode(shell, arrays), "scikit-learn": sklearn.__version__}


def _check(place: str, value: Any) -> None:
    """Raise an error that names the step or the parameter if it cannot be stored."""
    step = f"The step {place!r} of the pipeline"
    if isinstance(value, BaseEstimator):
        if steps.public_name(type(value), steps.CLASSES) is None:
            kind = f"{type(value).__module__}.{type(value).__name__}"
            raise ValueError(f"{step} is a {kind}, which cannot be saved; known are {steps.known_steps()}.")
    elif not isinstance(value, list | tuple):  # of steps, each of which has a place of its own
        try:
            encode(value, [])
        except CodecError as error:
            name, _, parameter = place.rpartition("__")
            raise ValueError(
                f"The step {name!r} of the pipeline cannot be saved: {parameter}={error}."
            ) from error


def restore(
    path: str | os.PathLike, header: dict[str, Any], arrays: list[np.ndarray], model: BaseEstimator
) -> Pipeline:
    """The pipeline of a header, with the model as its last step."""
    pipeline = decode(header["pipeline"], arrays)
    if type(pipeline) is not Pipeline:
        raise CodecError("its pipeline is none")
    pipeline.steps[-1] = (pipeline.steps[-1][0], model)
    written = str(header["scikit-learn"])
    if written.split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warnings.warn(
            f"{os.path.basename(path)} was written with scikit-learn {written}, and this is "
            f"{sklearn.__version__}: its steps may work otherwise. Compare some scores, or fit and save the "
            "pipeline again.",
            stacklevel=4,
        )
    return pipeline
