"""Steps of pipelines: the classes of scikit-learn that a file may hold, and what is stored of them.

A file names classes, functions and types, and they are looked up in the lists below and nowhere else, so no
file can run code. Of an object all attributes are stored, by the codec; its constructor is not called.
"""

from importlib import import_module
from typing import Any

import numpy as np

Known = dict[str, str]  # names, with spaces between them, by the module that is their public place

CLASSES: Known = {
    "sklearn.compose": "ColumnTransformer make_column_selector",
    "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer TfidfTransformer TfidfVectorizer",
    "sklearn.feature_selection": "SelectKBest SelectPercentile VarianceThreshold",
    "sklearn.impute": "MissingIndicator SimpleImputer",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": "Binarizer FunctionTransformer KBinsDiscretizer MaxAbsScaler MinMaxScaler "
    "Normalizer OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer QuantileTransformer "
    "RobustScaler SplineTransformer StandardScaler",
    "aucmax.io": "TableEncoder",
}
FUNCTIONS: Known = {"sklearn.feature_selection": "chi2 f_classif f_regression mutual_info_classif"}
TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (bool, int, float, str, object, np.float64, np.float32, np.int64, np.int32, np.number)
}
# What scikit-learn adds to estimators for a session, of which one is an address in memory; and attributes of
# OnlineAUCClassifier that have been computed from others.
NOT_STATE = ("_skl_", "_parent_callback", "_metadata", "_stop_words_id", "_read_out")


def public_name(value: Any, known: Known) -> str | None:
    """The name of a class or function if it is one of those known."""
    name = getattr(value, "__name__", "")
    for module, names in known.items():
        if name in names.split() and getattr(import_module(module), name, None) is value:
            return f"{module}.{name}"
    return None


def find(name: str, known: Known) -> Any:
    """The class or function of that name; a LookupError if it is not known."""
    module, _, attribute = name.rpartition(".")
    if attribute not in known.get(module, "").split():
        raise LookupError(f"it names {name!r}, which this version of aucmax does not know")
    return getattr(import_module(module), attribute)


def known_steps() -> str:
    """The names of the classes that can be stored."""
    return ", ".join(name for names in CLASSES.values() for name in names.split())


def state_of(value: Any) -> dict[str, Any]:
    """The attributes of an object, sorted by name so that equal objects give equal files."""
    return {key: item for key, item in sorted(vars(value).items()) if not key.startswith(NOT_STATE)}


def rebuild(name: str, state: dict[str, Any]) -> Any:
    """An object of a known class with these attributes."""
    if not all(key.isidentifier() and not key.startswith("__") for key in state):
        raise LookupError("it has an attribute with an invalid name")
    found = find(name, CLASSES)
    value = found.__new__(found)
    vars(value).update(getattr(found, "upgrade_state", dict)(state))
    return value
