"""Print the result of a command as text with aligned columns, or as JSON."""

import io
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def print_result(
    result: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], Iterable[str]], out: str = ""
) -> None:
    """Print a result as JSON or as the lines of ``show``; on standard error if ``out`` is standard output."""
    stream = sys.stderr if out == "-" else sys.stdout
    lines = [json.dumps(to_json(result), ensure_ascii=False)] if as_json else show(result)
    print(*lines, sep="\n", file=stream, flush=True)


def output_name(path: str) -> str:
    """What messages call a file that was written."""
    return "standard output" if path == "-" else path


def to_json(value: Any) -> Any:
    """The value with Python numbers in place of NumPy's, and None for infinity and NaN."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns under their heads: the first aligned left, the others right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="")
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k else "left")
    for row in rows:
        table.add_row(*map(Text, row))  # as Text: brackets in a feature name must not be read as markup
    text = io.StringIO()
    Console(file=text, width=10_000).print(table)  # so wide that nothing is wrapped
    return text.getvalue().removesuffix("\n")


def interval_cells(found: dict[str, Any], kind: str = "auc") -> list[str]:
    """An AUC, or another measure of that name, and its interval, if it has one, as two cells of a table."""
    part = found | {"value": found["auc"]} if kind == "auc" else found[kind]
    shown = "-" if math.isnan(part["value"]) else f"{part['value']:.4f}"  # a sorted stream has no pairs
    return [shown, f"{part['low']:.4f} - {part['high']:.4f}" if "low" in part else "-"]


def measure_name(result: dict[str, Any], kind: str) -> str:
    """Head of the column of a measure."""
    return "AUC" if kind == "auc" else f"AUC to {result[kind]['max_fpr']:g}"


def format_percent(share: float) -> str:
    """A share in percent, as short as it can be: 1 %, 0.5 %."""
    return f"{100 * share:.4g} %"


def rate_cell(rate: dict[str, float]) -> str:
    """A rate and its interval; a dash where there is none."""
    if math.isnan(rate["value"]):
        return "-"
    return f"{rate['value']:.3f} ({rate['low']:.3f}-{rate['high']:.3f})"


def pluralize(number: int, noun: str) -> str:
    """A number and its noun: 1 row, 2 rows."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def describe_penalty(result: dict[str, Any]) -> str:
    """Loss, penalty, push and half-life of a model."""
    push = f", push = {result['push']:g}" if "push" in result else ""
    forgets = f", half-life {result['half_life']:,.12g} rows" if "half_life" in result else ""
    return f"loss {result['loss']}, l2 = {result['l2']:.3g}{push}{forgets}"


def describe_rows(result: dict[str, Any]) -> str:
    """One line about the data: number of rows and features, and share of positive rows."""
    share = result["positives"] / result["rows"]
    width = f", {pluralize(result['features'], 'feature')}" if "features" in result else ""
    skipped = f", {pluralize(result['skipped'], 'bad row')} skipped" if result.get("skipped") else ""
    return (
        f"{result['data']}: {result['rows']:,} rows{width}, {100 * share:.2f} % positive "
        f"(label {result['classes'][1]}){skipped}"
    )
