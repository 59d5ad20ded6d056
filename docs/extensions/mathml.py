"""Formulas as MathML, which browsers draw by themselves.

MathJax and KaTeX need scripts and fonts from another server, or megabytes of them in the site, and images
need LaTeX. MathML needs neither, and docutils, which Sphinx depends on, makes it from TeX.
"""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def convert(node: nodes.Node, as_block: bool) -> str:
    """The formula in MathML; a warning where its TeX is not understood."""
    try:
        return tex2mathml(node.astext(), as_block)
    except MathError as error:
        logger.warning("formula: %s", error, location=node)
        return ""


def visit_inline(writer: Any, node: nodes.Node) -> None:
    """Write a formula within a line."""
    writer.body.append(convert(node, as_block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.Node) -> None:
    """Write a formula of its own, in a box that scrolls where the screen is too narrow."""
    writer.body.append(f'<div class="formula">{convert(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
