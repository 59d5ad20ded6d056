"""Checkpoints: all that an online fit knows, and its place in the input, so that it can go on to the bit."""

import os
from typing import Any, NamedTuple

import numpy as np

from . import container
from .codec import decode, encode
from .models import ModelFileError, estimator_name, package, read_kind, restore_estimator

# Raised whenever what some fit keeps between two rows changes its form: no fit goes on from another form.
FORM = 3

_NOT_STATE = ("_skl_", "_parent_callback", "_metadata")  # what scikit-learn hangs on an estimator


class Checkpoint(NamedTuple):
    """An online fit at rest."""

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
    """Write the whole state of an online fit, so that ``partial_fit`` can go on as if never stopped.

    An old checkpoint is replaced in one step, after the new one has reached the disk: whenever the
    process or the machine stops, one of the two is there, whole.

    Parameters
    ----------
    model : estimator of aucmax with ``partial_fit``, after at least one call of it
    path : str or path
    position : optional
        Where in the input the fit is: the ``position`` of the last chunk of ``aucmax.io.stream``.
    arguments, progress : dict, optional
        What to remember of the run: how it was started and how far it is.

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
    arrays: list[np.ndarray] = []
    name = estimator_name(model)
    parameters = model.get_params(deep=False)
    state = {
        key: value
        for key, value in vars(model).items()
        if key not in parameters and not key.startswith(_NOT_STATE)
    }
    header = {
        "kind": "checkpoint",
        "form": FORM,
        "library": package().__version__,
        "estimator": name,
        "parameters": {key: encode(parameters[key], arrays) for key in sorted(parameters)},
        "fitted": {key: encode(state[key], arrays) for key in sorted(state)},
        "position": encode(position, arrays),
        "arguments": encode(arguments or {}, arrays),
        "progress": encode(progress or {}, arrays),
    }
    container.write(path, header, arrays)


def load_checkpoint(path: str | os.PathLike) -> Checkpoint:
    """Read a checkpoint back.

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
        A ValueError: the file is damaged, cut off, newer than this version, or no checkpoint.
    """
    header, arrays = read_kind(path, "checkpoint")
    if header.get("form") != FORM:
        raise ModelFileError(
            f"{os.path.basename(path)} was written by another version of aucmax ({header.get('library')}), "
            "from whose state this one cannot go on; begin again, or use that version."
        )
    try:
        return Checkpoint(
            restore_estimator(header, arrays),
            *(decode(header[key], arrays) for key in ("position", "arguments", "progress")),
        )
    except container.NONSENSE as error:
        raise container.senseless(path, error) from error
