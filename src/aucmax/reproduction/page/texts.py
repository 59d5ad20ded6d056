"""The written part of the page, from ``texts.md``: sections headed by ``<!-- key, key, ... -->``.

The keys are "opening", the name of an experiment, "TABLE DATA" for why a data set's results are below the
paper's, and "FIGURE claim" for what the figure is expected to show.
"""

import re
from importlib.resources import files

_PIECES = re.split(r"<!-- (.*?) -->\n", files(__package__).joinpath("texts.md").read_text("utf-8"))[1:]

TEXTS = {
    key: text.strip()
    for keys, text in zip(_PIECES[::2], _PIECES[1::2], strict=True)
    for key in keys.split(", ")
}
