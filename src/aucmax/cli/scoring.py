"""A model on data: rows read as those of its training were, and their scores."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .data import check_known, check_two, chunks, labels
from .options import Reading
from .rendering import pluralize

if TYPE_CHECKING:
    import numpy as np

    from ..io.reading.options import Chunk, Chunks
    from ..io.storage.models import Scorer

_WIDER = r"it has at least \2 features, but the model was trained on \1; give data with the same features"
_FILL = 'fill it in, for example with missing="mean", or'
_BEYOND = re.compile(r"feature \d+ is beyond the (\d+) features expected .*; give n_features=(\d+) or more")


@contextmanager
def as_trained(model_width: bool = True, means: bool = True) -> Iterator[None]:
    """Data that do not suit the model are not to be read otherwise: the error says what the model has."""
    from ..validation.errors import DataError

    try:
        yield
    except DataError as error:
        text = str(error)
        if model_width:
            text = _BEYOND.sub(_WIDER, text)
        if not means:
            text = text.replace(_FILL, 'the model keeps no means to fill it with: give missing="zero", or')
        raise DataError(text) from error


def unseen(scorer: "Scorer", path: str, reading: Reading, size: int = 10_000) -> "Chunks":
    """Rows for a model, read as the training data were unless ``reading`` says otherwise."""
    from ..io.reading.options import Chunks

    return Chunks(_unseen(scorer, path, reading, size))


def _unseen(scorer: "Scorer", path: str, reading: Reading, size: int) -> Generator["Chunk", None, int]:
    wide = reading.n_features is None
    reading = reading.filled(scorer.summary.get("reading", {}))
    if scorer.feature_names is None and reading.n_features is None:
        reading = reading._replace(n_features=len(scorer.coef))
    if reading.means is None and reading.missing == "mean":  # those of other data would change the scores
        reading = reading._replace(missing=None)
    with as_trained(wide, reading.means is not None):
        return (yield from chunks(path, reading, size, features=scorer.feature_names))


def scored(scorer: "Scorer", X: Any, path: str) -> "np.ndarray":
    """The scores of rows, those of the model's ``decision_function`` to the bit."""
    import numpy as np

    from ..kernels.rows import as_rows, scores
    from ..validation.errors import DataError

    found, wanted = X.shape[1], len(scorer.coef)
    if found != wanted:
        raise DataError(f"{path} has {pluralize(found, 'feature')}, but the model was trained on {wanted}.")
    X = X if hasattr(X, "indptr") else np.ascontiguousarray(X)
    return scores(as_rows(X), scorer.coef) + scorer.intercept


def score_labelled_rows(
    scorer: "Scorer", path: str, reading: Reading
) -> tuple["np.ndarray", "np.ndarray", int]:
    """Which rows of the data are positive, the scores of all, and how many bad rows were skipped."""
    import numpy as np

    rows, parts = unseen(scorer, path, reading), []
    for chunk in rows:
        y = labels(chunk, path)
        check_known(y, scorer.classes, path)
        parts.append((y == scorer.classes[1], scored(scorer, chunk.X, path)))
    positive, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    check_two(scorer.classes[np.unique(positive).astype(int)], path)
    return positive, score, rows.skipped
