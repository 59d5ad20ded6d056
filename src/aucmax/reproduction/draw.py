"""Figures as SVG, from records alone: the same records give the same bytes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..io.reading.source import need
from .means import Curve, Records, curve, names
from .rates import LAWS, Rates, fit_law

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which the colour-blind tell apart; a method keeps its own in all figures.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK, GREY, PURPLE = (
    "#000000",
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
    "#7f7f7f",
    "#5e3c99",
)
DASHED = ("SAUC-H", "online Uni-Exp", "OAMgra", "OAMseq")  # those of other losses than the squared one
STYLES = {
    "SOLAM": (BLUE, "o"),
    "regSOLAM": (SKY, "s"),
    "SPAM": (ORANGE, "^"),
    "VRSPAM": (RED, "D"),
    "FSAUC": (GREEN, "v"),
    "OPAUC": (PINK, "P"),
    "OAMseq": (GREY, "X"),
    "OAMgra": (BLACK, "x"),
    "SAUC-H": (PURPLE, "h"),
    "SAUC-H, radius 10": (ORANGE, "s"),
    "online Uni-Exp": (GREY, "<"),
    "SPDAM": (BLACK, "*"),
    "SPDAM, 1 row": (SKY, "s"),
    "SPDAM, 10 rows": (ORANGE, "^"),
    "SPDAM, 1 %": (GREEN, "v"),
    "SPDAM, 10 %": (RED, "D"),
    "SPDAM, 50 %": (BLACK, "x"),
}
LABELS = {
    "seconds": "training time [s]",
    "iterations": "iterations",
    "passes": "passes over the rows",
    "rows": "rows",
    "degree": "degree of the polynomial",
    "auc": "test AUC",
    "variance": "variance of the update",
    "distance": "relative distance to the optimum",
    "gap": "relative excess of the objective",
    "value": "what the theorem bounds",
}
LOGARITHMIC = ("variance", "distance", "gap", "value")
FLOOR = 1e-13  # below it there is only rounding
SETTINGS: Any = {"svg.hashsalt": "aucmax", "svg.fonttype": "path", "font.size": 8.5}


def draw(figure: Any, records: Records, folder: Path) -> list[Path]:
    """Draw a figure's records as ``<name>.svg`` in the folder."""
    need("matplotlib", "to draw figures")
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    data, methods = names(figure, records)
    path = folder / f"{figure.name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context(SETTINGS):
        width, height = (4.2, 3.2) if isinstance(figure, Rates) else (2.9, 2.5)
        size = (width * max(len(data), 2), height * len(figure.axes) + 0.7)
        canvas = Canvas(figsize=size, layout="constrained")
        FigureCanvasSVG(canvas)
        same: Any = "col" if len({x for x, _ in figure.axes}) == 1 else "none"
        panels = canvas.subplots(len(figure.axes), len(data), squeeze=False, sharex=same)
        for row, (x, y) in zip(panels, figure.axes, strict=True):
            for ax, name in zip(row, data, strict=True):
                _panel(figure, ax, {method: curve(records, name, method, x, y) for method in methods}, x, y)
                ax.set_title(name)
            row[0].set_ylabel(LABELS[y])
        _legend(figure, canvas, panels)
        canvas.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    return [path]


def _panel(figure: Any, ax: "Axes", curves: dict[str, Curve | None], x: str, y: str) -> None:
    """Every method's curve on one data set."""
    best = []
    for method, found in curves.items():
        if found is None:
            continue
        if y in LOGARITHMIC:
            found = Curve(found.x, *(np.maximum(line, FLOOR) for line in found[1:]))
        colour, marker = STYLES[method]
        label = _fit(method, found) if isinstance(figure, Rates) else method
        dashes = "--" if method in DASHED else "-"
        ax.plot(
            found.x, found.y, dashes, color=colour, marker=marker, markersize=3.5, linewidth=1.3, label=label
        )
        ax.fill_between(found.x, found.low, found.high, color=colour, alpha=0.15, linewidth=0)
        best.append(found.y)
    ax.set(xlabel=LABELS[x])
    ax.set_yscale("log" if y in LOGARITHMIC else "linear")
    if not (isinstance(figure, Rates) and x == "passes"):
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter("")
    if x == "degree":
        ax.set_xticks(figure.VALUES, [str(value) for value in figure.VALUES], minor=False)
        ax.set_xticks([], minor=True)
    if y == "auc":
        _focus(ax, best)
    ax.grid(color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)


def _fit(method: str, found: Curve) -> str:
    """What the theorem bounds, and the fitted line."""
    law = LAWS[method]
    slope = fit_law(law, found.x, found.y).slope
    if law.slope is None:
        return f"{method}, {law.value}: {-slope:.2f} digits a pass"
    return f"{method}, {law.value}: slope {slope:.2f} (theorem {law.slope:g})"


def _focus(ax: "Axes", curves: list[np.ndarray]) -> None:
    """Show the part of AUC where the methods differ in the end, not how they start."""
    top = max(float(values.max()) for values in curves)
    ends = min(float(values[-len(values) // 3 :].min()) for values in curves)
    room = min(max(top - ends, 0.01), 0.2)
    ax.set_ylim(top - 1.25 * room, top + 0.12 * room)


def _legend(figure: Any, canvas: Any, panels: np.ndarray) -> None:
    """One legend for all panels, below them; the rates have their own in each."""
    if isinstance(figure, Rates):
        for ax in panels.ravel():
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), frameon=False)
        return
    found: dict[str, Any] = {}
    for ax in panels.ravel():
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    canvas.legend(found.values(), found, loc="outside lower center", ncols=min(len(found), 5), frameon=False)
