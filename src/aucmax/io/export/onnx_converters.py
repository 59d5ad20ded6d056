"""How skl2onnx converts the models of aucmax: a parser, a function for types, and one that writes nodes.

skl2onnx calls them with its own ``scope`` (names), ``operator`` (model, inputs, outputs) and ``container``
(nodes). Another converter, such as that of VotingClassifier, may ask for fewer outputs than the parser.
"""

from typing import Any

import numpy as np

from ..columns.curves import spline_pieces
from ..columns.encoding import ColumnEncoding
from .scoring import Pieces

LINEAR, TABLE = "AucmaxLinearModel", "AucmaxTableEncoder"  # the names of the converters
OPSET = 13  # of the operators below: the first in which Min, Max and Sigmoid take doubles everywhere


class Graph:
    """Adds nodes to the graph of a converter; each method returns the name of a result."""

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(
        self, kind: str, *inputs: str, output: str | None = None, version: int = OPSET, **settings: Any
    ) -> str:
        """Add a node; its output gets a new name unless one is given."""
        output = output or self._scope.get_unique_variable_name(kind.lower())
        name = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, list(inputs), output, op_version=version, name=name, **settings)
        return output

    def constant(self, values: Any) -> str:
        """A tensor of doubles, whole numbers or text."""
        from onnx import TensorProto

        array = np.asarray(values)
        kinds = {"f": TensorProto.DOUBLE, "i": TensorProto.INT64, "U": TensorProto.STRING}
        content = array.ravel().tolist()
        if array.dtype.kind == "U":
            content = [text.encode() for text in content]
        name = self._scope.get_unique_variable_name("constant")
        self._container.add_initializer(name, kinds[array.dtype.kind], array.shape, content)
        return name

    def double(self, value: str) -> str:
        """A value in double precision."""
        from onnx import TensorProto

        return self.node("Cast", value, to=TensorProto.DOUBLE)

    def side_by_side(self, parts: list[str]) -> str:
        """The columns of all parts."""
        return parts[0] if len(parts) == 1 else self.node("Concat", *parts, axis=1)

    def write(self, value: str, output: Any, shape: list[int]) -> None:
        """Give a value the type and shape of an output of the operator."""
        from skl2onnx.common.data_types import guess_proto_type

        shaped = self.node("Reshape", value, self.constant(np.array(shape, dtype=np.int64)))
        self.node("Cast", shaped, output=output.full_name, to=guess_proto_type(output.type))


def parse_linear(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
    """Declare the outputs of a model at the end of a graph."""
    from skl2onnx.common.data_types import Int64TensorType, guess_tensor_type

    operator = scope.declare_local_operator(LINEAR, model)
    operator.inputs = inputs
    number = guess_tensor_type(inputs[0].type)
    names = ["probabilities", "scores"] if hasattr(model, "calibration_") else ["scores"]
    operator.outputs.append(scope.declare_local_variable("label", Int64TensorType()))
    for name in names:
        operator.outputs.append(scope.declare_local_variable(name, type(number)()))
    return operator.outputs


def linear_types(operator: Any) -> None:
    """Set the types and shapes of the outputs."""
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType

    rows = operator.inputs[0].type.shape[0] if operator.inputs[0].type.shape else None
    text = _label_values(operator.raw_operator).dtype.kind == "U"
    operator.outputs[0].type = (StringTensorType if text else Int64TensorType)([rows])
    for output, what in zip(operator.outputs[1:], _further_outputs(operator), strict=True):
        output.type = type(output.type)([rows, 2] if what == "probabilities" else [rows])


def convert_linear(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes of a linear model: score, label and probabilities."""
    from onnx import TensorProto

    model, graph = operator.raw_operator, Graph(scope, container)
    X = graph.side_by_side([graph.double(each.full_name) for each in operator.inputs])
    weighted = graph.node("MatMul", X, graph.constant(model.coef_.T))
    score = graph.node("Add", weighted, graph.constant(model.intercept_))
    positive = graph.node("Cast", graph.node("Greater", score, graph.constant([0.0])), to=TensorProto.INT64)
    index = graph.node("Reshape", positive, graph.constant([-1]))
    graph.node(
        "Gather", graph.constant(_label_values(model)), index, output=operator.outputs[0].full_name, axis=0
    )
    for output, what in zip(operator.outputs[1:], _further_outputs(operator), strict=True):
        if what == "scores":
            graph.write(score, output, [-1])
        else:
            graph.write(_probabilities(graph, score, model), output, [-1, 2])


def _probabilities(graph: Graph, score: str, model: Any) -> str:
    start, low, high, knot, slope = Pieces.of(model.calibration_)
    largest = np.finfo(np.float64).max
    low, high = np.maximum(low, -largest), np.minimum(high, largest)  # infinity times 0 would be no number
    clipped = graph.node("Min", graph.node("Max", score, graph.constant(low)), graph.constant(high))
    along = graph.node("Sub", clipped, graph.constant(knot))
    rise = graph.node("MatMul", along, graph.constant(slope[:, None]))
    log_odds = graph.node("Add", rise, graph.constant([start]))
    both = graph.node("Concat", graph.node("Neg", log_odds), log_odds, axis=1)
    return graph.node("Sigmoid", both)


def _further_outputs(operator: Any) -> list[str]:
    """What the outputs after the label are; one of them alone is what another converter asks for."""
    count = len(operator.outputs) - 1
    if not hasattr(operator.raw_operator, "calibration_"):
        return ["scores"] * count
    options = operator.scope_inst.get_options(operator.raw_operator, {"raw_scores": False})
    return ["scores"] if count == 1 and options["raw_scores"] else ["probabilities", "scores"][:count]


def _label_values(model: Any) -> np.ndarray:
    """The classes as ONNX has them: whole numbers or text."""
    classes = np.asarray(model.classes_.tolist())
    return classes if classes.dtype.kind == "U" else classes.astype(np.int64)


def parse_table(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
    """Declare the matrix of features, whose numbers have the type of the inputs."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    operator = scope.declare_local_operator(TABLE, model)
    operator.inputs = inputs
    double = any(isinstance(each.type, DoubleTensorType) for each in inputs)
    operator.outputs.append(
        scope.declare_local_variable("features", (DoubleTensorType if double else FloatTensorType)())
    )
    return operator.outputs


def table_types(operator: Any) -> None:
    """Set the shape of the matrix of features."""
    operator.outputs[0].type.shape = [None, len(operator.raw_operator.get_feature_names_out())]


def convert_table(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes that fill missing numbers, bend curves and make a column of each value of text."""
    encoding = operator.raw_operator.known_encoding()
    graph = Graph(scope, container)
    inputs = {each.raw_name: each for each in operator.inputs}
    measures: list[str] = []
    flags: list[str] = []
    for column in encoding.columns:
        value = inputs[column.name]
        if column.kind == "text":
            flags += _text_flags(graph, value.full_name, column)
            continue
        number = graph.double(value.full_name)
        missing = graph.node("IsNaN", number)
        if encoding.fills_missing:
            number = graph.node("Where", missing, graph.constant([column.fill]), number)
        measures.append(_curve(graph, number, column.knots) if column.knots else number)
        flags += [graph.double(missing)] if column.indicator else []
    features = graph.side_by_side([*measures, *flags])
    order = np.array(encoding.order, dtype=np.int64)
    ordered = graph.node("Gather", features, graph.constant(order), axis=1)
    graph.write(ordered, operator.outputs[0], [-1, len(order)])


def _curve(graph: Graph, number: str, knots: tuple[float, ...]) -> str:
    """The features of a spline: the sum of a polynomial for each piece, of the offset within it."""
    left, right = np.array(knots[:-1]), np.array(knots[1:])
    clipped = graph.node("Min", graph.node("Max", number, graph.constant(left)), graph.constant(right))
    offset = graph.node("Sub", clipped, graph.constant(left))
    square = graph.node("Mul", offset, offset)
    powers = graph.node("Concat", offset, square, graph.node("Mul", square, offset), axis=1)
    pieces = spline_pieces(knots)
    rise = graph.node("MatMul", powers, graph.constant(np.concatenate(list(pieces[1:]))))
    return graph.node("Add", rise, graph.constant(pieces[0, 0]))


def _text_flags(graph: Graph, text: str, column: ColumnEncoding) -> list[str]:
    """A column for each level, for the others together and for a missing text, which is empty."""
    found = [_indicators(graph, text, list(column.levels))] if column.levels else []
    missing = _indicators(graph, text, [""])
    if column.pooled:
        known = graph.side_by_side([*found, missing])
        sums = graph.node("ReduceSum", known, graph.constant([1]), keepdims=1)
        found.append(graph.node("Sub", graph.constant([1.0]), sums))
    return [*found, missing] if column.indicator else found


def _indicators(graph: Graph, text: str, values: list[str]) -> str:
    onehot = graph.node(
        "OneHotEncoder", text, version=1, op_domain="ai.onnx.ml", cats_strings=values, zeros=1
    )
    return graph.double(graph.node("Reshape", onehot, graph.constant([-1, len(values)])))
