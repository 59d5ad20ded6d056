"""Models as ONNX graphs, through skl2onnx: scores are computed in double precision, whatever the input."""

import sys
from collections.abc import Callable, Container
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ...validation.columns import find_unusable_columns, is_frame
from ...validation.errors import DataError
from ...validation.optional import import_optional
from ...validation.parameters import one_of
from ..columns.table_encoder import TableEncoder
from .onnx_converters import (
    LINEAR,
    TABLE,
    convert_linear,
    convert_table,
    linear_types,
    parse_linear,
    parse_table,
    table_types,
)
from .scoring import known_values, name_of, table_model


def to_onnx(model: Any, X: Any = None, *, dtype: str = "float32") -> Any:
    """Convert a model, or a pipeline that ends in one, to ONNX.

    The graph has the outputs ``label``, ``scores`` (the decision function) and, where the model has them,
    ``probabilities``, a column for each class. Within the graph scores are computed in double precision.

    Parameters
    ----------
    model : fitted estimator of aucmax, Pipeline, or what ``load_model`` returns
    X : data frame or array, optional
        Some rows of the training data of a pipeline: each column of a data frame becomes an input of that
        name. By default there is one input ``X``, a matrix; for a model of a table, its columns.
    dtype : {"float32", "float64"}, default="float32"
        Type of the numbers that are put in, and of the scores.

    Returns
    -------
    onnx.ModelProto
        ``.SerializeToString()`` gives the bytes of a file.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> graph = to_onnx(AUCClassifier().fit(X, y)).graph
    >>> [output.name for output in graph.output]
    ['label', 'scores']
    """
    one_of("float32", "float64").check("dtype", dtype)
    register_onnx()
    import skl2onnx
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    check_is_fitted(model)
    number = FloatTensorType if dtype == "float32" else DoubleTensorType
    inputs = _inputs(model, X, number)
    try:
        return _with_input_names(skl2onnx.to_onnx(model, initial_types=inputs), [name for name, _ in inputs])
    except (RuntimeError, NotImplementedError, TypeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DataError(f"skl2onnx cannot convert this {name_of(model)} ({reason})") from error


def register_onnx() -> None:
    """Tell skl2onnx how to convert the models of aucmax, also within pipelines, to use it directly.

    ``to_onnx`` does it by itself.
    """
    import_optional("skl2onnx", "Converting a model to ONNX", "export")
    from skl2onnx import update_registered_converter

    import aucmax

    models = [getattr(aucmax, name) for name in aucmax.__all__]
    if (optional := sys.modules.get("aucmax.distributed")) is not None:
        models += [optional.DaskAUCClassifier, optional.DaskAUCClassifierCV]
    options = {"zipmap": [True, False, "columns"], "raw_scores": [True, False]}
    for model in models:
        converter = model, LINEAR, linear_types, convert_linear
        update_registered_converter(*converter, parser=parse_linear, options=options)
    update_registered_converter(TableEncoder, TABLE, table_types, convert_table, parser=parse_table)


def _inputs(model: Any, X: Any, number: Callable) -> list[tuple[str, Any]]:
    """Names and types of the inputs of the graph."""
    from skl2onnx.common.data_types import StringTensorType

    def columns(names: Any, texts: Container[str]) -> list[tuple[str, Any]]:
        return [(str(name), (StringTensorType if name in texts else number)([None, 1])) for name in names]

    found = table_model(model)
    if found is not None and found.encoder is not None:
        known = known_values(found.encoder.known_encoding())
        if known.of_kind("date"):
            problem = f"ONNX has no dates, but the model has the column {known.of_kind('date')[0].name!r}"
            raise DataError(problem, remedy="export SQL, or train without it: {drop}")
        names = [column.name for column in known.columns]
        return columns(names, {column.name for column in known.of_kind("text")})
    if X is not None and is_frame(X):
        return columns(X.columns, {name for name, _ in find_unusable_columns(X)})
    if X is None and isinstance(model, Pipeline) and hasattr(model, "feature_names_in_"):
        raise DataError(
            "the inputs of a pipeline that was fitted on a data frame are its columns",
            remedy="give some of its rows as {X}",
        )
    return [("X", number([None, int(model.n_features_in_)]))]


def _with_input_names(model: Any, names: list[str]) -> Any:
    """The inputs under their own names: skl2onnx turns ``hours per week`` into ``hours_per_week``."""
    renamed = {value.name: name for value, name in zip(model.graph.input, names, strict=True)}
    for value in model.graph.input:
        value.name = renamed[value.name]
    for node in model.graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
    return model
