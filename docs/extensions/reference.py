"""The reference: its pages are written before the build, and names in the guides link to them."""

from pathlib import Path
from typing import Any

from docutils import nodes
from public_api import link_targets, write_pages
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config


def write_reference(app: Sphinx, config: Config) -> None:
    """Write the pages of the reference beside the guides."""
    write_pages(Path(app.srcdir, "api"))


def link_names(app: Sphinx, document: nodes.document) -> None:
    """Turn public names in backticks into links, except in headings and in the reference itself."""
    docname = app.env.docname
    if docname.startswith("api/"):
        return
    targets = link_targets()
    for literal in list(document.findall(nodes.literal)):
        text = literal.astext()
        target = targets.get(text.split("(")[0])
        if target is None or isinstance(literal.parent, nodes.title | nodes.reference | pending_xref):
            continue
        link = pending_xref(
            "", literal.deepcopy(), refdomain="py", reftype="obj", reftarget=target, refdoc=docname
        )
        literal.replace_self(link)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", write_reference)
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
