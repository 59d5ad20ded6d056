"""Figures as SVG, from records alone: the same records give the same bytes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...validation.optional import import_optional
from ..experiments.auc_curves import DegreeCurves
from ..experiments.convergence_rates import THEOREMS, ConvergenceRates, fit_rate
from ..experiments.figure import Figure
from ..experiments.job import Record
from .mean_curves import Curve, mean_curves

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
DASHED = ("SAUC-H", "online Uni-Exp", "OAMgra", "OAMseq")  # these do not minimise the squared loss
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
ROUNDING_ERROR = 1e-13  # smaller values are drawn here
SETTINGS: Any = {"svg.hashsalt": "aucmax", "svg.fonttype": "path", "font.size": 8.5}


def draw(figure: Figure, records: list[Record], folder: Path) -> Path:
    """Draw a figure's records as ``<name>.svg`` in the folder."""
    import_optional("matplotlib", "to draw figures")
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    rows = [mean_curves(figure, records, x, y) for x, y in figure.axes]
    n_columns = len(rows[0])
    path = folder / f"{figure.name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    width, height = (4.2, 3.2) if isinstance(figure, ConvergenceRates) else (2.9, 2.5)
    shared: Any = "col" if len({x for x, _ in figure.axes}) == 1 else "none"
    with rc_context(SETTINGS):
        size = (width * max(n_columns, 2), height * len(rows) + 0.7)
        canvas = Canvas(figsize=size, layout="constrained")
        FigureCanvasSVG(canvas)
        panels = canvas.subplots(len(rows), n_columns, squeeze=False, sharex=shared)
        for row, by_data, (x, y) in zip(panels, rows, figure.axes, strict=True):
            for ax, (name, curves) in zip(row, by_data.items(), strict=True):
                _draw_panel(figure, ax, curves, x, y)
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
            lines = (np.maximum(values, ROUNDING_ERROR) for values in (curve.y, curve.low, curve.high))
            curve = Curve(curve.x, *lines)
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
    theorem = THEOREMS[method]
    slope, _ = fit_rate(theorem, curve.x, curve.y)
    if theorem.slope is None:
        return f"{method}, {theorem.quantity}: {-slope:.2f} digits a pass"
    return f"{method}, {theorem.quantity}: slope {slope:.2f} (theorem {theorem.slope:g})"


def _set_auc_range(ax: "Axes", curves: list[np.ndarray]) -> None:
    """Limit the axis to the values at the end of training, where the methods differ little."""
    top = max(float(values.max()) for values in curves)
    low = min(float(values[-len(values) // 3 :].min()) for values in curves)
    height = min(max(top - low, 0.01), 0.2)
    ax.set_ylim(top - 1.25 * height, top + 0.12 * height)


def _draw_legend(figure: Figure, canvas: Any, panels: np.ndarray) -> None:
    """One legend below all panels; the rates, whose labels hold slopes, have one in each panel."""
    if isinstance(figure, ConvergenceRates):
        for ax in panels.ravel():
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), frameon=False)
        return
    handles = {line.get_label(): line for ax in panels.ravel() for line in ax.get_lines()}
    columns = min(len(handles), 5)
    canvas.legend(handles.values(), handles, loc="outside lower center", ncols=columns, frameon=False)
