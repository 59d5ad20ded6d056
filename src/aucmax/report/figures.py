"""The pictures of the page as SVG text, in the colours of the page's theme."""

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
_INK = re.compile(r"#000000|#262626")
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def draw(name: str, title: str, size: tuple[float, float], paint: "Callable[[Axes], Any]") -> str:
    """A picture painted on new axes, as an ``svg`` element that grows with the page.

    Black becomes the colour of the page's text. ``name`` keeps the identifiers of several pictures apart.
    """
    import matplotlib
    from matplotlib.figure import Figure

    settings: dict[str, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": name,
        "font.family": "sans-serif",
        "font.size": 11,
        "legend.framealpha": 0.0,
    }
    with matplotlib.rc_context(settings):  # type: ignore[arg-type]
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
        paint(ax)
        if (legend := ax.get_legend()) is not None:
            legend.get_frame().set_alpha(0.0)
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = _METADATA.sub("", _PROLOGUE.sub("", file.getvalue(), count=1))
    text = re.sub(r"<svg ([^>]*)>", lambda found: _open_tag(found[1], title), text, count=1)
    return _INK.sub("currentColor", text)


def _open_tag(attributes: str, title: str) -> str:
    """The opening tag without a size of its own, so that the page decides, and with a name for readers."""
    box = re.search(r'viewBox="[^"]*"', attributes)
    assert box is not None
    return f'<svg {_NAMESPACES} {box[0]} role="img" aria-label="{title}">'
