"""``aucmax export``: a model for other programs, as ONNX or SQL."""

from typing import Annotated, Any, TextIO

import typer

from ...io.storage.atomic import atomic_write
from ..options import Json, ModelIn, check_output, one_of_option
from ..rendering import print_result

EPILOG = """\b
Examples:
  aucmax export model.auc -o model.onnx
  aucmax export model.auc -o model.sql --table patients"""

Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output.")
]
Sql = Annotated[bool, typer.Option("--sql", help="Write a SELECT statement; default for FILE.sql.")]
TableName = Annotated[str, typer.Option("--table", metavar="NAME", help="The table to score, with --sql.")]
Dtype = Annotated[
    str,
    one_of_option("--dtype", ("float32", "float64"), "Type of the numbers put in and of scores, in ONNX."),
]


def run(
    model: ModelIn,
    output: Output,
    sql: Sql = False,
    table: TableName = "data",
    dtype: Dtype = "float32",
    json: Json = False,
) -> None:
    """Write a model as an ONNX graph or as an SQL statement.

    A model of a table takes one input for each column of its training data, under the same name: text is
    encoded and missing values are filled as in training. Scores and probabilities are those of predict.
    """
    check_output("--output", output, model)
    from ...io.storage.models import load_with_positive  # imports scikit-learn

    loaded = load_with_positive(model)
    if sql or output.endswith(".sql"):
        from ...io.export.sql import select_statement

        content = select_statement(loaded, table).encode()
        result: dict[str, Any] = {"format": "SQL", "table": table}
    else:
        from ...io.export.onnx import to_onnx

        graph = to_onnx(loaded, dtype=dtype)
        content = graph.SerializeToString()
        inputs, outputs = ([value.name for value in part] for part in (graph.graph.input, graph.graph.output))
        result = {"format": "ONNX", "inputs": inputs, "outputs": outputs}
    with atomic_write(output) as file:
        file.write(content)
    print_result({"model": model, "output": output, **result}, json, show, output)


def show(result: dict[str, Any], stream: TextIO) -> None:
    """Print the result as text."""
    if result["format"] == "ONNX":
        inputs, outputs = (", ".join(result[name]) for name in ("inputs", "outputs"))
        print(f"wrote {result['output']}: inputs {inputs}; outputs {outputs}", file=stream)
    else:
        print(f"wrote {result['output']}: a SELECT from the table {result['table']}", file=stream)
