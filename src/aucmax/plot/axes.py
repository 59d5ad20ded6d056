"""Axes, their labels and colours."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEGATIVE, POSITIVE, GREY = "#4c78a8", "#e4572e", "#999999"


def get_axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("aucmax.plot needs matplotlib; install it with: pip install matplotlib") from None
    return Figure(figsize=(5, 4), layout="constrained").add_subplot()


def label_axes(ax: "Axes", xlabel: str, ylabel: str, legend_location: Any) -> "Axes":
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(loc=legend_location, framealpha=0.7, edgecolor="none", fontsize="small")
    return ax


def draw_once(ax: "Axes", x: NDArray, y: NDArray, name: str) -> None:
    """A dotted line of reference, unless the axes have it already."""
    if name not in [line.get_gid() for line in ax.lines]:
        ax.plot(x, y, color=GREY, linewidth=0.8, linestyle=":", gid=name)


def set_title(ax: "Axes", positive: NDArray) -> None:
    n_positive = int(positive.sum())
    share = 100 * n_positive / positive.size
    ax.set_title(f"{positive.size:,} rows, {n_positive:,} positive ({share:.3g} %)", fontsize="medium")
