"""Nested values as JSON and raw arrays, and back: numbers to the last bit, no code, no pickle.

What can be stored: None, booleans, numbers, strings, lists, tuples, dictionaries with string keys, NumPy
arrays, scalars and RandomStates, and of this package the NamedTuples, the losses and the streaming metric.
A class is named in the file by its module and name, and only those are ever looked up.
"""

import dataclasses
import importlib
import math
import re
from typing import Any

import numpy as np

PLAIN_KINDS = "biufU"  # kinds of arrays that are stored as they lie in memory
OBJECTS = {
    "aucmax.metrics.streaming.StreamingAUC",
    "aucmax.metrics.streaming._Sketch",
    "aucmax.metrics.streaming._Window",
}
_CLASS_NAME = re.compile(r"(aucmax(?:\.[A-Za-z]\w*)+)\.(_?[A-Za-z]\w*)")


class CodecError(ValueError):
    """A value that cannot be stored, or a stored one that makes no sense."""


def encode(value: Any, arrays: list[np.ndarray]) -> Any:
    """Turn a value into what JSON can hold; arrays are put aside, in order, in ``arrays``.

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
    return _encode_object(value, arrays)


def decode(data: Any, arrays: list[np.ndarray]) -> Any:
    """Give the value back that ``encode`` was given."""
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if isinstance(data, list):
        return [decode(item, arrays) for item in data]
    mark = next(iter(data)) if len(data) == 1 else None
    if mark not in _DECODERS:
        return {key: decode(item, arrays) for key, item in data.items()}
    try:
        return _DECODERS[mark](data[mark], arrays)
    except CodecError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise CodecError(f"its entry {mark!r} makes no sense ({error})") from error


def _encode_dict(value: dict, arrays: list[np.ndarray]) -> dict:
    strange = [key for key in value if type(key) is not str]
    if strange:
        raise CodecError(f"a dictionary with the key {strange[0]!r} cannot be stored; use strings as keys")
    encoded = {key: encode(item, arrays) for key, item in value.items()}
    if len(value) == 1 and next(iter(value)) in _DECODERS:  # would read as a mark
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


def _encode_object(value: Any, arrays: list[np.ndarray]) -> dict:
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if _known_class(name) is type(value):
        if isinstance(value, tuple):
            return {"record": [name, [encode(item, arrays) for item in value]]}
        if name in OBJECTS:
            state = value.__getstate__() if hasattr(value, "__getstate__") else vars(value)
            return {"object": [name, encode(state, arrays)]}
        return {"loss": [name, encode(dict(vars(value)), arrays)]}
    raise CodecError(f"{value!r} of type {name} cannot be stored in a file")


def _known_class(name: str) -> type | None:
    """The class of this name, if it is one of the package's that may be stored."""
    parts = _CLASS_NAME.fullmatch(name)
    if not parts:
        return None
    try:
        found = getattr(importlib.import_module(parts[1]), parts[2], None)
    except ImportError:
        return None
    if not isinstance(found, type) or found.__module__ != parts[1]:
        return None
    is_record = issubclass(found, tuple) and hasattr(found, "_fields")
    is_loss = parts[1] == "aucmax.pairs.losses" and dataclasses.is_dataclass(found)
    return found if is_record or is_loss or name in OBJECTS else None


def _class(name: str) -> type:
    found = _known_class(name)
    if found is None:
        raise CodecError(f"it names {name!r}, which this version does not know")
    return found


def _decode_record(data: Any, arrays: list[np.ndarray]) -> Any:
    name, items = data
    return _class(name)(*[decode(item, arrays) for item in items])


def _decode_loss(data: Any, arrays: list[np.ndarray]) -> Any:
    name, fields = data
    return _class(name)(**decode(fields, arrays))


def _decode_object(data: Any, arrays: list[np.ndarray]) -> Any:
    name, state = data
    found = _class(name)
    value: Any = object.__new__(found)
    fields = decode(state, arrays)
    if hasattr(value, "__setstate__"):
        value.__setstate__(fields)
    else:
        vars(value).update(fields)
    return value


def _decode_random_state(data: Any, arrays: list[np.ndarray]) -> np.random.RandomState:
    generator = np.random.RandomState(0)
    generator.set_state(decode(data, arrays))
    return generator


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
    "record": _decode_record,
    "loss": _decode_loss,
    "object": _decode_object,
    "random_state": _decode_random_state,
}
