"""What commands print: a few aligned lines for people, JSON for machines."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TextIO


def emit(
    result: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any], TextIO], None], out: Any
) -> None:
    """Print a result; on standard error where a file takes standard output."""
    stream = sys.stderr if str(out) == "-" else sys.stdout
    if as_json:
        print(json.dumps(plain(result), ensure_ascii=False), file=stream)
    else:
        show(result, stream)
    stream.flush()


def plain(value: Any) -> Any:
    """The value with NumPy's numbers made Python's, and null for what JSON cannot say."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def table(head: Sequence[str], rows: Iterable[Sequence[str]], stream: TextIO) -> None:
    """Columns under their heads: the first to the left, the others to the right."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join([f"{line[0]:<{widths[0]}}", *cells]).rstrip(), file=stream)


def interval(found: dict[str, float]) -> list[str]:
    """An AUC and its interval, if it has one, as two cells."""
    ends = f"{found['low']:.4f} - {found['high']:.4f}" if "low" in found else "-"
    return [f"{found['auc']:.4f}", ends]


def counted(number: int, thing: str) -> str:
    """A number of things: one row, two rows."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def described(result: dict[str, Any]) -> str:
    """One line about the rows: how many, how wide, how rare the positives."""
    share = result["positives"] / result["rows"]
    width = f", {counted(result['features'], 'feature')}" if "features" in result else ""
    skipped = f", {counted(result['skipped'], 'bad row')} skipped" if result.get("skipped") else ""
    return (
        f"{result['data']}: {result['rows']:,} rows{width}, {100 * share:.2f} % positive "
        f"(label {result['classes'][1]}){skipped}"
    )
