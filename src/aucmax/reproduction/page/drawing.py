"""Figures as SVG, from records alone: the same records give the same bytes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...io.reading.source import import_optional
from ..experiments.auc_curves import DegreeCurves
from ..experiments.convergence_rates import LAWS, ConvergenceRates, fit_law
from ..experiments.figure import Figure
from ..experiments.job import Record
from .mean_curves import Curve, mean_curve, recorded_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which colour-blind readers can distinguish; a method's are the same in all figures.
STYLES = {
    "SOLAM": ("#0072b2", "o"),
    "regSOLAM": ("#56b4e9", "s"),
    "SPAM": ("#e69f00", "^"),
    "VRSPAM": ("#d55e00", "D"),
    "FSAUC": ("#009e73", "v"),
    "OPAUC": ("#cc79a7", "P"),
    "OAMseq": ("#7f7f7f", "X"),
    "OAMgra": ("#000000", "x"),
    "SAUC-H": ("#5e3c99", "h"),
    "SAUC-H, radius 10": ("#e69f00", "s"),
    "online Uni-Exp": ("#7f7f7f", "<"),
    "SPDAM": ("#000000", "*"),
    "SPDAM, 1 row": ("#56b4e9", "s"),
    "SPDAM, 10 rows": ("#e69f00", "^"),
    "SPDAM, 1 %": ("#009e73", "v"),
    "SPDAM, 10 %": ("#d55e00", "D"),
    "SPDAM, 50 %": ("#000000", "x"),
}
DASHED = ("SAUC-H", "online Uni-Exp", "OAMgra", "OAMseq")  # methods of other losses than the squared one
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
FLOOR = 1e-13  # smaller values are rounding errors
SETTINGS: Any = {"svg.hashsalt": "aucmax", "svg.fonttype": "path", "font.size": 8.5}


def draw(figure: Figure, records: list[Record], folder: Path) -> Path:
    """Draw a figure's records as ``<name>.svg`` in the folder."""
    import_optional("matplotlib", "to draw figures")
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    data, methods = recorded_names(figure, records)
    path = folder / f"{figure.name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    width, height = (4.2, 3.2) if isinstance(figure, ConvergenceRates) else (2.9, 2.5)
    shared: Any = "col" if len({x for x, _ in figure.axes}) == 1 else "none"
    with rc_context(SETTINGS):
        size = (width * max(len(data), 2), height * len(figure.axes) + 0.7)
        canvas = Canvas(figsize=size, layout="constrained")
        FigureCanvasSVG(canvas)
        panels = canvas.subplots(len(figure.axes), len(data), squeeze=False, sharex=shared)
        for row, (x, y) in zip(panels, figure.axes, strict=True):
            for ax, name in zip(row, data, strict=True):
                _draw_panel(figure, ax, {m: mean_curve(records, name, m, x, y) for m in methods}, x, y)
                ax.set_title(name)
            row[0].set_ylabel(LABELS[y])
        _draw_legend(figure, canvas, panels)
        canvas.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    return path


def _draw_panel(figure: Figure, ax: "Axes", curves: dict[str, Curve], x: str, y: str) -> None:
    """Every method's curve on one data set."""
    curves = {method: curve for method, curve in curves.items() if len(curve.x)}
    for method, curve in curves.items():
        if y in LOGARITHMIC:
            curve = Curve(curve.x, *(np.maximum(line, FLOOR) for line in (curve.y, curve.low, curve.high)))
        colour, marker = STYLES[method]
        label = _label_with_slope(method, curve) if isinstance(figure, ConvergenceRates) else method
        style: Any = {"color": colour, "marker": marker, "markersize": 3.5, "linewidth": 1.3, "label": label}
        ax.plot(curve.x, curve.y, "--" if method in DASHED else "-", **style)
        ax.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
    ax.set(xlabel=LABELS[x], yscale="log" if y in LOGARITHMIC else "linear")
    if not (isinstance(figure, ConvergenceRates) and x == "passes"):
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter("")
    if isinstance(figure, DegreeCurves):
        ax.set_xticks(figure.DEGREES, [str(degree) for degree in figure.DEGREES], minor=False)
        ax.set_xticks([], minor=True)
    if y == "auc":
        _set_auc_range(ax, [curve.y for curve in curves.values()])
    ax.grid(color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)


def _label_with_slope(method: str, curve: Curve) -> str:
    """The quantity that the theorem bounds, and the fitted slope."""
    law = LAWS[method]
    slope = fit_law(law, curve.x, curve.y).slope
    if law.slope is None:
        return f"{method}, {law.value}: {-slope:.2f} digits a pass"
    return f"{method}, {law.value}: slope {slope:.2f} (theorem {law.slope:g})"


def _set_auc_range(ax: "Axes", curves: list[np.ndarray]) -> None:
    """Show the range of AUC in which the methods differ at the end, not where they start."""
    top = max(float(values.max()) for values in curves)
    ends = min(float(values[-len(values) // 3 :].min()) for values in curves)
    height = min(max(top - ends, 0.01), 0.2)
    ax.set_ylim(top - 1.25 * height, top + 0.12 * height)


def _draw_legend(figure: Figure, canvas: Any, panels: np.ndarray) -> None:
    """One legend below all panels; the rates, whose labels hold slopes, have one in each panel."""
    if isinstance(figure, ConvergenceRates):
        for ax in panels.ravel():
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), frameon=False)
        return
    found: dict[str, Any] = {}
    for ax in panels.ravel():
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    canvas.legend(found.values(), found, loc="outside lower center", ncols=min(len(found), 5), frameon=False)
