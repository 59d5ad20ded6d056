"""The written parts of the page, and Markdown tables."""

import re
from collections.abc import Iterable
from importlib.resources import files

# ``texts.md`` has sections headed by ``<!-- key, key, ... -->``. The keys are "opening", the name of an
# experiment, "TABLE DATA" for why a data set's results are below the paper's, and "FIGURE claim" for what the
# figure is expected to show.
_PIECES = re.split(r"<!-- (.*?) -->\n", files(__package__).joinpath("texts.md").read_text("utf-8"))[1:]

TEXTS = {
    key: text.strip()
    for keys, text in zip(_PIECES[::2], _PIECES[1::2], strict=True)
    for key in keys.split(", ")
}


def markdown_table(heads: list[str], rows: Iterable[list[str]]) -> str:
    """A Markdown table with one line of column heads."""
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, ["---"] * len(heads), *rows))
