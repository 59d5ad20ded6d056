"""``aucmax export``: a model for other programs, as ONNX or SQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ...io.storage.atomic import atomic_write
from ..options import Json, ModelFile, check_output, one_of_option, output_option, text_option
from ..rendering import output_name, print_result

EPILOG = """\b
Examples:
  aucmax export model.auc -o model.onnx
  aucmax export model.auc -o model.sql --table patients"""

Output = Annotated[str, output_option("FILE", "File to write, .onnx or .sql; - is standard output.")]
Sql = Annotated[bool, typer.Option("--sql", help="Write a SELECT statement; default for FILE.sql.")]
TableName = Annotated[str | None, text_option("NAME", "The table to score, in SQL; default: data.")]
Dtype = Annotated[
    str | None,
    one_of_option(
        ("float32", "float64"), "Type of the numbers put in and of scores, in ONNX; default: float32."
    ),
]


def run(
    model: ModelFile,
    output: Output,
    sql: Sql = False,
    table: TableName = None,
    dtype: Dtype = None,
    json: Json = False,
) -> None:
    """Write a model as an ONNX graph or as an SQL statement.

    A model of a table takes one input for each column of its training data, under the same name: text is
    encoded and missing values are filled as in training. Scores and probabilities are those of predict.
    """
    suffix = Path(output).suffix.lower()
    sql = sql or suffix == ".sql"
    check_output("--output", output, model, binary=not sql)
    if suffix not in ("", ".onnx", ".sql") and not sql:
        raise typer.BadParameter(
            f"--output {output} ends in neither .onnx nor .sql; rename it, or give --sql."
        )
    if (dtype if sql else table) is not None:
        wrong = "--dtype does not go with SQL" if sql else "--table needs --sql, or a FILE.sql"
        raise typer.BadParameter(f"{wrong}.")
    if table is not None and not table.strip():
        raise typer.BadParameter("--table is empty; give the name of the table to score.")
    from ...io.storage.models import load_with_positive  # imports scikit-learn

    loaded = load_with_positive(model)
    if sql:
        from ...io.export.sql import output_names, select_statement

        names = list(output_names(loaded).values())
        result: dict[str, Any] = {"format": "SQL", "table": table or "data", "outputs": names}
        content = select_statement(loaded, result["table"]).encode()
    else:
        from ...io.export.onnx import to_onnx

        graph = to_onnx(loaded, dtype=dtype or "float32")
        content = graph.SerializeToString()
        inputs, outputs = ([value.name for value in part] for part in (graph.graph.input, graph.graph.output))
        result = {"format": "ONNX", "inputs": inputs, "outputs": outputs}
    with atomic_write(output) as file:
        file.write(content)
    print_result({"model": model, "output": output, **result}, json, show, output)


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    outputs, name = ", ".join(result["outputs"]), output_name(result["output"])
    if result["format"] == "ONNX":
        inputs = ", ".join(result["inputs"])
        yield f"wrote {name}, ONNX: inputs {inputs}; outputs {outputs}"
    else:
        select = f"a SELECT from the table {result['table']}"
        yield f"wrote {name}: {select}; outputs {outputs}"
