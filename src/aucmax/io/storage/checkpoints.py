"""Checkpoints: the state of an online fit and its position in the input, to continue it exactly."""

import os
from typing import Any, NamedTuple

import numpy as np

from . import container
from .codec import decode, encode
from .models import ModelFileError, estimator_name, read_kind, restore_estimator
from .steps import state_of

# Increase this whenever the state of any estimator changes: an older state cannot be continued.
STATE_VERSION = 10


class Checkpoint(NamedTuple):
    """An interrupted online fit."""

    model: Any
    position: Any
    arguments: dict[str, Any]
    progress: dict[str, Any]


def save_checkpoint(
    model: Any,
    path: str | os.PathLike,
    position: Any = None,
    arguments: dict[str, Any] | None = None,
    progress: dict[str, Any] | None = None,
) -> None:
    """Write the whole state of an online fit, so that ``partial_fit`` can continue as if never interrupted.

    The new checkpoint replaces an old one in one step, after it has reached the disk: whenever the process
    or the machine stops, a complete checkpoint exists.

    Parameters
    ----------
    model : estimator of aucmax with ``partial_fit``, after at least one call of it
    path : str or path
    position : optional
        Position in the input: the ``position`` of the last chunk of ``aucmax.io.stream``.
    arguments, progress : dict, optional
        Facts about the run to store: its arguments, and how far it has come.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import SOLAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SOLAM().partial_fit(X[:300], y[:300])
    >>> with TemporaryDirectory() as folder:
    ...     save_checkpoint(model, f"{folder}/run", position=300)
    ...     again = load_checkpoint(f"{folder}/run")
    >>> again.model.partial_fit(X[again.position:], y[again.position:])
    SOLAM()
    >>> bool((again.model.coef_ == model.partial_fit(X[300:], y[300:]).coef_).all())
    True
    """
    import aucmax

    if not hasattr(model, "partial_fit"):
        problem = f"{type(model).__name__} has no partial_fit, so a checkpoint could not be continued"
        raise ValueError(f"{problem}; give save_model a fitted model.")
    arrays: list[np.ndarray] = []
    parameters = model.get_params(deep=False)
    state = state_of(model)
    header = {
        "kind": "checkpoint",
        "form": STATE_VERSION,
        "library": aucmax.__version__,
        "estimator": estimator_name(model),
        "parameters": {key: encode(parameters[key], arrays) for key in sorted(parameters)},
        "fitted": {key: encode(value, arrays) for key, value in state.items() if key not in parameters},
        "position": encode(position, arrays),
        "arguments": encode(arguments or {}, arrays),
        "progress": encode(progress or {}, arrays),
    }
    container.write(path, header, arrays)


def load_checkpoint(path: str | os.PathLike) -> Checkpoint:
    """Read a checkpoint.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Checkpoint
        ``(model, position, arguments, progress)`` as they were saved.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, cut off, from another version, or not a checkpoint.
    """
    header, arrays = read_kind(path, "checkpoint")
    if header.get("form") != STATE_VERSION:
        version = header.get("library")
        problem = f"it was written by aucmax {version}, whose training state this version cannot continue"
        remedy = f"start the training again, or finish it with aucmax {version}"
        raise ModelFileError(problem, remedy=remedy, file=os.path.basename(path))
    with container.decoding(path):
        return Checkpoint(
            restore_estimator(header, arrays),
            *(decode(header[key], arrays) for key in ("position", "arguments", "progress")),
        )
