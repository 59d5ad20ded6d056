"""Numbers with names, in one array that is saved and copied as a whole."""

from typing import Any

import numpy as np


def float_fields(*names: str) -> Any:
    """The type of a record of floats with these names."""
    return np.dtype((np.record, [(name, "f8") for name in names]))


def by_name(numbers: np.ndarray, fields: Any) -> Any:
    """A view of the last axis with a name for each number; what is assigned to one changes ``numbers``."""
    return np.recarray(numbers.shape[:-1], dtype=fields, buf=numbers)  # type: ignore[call-overload]
