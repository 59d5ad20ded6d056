"""Labels and weights beside an X of another library than NumPy: checked on its device if they are on it."""

from typing import Any

import numpy as np

from .errors import DataError
from .labels import check_classes, check_known_labels
from .namespaces import ENABLE, Arrays, as_numpy, find_arrays, name_type
from .weights import check_total_weight, check_weights, signed_weights

MIN_WEIGHT, MAX_WEIGHT = 1e-300, 1e300  # of a class; beyond, the host says what is wrong


def signed_labels(y: np.ndarray, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and the weight of each row with the sign of its class, scaled to a mean of one."""
    weights = check_weights(sample_weight, len(y))
    if sample_weight is None:
        classes = check_classes(y)
        return classes, signed_weights(y, classes, weights)
    with np.errstate(over="ignore"):
        check_total_weight(weights.sum())
    counted = weights > 0
    classes = check_classes(y[counted])
    check_known_labels(y, classes)
    return classes, signed_weights(y, classes, weights / weights[counted].mean())


def signed_array_labels(arrays: Arrays, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """``signed_labels`` as arrays of X's library; the classes stay in NumPy where they are no numbers."""
    found = find_two_labels(arrays, y)
    signed = None if found is None else weight_rows(arrays, found[1], sample_weight)
    if found is None or signed is None:  # on another device, or not as it should be, which is an error
        classes, host = signed_labels(np.asarray(as_numpy(y)), as_numpy(sample_weight))
        signed = arrays.put(host)
    else:
        classes = check_classes(found[0])
    return (arrays.put(classes) if classes.dtype.kind in "biuf" else classes), signed


def weight_rows(arrays: Arrays, positive: Any, sample_weight: Any) -> Any:
    """The weight of each row with the sign of its class; None where one is not allowed, or is elsewhere."""
    xp = arrays.xp
    sign = 2.0 * xp.astype(positive, xp.float64) - 1.0
    if sample_weight is None:
        return sign
    if find_arrays(sample_weight) != arrays or sample_weight.shape != positive.shape:
        return None
    signed = sign * arrays.float64(sample_weight)
    of_positive = xp.where(positive, signed, xp.zeros_like(signed))
    counted = xp.sum(xp.astype(signed != 0.0, xp.float64))
    found = xp.stack([xp.min(sign * signed), xp.sum(of_positive), xp.sum(of_positive - signed), counted])
    smallest, pos, neg, count = arrays.get(found).tolist()
    if not (smallest >= 0.0 and min(pos, neg) > MIN_WEIGHT and pos + neg < MAX_WEIGHT):
        return None
    return signed * (count / (pos + neg))


def positive_rows(arrays: Arrays, y: Any, classes: Any) -> Any:
    """Which rows have the second of the two ``classes``; a DataError if one has another label."""
    if find_arrays(y) == find_arrays(classes) == arrays:
        positive = y == classes[1]
        if bool(arrays.xp.all(positive | (y == classes[0]))):
            return positive
    y, classes = np.asarray(as_numpy(y)), as_numpy(classes)
    check_known_labels(y, classes)
    return y == classes[1]


def find_two_labels(arrays: Arrays, y: Any) -> tuple[np.ndarray, Any] | None:
    """The two labels of ``y`` and which rows have the larger; None where it has more or is elsewhere."""
    if find_arrays(y) != arrays:
        return None
    xp, boolean = arrays.xp, y.dtype == arrays.xp.bool
    if boolean:
        y = xp.astype(y, xp.int8)
    ends = xp.stack([xp.min(y), xp.max(y)])
    positive = y == ends[1]
    if not bool(xp.all(positive | (y == ends[0])) & (ends[0] != ends[1])):
        return None
    labels = arrays.get(ends)
    return (labels.astype(bool) if boolean else labels), positive


def check_same_device(estimator: Any, X: Any, method: str) -> None:
    """Raise a DataError unless ``X`` is of the library, and on the device, that the model was fitted on."""
    fitted, given = find_arrays(estimator.coef_), find_arrays(X)
    if fitted is None and not isinstance(estimator.coef_, np.ndarray):
        raise DataError(
            f"{type(estimator).__name__} was fitted on {name_type(estimator.coef_)}", remedy=ENABLE
        )
    if fitted == given:
        return
    where = [f"{each.xp.__name__} on {each.device}" if each else "NumPy" for each in (fitted, given)]
    raise DataError(
        f"Inputs passed to {type(estimator).__name__}.{method}() must use the same namespace and the same "
        f"device as those passed to fit(), and X is {where[1]} where fit had {where[0]}",
        remedy="move X; to_sklearn() gives a model for NumPy arrays",
    )
