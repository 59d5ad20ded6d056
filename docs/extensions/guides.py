"""What the site does with the guides, which are plain Markdown, and the pages of the reference.

Public names in backticks become links to the reference, and links to the examples lead to their gallery.
Pictures of docs/pictures.py become part of the page, so that they have its colours, light or dark. The empty
line that ends an example is left out.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from public_api import link_targets, write_pages
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config

DRAWN = '<svg class="drawn"'
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def write_reference(app: Sphinx, config: Config) -> None:
    """Write the pages of the reference beside the guides, before Sphinx looks for pages."""
    write_pages(Path(app.srcdir, "api"))


def link_gallery(app: Sphinx, docname: str, source: list[str]) -> None:
    """Turn links to the folder of the examples into links to the gallery that is made of it."""
    source[0] = source[0].replace("](../examples)", "](auto_examples/index.rst)")


def link_names(app: Sphinx, document: nodes.document) -> None:
    """Turn public names into links, except in headings and in the reference itself."""
    docname = app.env.docname
    if docname.startswith("api/"):
        return
    targets = link_targets()
    for literal in list(document.findall(nodes.literal)):
        target = targets.get(literal.astext().split("(")[0])
        if target is None or isinstance(literal.parent, nodes.title | nodes.reference | pending_xref):
            continue
        link = pending_xref(refdomain="py", reftype="obj", reftarget=target, refdoc=docname)
        literal.replace_self(link)
        link += literal


def strip_examples(app: Sphinx, document: nodes.document) -> None:
    """Leave out the empty line at the end of an example, which doctest needs in Markdown."""
    for block in document.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block.children = [nodes.Text(text)]


def inline_pictures(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Put drawn SVG files, without the style for other programs, in the place of the images.

    Links in them to Markdown files lead to the pages made of these.
    """
    for image in list(document.findall(nodes.image)):
        path = Path(app.srcdir, image["uri"])
        if path.suffix != ".svg" or not (text := path.read_text(encoding="utf-8")).startswith(DRAWN):
            continue
        text = re.sub(r'href="(\w+)\.md', r'href="\1.html', _STYLE.sub("", text))
        image.replace_self(nodes.raw("", f'<div class="drawn-box">{text}</div>', format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", write_reference)
    app.connect("source-read", link_gallery)
    app.connect("doctree-read", link_names)
    app.connect("doctree-read", strip_examples)
    app.connect("doctree-resolved", inline_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
