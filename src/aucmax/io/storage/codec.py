"""Nested values as JSON plus raw arrays, and back: numbers keep every bit, and no code or pickle is stored.

What can be stored: None, booleans, numbers, strings, lists, tuples, dictionaries with string keys, NumPy
arrays, scalars and RandomStates, and the NamedTuples and losses of this package, by their field names; of a
NamedTuple with a method ``for_file``, what that returns. For pipelines: slices, types, splines, and the
objects and functions that ``steps`` lists.
"""

import dataclasses
import importlib
import math
import re
from typing import Any

import numpy as np

from . import steps

PLAIN_KINDS = "biufU"  # kinds of arrays that are stored as their bytes in memory
_RECORD_NAME = re.compile(r"(aucmax(?:\.[A-Za-z]\w*)+)\.(_?[A-Za-z]\w*)")

# Old and new module of a table's encoding: files of earlier versions have the old one.
_MOVED = "aucmax.io.reading.", "aucmax.io.columns."


class CodecError(ValueError):
    """A value that cannot be stored, or a stored one that is invalid."""


def encode(value: Any, arrays: list[np.ndarray]) -> Any:
    """Turn a value into what JSON can hold; arrays are appended to ``arrays`` and stored by their index.

    Examples
    --------
    >>> arrays = []
    >>> encode({"w": np.zeros(3), "steps": (1, 2.5)}, arrays)
    {'w': {'array': 0}, 'steps': {'tuple': [1, 2.5]}}
    >>> decode(_, arrays)
    {'w': array([0., 0., 0.]), 'steps': (1, 2.5)}
    """
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is list:
        return [encode(item, arrays) for item in value]
    if kind is tuple:
        return {"tuple": [encode(item, arrays) for item in value]}
    if kind is dict:
        return _encode_dict(value, arrays)
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays)
    if isinstance(value, np.generic):
        return {"scalar": _encode_array(np.asarray(value), arrays)}
    if kind is np.random.RandomState:
        return {"random_state": encode(value.get_state(legacy=False), arrays)}
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, tuple) and _record_class(name) is kind:
        record: Any = value.for_file() if hasattr(value, "for_file") else value
        return {"record": [name, encode(record._asdict(), arrays)]}
    if _loss_class(name) is kind:
        return {"loss": [kind.__name__, encode(dict(vars(value)), arrays)]}
    return _encode_part_of_pipeline(value, name, arrays)


def _encode_part_of_pipeline(value: Any, name: str, arrays: list[np.ndarray]) -> Any:
    kind = type(value)
    if kind is slice:
        return {"slice": [encode(part, arrays) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, np.dtype) and value.kind in PLAIN_KINDS + "O":
        return {"dtype": value.str}
    if isinstance(value, type) and steps.TYPES.get(value.__name__) is value:
        return {"type": value.__name__}
    if name == "scipy.interpolate._bsplines.BSpline":
        parts = dict(t=value.t, c=value.c, k=value.k, extrapolate=value.extrapolate, axis=value.axis)
        return {"spline": encode(parts, arrays)}
    if (function := steps.public_name(value, steps.FUNCTIONS)) is not None:
        return {"function": function}
    if (step := steps.public_name(kind, steps.CLASSES)) is not None:
        return {"step": [step, encode(steps.state_of(value), arrays)]}
    raise CodecError(f"{value!r} is a {name}, which cannot be stored in a file")


def decode(data: Any, arrays: list[np.ndarray]) -> Any:
    """Give back the value that ``encode`` was given."""
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if isinstance(data, list):
        return [decode(item, arrays) for item in data]
    tag = next(iter(data)) if len(data) == 1 else None
    if tag not in _DECODERS:
        return {key: decode(item, arrays) for key, item in data.items()}
    try:
        return _DECODERS[tag](data[tag], arrays)
    except CodecError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise CodecError(f"its entry {tag!r} is invalid ({error})") from error


def _encode_dict(value: dict, arrays: list[np.ndarray]) -> dict:
    bad_keys = [key for key in value if type(key) not in (str, int)]
    if bad_keys:
        raise CodecError(f"a dictionary with the key {bad_keys[0]!r} cannot be stored; use strings as keys")
    if any(type(key) is int for key in value):
        return {"items": [[key, encode(item, arrays)] for key, item in value.items()]}
    encoded = {key: encode(item, arrays) for key, item in value.items()}
    if len(value) == 1 and next(iter(value)) in _DECODERS:  # decode would take the key for a tag
        return {"dict": encoded}
    return encoded


def _encode_array(value: np.ndarray, arrays: list[np.ndarray]) -> dict:
    if value.dtype.kind in PLAIN_KINDS:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if value.dtype.kind in "OT":  # Python objects, or NumPy's strings of any length
        items = [encode(item, arrays) for item in value.ravel().tolist()]
        return {"objects": [list(value.shape), items]}
    raise CodecError(f"an array of {value.dtype} cannot be stored")


def _record_class(name: str) -> type | None:
    """The NamedTuple of this package with that name; None for any other class, so files cannot load those."""
    parts = _RECORD_NAME.fullmatch(name)
    if not parts:
        return None
    try:
        found = getattr(importlib.import_module(parts[1]), parts[2], None)
    except ImportError:
        return None
    is_record = isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")
    return found if is_record and found.__module__ == parts[1] else None


def _loss_class(name: str) -> type | None:
    """The loss of that class name, whatever module is written before it: 0.1.0 had them in another one."""
    from ...pairs import losses  # only here: most files have no loss, and importing numba is slow

    found = vars(losses).get(name.rpartition(".")[2])
    is_loss = isinstance(found, type) and issubclass(found, losses.Loss) and dataclasses.is_dataclass(found)
    return found if is_loss else None


def _build(found: type | None, data: Any, arrays: list[np.ndarray]) -> Any:
    name, fields = data
    if found is None:
        raise CodecError(f"it names {name!r}, which this version of aucmax does not have")
    return found(**decode(fields, arrays))


def _decode_random_state(data: Any, arrays: list[np.ndarray]) -> np.random.RandomState:
    generator = np.random.RandomState(0)
    generator.set_state(decode(data, arrays))
    return generator


def _decode_spline(data: Any, arrays: list[np.ndarray]) -> Any:
    from scipy.interpolate import BSpline

    return BSpline(**decode(data, arrays))


def _decode_dtype(data: Any, arrays: list[np.ndarray]) -> np.dtype:
    dtype = np.dtype(str(data))
    if dtype.kind not in PLAIN_KINDS + "O":
        raise CodecError(f"it has the type {data!r}, which no array of a model has")
    return dtype


def _decode_objects(data: Any, arrays: list[np.ndarray]) -> np.ndarray:
    shape, items = data
    value = np.empty(len(items), dtype=object)
    value[:] = [decode(item, arrays) for item in items]
    return value.reshape(shape)


_DECODERS: dict[Any, Any] = {
    "float": lambda data, arrays: float(data),
    "tuple": lambda data, arrays: tuple(decode(item, arrays) for item in data),
    "dict": lambda data, arrays: {key: decode(item, arrays) for key, item in data.items()},
    "array": lambda data, arrays: arrays[data],
    "scalar": lambda data, arrays: decode(data, arrays)[()],
    "objects": _decode_objects,
    "record": lambda data, arrays: _build(_record_class(data[0].replace(*_MOVED)), data, arrays),
    "loss": lambda data, arrays: _build(_loss_class(data[0]), data, arrays),
    "random_state": _decode_random_state,
    "items": lambda data, arrays: {decode(key, arrays): decode(item, arrays) for key, item in data},
    "slice": lambda data, arrays: slice(*(decode(part, arrays) for part in data)),
    "dtype": _decode_dtype,
    "type": lambda data, arrays: steps.TYPES[data],
    "spline": _decode_spline,
    "function": lambda data, arrays: steps.find(data, steps.FUNCTIONS),
    "step": lambda data, arrays: steps.rebuild(data[0], decode(data[1], arrays)),
}
