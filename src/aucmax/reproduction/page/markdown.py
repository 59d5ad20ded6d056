"""Markdown tables."""

from collections.abc import Iterable


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table with one line of column heads."""
    head, *body = [list(heads), *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *body))
