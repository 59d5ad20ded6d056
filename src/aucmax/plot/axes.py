"""Axes, their labels, titles and colours."""

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from ..validation.optional import import_optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any  # matplotlib is imported when something is drawn

NEGATIVE, POSITIVE, GREY = "#4c78a8", "#e4572e", "#999999"
MODELS = (POSITIVE, NEGATIVE, "#2a9d5c", "#7b4fa3", "#b8860b", "#333333")  # of models on the same axes
DPI = 150  # sharp in a report


def get_axes(ax: "Axes | None", size: tuple[float, float] = (5, 4)) -> "Axes":
    """The given axes, or those of a new figure of that size in inches."""
    if ax is not None:
        return ax
    figure = import_optional("matplotlib.figure", "aucmax.plot")
    return figure.Figure(figsize=size, dpi=DPI, layout="constrained").add_subplot()


def label_axes(ax: "Axes", xlabel: str, ylabel: str, legend_location: Any) -> "Axes":
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(loc=legend_location, framealpha=0.7, edgecolor="none", fontsize="small")
    return ax


def draw_once(ax: "Axes", x: ArrayLike, y: ArrayLike, name: str) -> None:
    """A dotted line of reference, unless the axes have it already."""
    if name not in [line.get_gid() for line in ax.lines]:
        ax.plot(x, y, color=GREY, linewidth=0.8, linestyle=":", gid=name)


def next_color(ax: "Axes") -> str:
    """A colour that no model on these axes has yet; each is counted by one artist whose gid is "model"."""
    drawn = sum(artist.get_gid() == "model" for artist in ax.get_children())
    return MODELS[drawn % len(MODELS)]


def pair_style(ax: "Axes", label: str | None, color: str | None) -> tuple[str, str, str]:
    """Colours of the two curves of a model, and the line style of the second one.

    A model with a name or a colour has both in one colour, so that several can share the axes.
    """
    if label is None and color is None:
        return POSITIVE, NEGATIVE, "-"
    color = color or next_color(ax)
    return color, color, "--"


def name_model(label: str | None, text: str) -> str:
    """Text of the legend, after the name of the model if it has one."""
    return text if label is None else f"{label}: {text}"


def mark_threshold(ax: "Axes", x: float, text: str, label: str | None, color: str) -> None:
    """A vertical line at a threshold, in the colour of the model if it has a name."""
    style: dict[str, Any] = {"color": GREY if label is None else color, "linewidth": 1, "linestyle": "-."}
    ax.axvline(x, label=name_model(label, text), **style)


def set_title(ax: "Axes", positive: NDArray) -> None:
    """Number of rows and of positives, unless there is another title or the models have different rows."""
    n_positive = int(positive.sum())
    share = 100 * n_positive / positive.size
    text = f"{positive.size:,} rows, {n_positive:,} positive ({share:.3g} %)"
    title = ax.title
    if not title.get_text() and title.get_gid() is None:
        ax.set_title(text, fontsize="medium", gid=text)
    elif title.get_text() == title.get_gid() != text:
        title.set_text("")
