"""Arrays of other libraries, such as torch and CuPy, under scikit-learn's array API dispatch.

scikit-learn is imported when there is such an array: a command that only reads and scores is quicker without.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .errors import DataError

CPU = 1  # the number of the CPU among the devices of DLPack
ENABLE = "turn on scikit-learn's dispatch, sklearn.set_config(array_api_dispatch=True), or move to the CPU"


class Arrays(NamedTuple):
    """The library and the device of an array that is not NumPy's."""

    xp: Any
    device: Any

    def put(self, values: Any, dtype: Any = None) -> Any:
        """A NumPy array, or a list of numbers, as an array of this library on this device."""
        return self.xp.asarray(np.require(values, requirements="W"), dtype=dtype, device=self.device)

    def get(self, array: Any) -> np.ndarray:
        """An array of this library as a NumPy array."""
        from sklearn.utils._array_api import _convert_to_numpy

        return _convert_to_numpy(array, self.xp)

    def float64(self, array: Any) -> Any:
        """An array of this library in float64."""
        return self.xp.astype(array, self.xp.float64, copy=False)


def find_arrays(X: Any) -> Arrays | None:
    """The library and device of ``X``; None where it is used as a NumPy array or a SciPy matrix."""
    strided = str(getattr(X, "layout", "strided")).endswith("strided")  # False for a sparse tensor of torch
    if type(X).__module__.startswith("cupyx.") or not strided:
        raise DataError(
            f"X is a sparse {name_type(X)}", remedy="give a dense array, or a scipy.sparse matrix on the CPU"
        )
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack__"):
        return None
    from sklearn import get_config
    from sklearn.utils._array_api import get_namespace

    if not get_config()["array_api_dispatch"]:
        return None
    xp, _ = get_namespace(X)
    if xp.__name__.rpartition(".")[2] == "numpy":
        return None
    return Arrays(xp, X.device)


def as_numpy(values: Any) -> Any:
    """Arrays of other libraries as NumPy arrays; everything else unchanged."""
    arrays = find_arrays(values)
    return values if arrays is None else arrays.get(values)


def move_attributes(estimator: Any, X: Any) -> None:
    """Move fitted attributes, except labels and names, to the library and device of ``X``."""
    arrays = find_arrays(X)
    if arrays is None:
        return
    for name, value in list(vars(estimator).items()):
        fitted = name.endswith("_") and name not in ("classes_", "feature_names_in_")
        if fitted and isinstance(value, np.ndarray):
            setattr(estimator, name, arrays.put(value))


def name_type(X: Any) -> str:
    """Name of a type with the library that it is from, such as torch.Tensor."""
    return f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"


def as_vector(values: Any, name: str) -> np.ndarray:
    """An array of any library, or a list, in NumPy; a single column becomes a vector."""
    try:
        array = np.asarray(as_numpy(values))
    except (TypeError, RuntimeError):
        refuse_other_device(values, name)
        raise
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def refuse_other_device(X: Any, name: str = "X") -> None:
    """Raise a DataError if ``X`` is on a device that NumPy cannot read."""
    if hasattr(X, "__dlpack_device__") and X.__dlpack_device__()[0] != CPU:
        raise DataError(f"{name} is a {name_type(X)} on {X.device}", remedy=ENABLE)


@contextmanager
def naming_memory(owner: str, X: Any, row_bytes: int, fixed_bytes: int) -> Iterator[None]:
    """Raise a MemoryError that says how much is needed if a device runs out of memory."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "OutOfMemoryError":
            raise
        needed = (X.shape[0] * row_bytes + fixed_bytes) / 1e9
        raise MemoryError(
            f"{owner}: {X.device} is out of memory; beside X, {X.shape[0]} rows need up to {needed:.2g} GB "
            "there, so free as much or give fewer rows."
        ) from error
