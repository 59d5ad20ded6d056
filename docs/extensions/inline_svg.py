"""Pictures of docs/pictures.py become part of the page, so that they have its colours, light or dark.

Such a file has a style of its own for other programs, which is left out here: the style sheet of the site
takes its place. Links in it to Markdown files lead to the pages made of them.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MARK = 'class="drawn"'
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def inline_pictures(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Put the text of drawn SVG files in the place of the images."""
    if app.builder.format != "html":
        return
    for image in list(document.findall(nodes.image)):
        path = Path(app.srcdir, image["uri"])
        if path.suffix == ".svg" and path.is_file() and MARK in (text := path.read_text()[:400]):
            text = _STYLE.sub("", path.read_text())
            text = re.sub(r'href="(\w+)\.md', r'href="\1.html', text)
            image.replace_self(nodes.raw("", f'<div class="drawn-box">{text}</div>', format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", inline_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
