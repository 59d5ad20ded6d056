"""The pictures of choosing.md and mathematics.md, as SVG files in docs/images.

    python docs/pictures.py

Text and lines have the colour of the page around them, light or dark: the site puts the files into its pages.
Other programs show them as they are, by the style in each file. All are narrow, to be read on a phone.
"""

import io
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.interpolate import BSpline
from scipy.stats import binom, norm

from aucmax.losses import LOSSES
from aucmax.pairs.bernstein import nodes

FOLDER = Path(__file__).parent / "images"
POSITIVE, NEGATIVE, ACCENT, FAINT = "#d9772b", "#3a86c8", "#2f9e6e", "#8a8a8a"
INK = "#123456"  # stands for the colour of the page's text
STYLE = "<style>svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#ddd}}</style>"
HEAD = '<svg class="drawn" stroke-linejoin="round" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
} | dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK)


def write(name: str, box: str, title: str, body: str) -> None:
    """Write a picture of the given view box."""
    head = f'{HEAD} viewBox="{box}" role="img" aria-label="{escape(title)}">'
    (FOLDER / f"{name}.svg").write_text(f"{head}\n{STYLE}\n{body}\n</svg>\n", encoding="utf-8")


def draw(name: str, title: str, paint: Callable[[Axes], None], height: float = 2.7) -> None:
    """Write what ``paint`` draws on axes of matplotlib."""
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": name}):
        figure = Figure(figsize=(4.8, height), layout="constrained")
        paint(figure.add_subplot())
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    box = re.search(r'viewBox="([^"]*)"', file.getvalue())
    left_out = r"^.*?<svg[^>]*>|</svg>|<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>"
    body = re.sub(left_out, "", file.getvalue(), flags=re.DOTALL)
    body = re.sub(r' id="(?!p[0-9a-f]{8}|m[0-9a-f]{8})[^"]*"', "", body)  # several pictures share a page
    write(
        name,
        box[1],
        title,
        re.sub(r"[ \t]+$", "", body.replace(INK, "currentColor"), flags=re.MULTILINE).strip(),
    )


def losses(ax: Axes) -> None:
    """The losses of the package against the margin, above what they stand for."""
    margin = np.linspace(-2, 3, 301)
    ax.step([-2, 0, 3], [1, 1, 0], where="pre", color=FAINT, linewidth=3, alpha=0.6, label="AUC itself")
    for name, loss in LOSSES.items():
        style = "--" if name == "squared" else "-"  # up to a margin of 1 it is the squared hinge
        ax.plot(margin, loss.value(margin), style, label=name.replace("_", " "), linewidth=1.5)
    ax.set(xlabel="margin: score of the positive row minus that of the negative", ylabel="loss", ylim=(0, 4))
    ax.legend(fontsize=8.5)


def saddle(ax: Axes) -> None:
    """Scores of both classes, their means, and where a row of each class is pulled to."""
    score = np.linspace(-3, 3, 201)
    for mean, color, name in ((-0.45, NEGATIVE, "negatives"), (0.55, POSITIVE, "positives")):
        ax.fill_between(score, norm.pdf(score, mean, 0.7), color=color, alpha=0.3, linewidth=0, label=name)
        ax.axvline(mean, color=color, linewidth=1.5)
    for start, at, y, color, text in (
        (-1.8, -0.45, 0.62, NEGATIVE, "a negative moves towards\nthe positives' mean minus 1"),
        (1.9, 0.55, 0.5, POSITIVE, "a positive moves towards\nthe negatives' mean plus 1"),
    ):
        ax.annotate("", (at, y), (start, y), arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2})
        side = "right" if start < at else "left"
        ax.text(at + (-0.06 if start < at else 0.06), y + 0.03, text, fontsize=8.5, ha=side, va="bottom")
    ax.set(xlabel="score", yticks=[], ylim=(0, 0.95), xlim=(-3, 3))
    ax.legend(fontsize=8.5, loc="upper right")


def bernstein(ax: Axes) -> None:
    """The hinge and its Bernstein polynomials."""
    margin, length = np.linspace(-4, 4, 401), 4.0
    ax.plot(margin, LOSSES["hinge"].value(margin), color=FAINT, linewidth=3, alpha=0.6, label="hinge")
    for degree, color in ((5, NEGATIVE), (10, ACCENT), (40, POSITIVE)):
        share = (margin + length) / (2 * length)
        counts = np.arange(degree + 1)[:, None]
        basis = binom.pmf(counts, degree, share)
        ax.plot(
            margin,
            LOSSES["hinge"].value(nodes(degree, length)) @ basis,
            color=color,
            label=f"degree {degree}",
        )
    ax.set(xlabel="margin", ylabel="loss")
    ax.legend(fontsize=8.5)


def sorted_sums(ax: Axes) -> None:
    """One positive row, and the sorted negatives that it makes active pairs with."""
    rng = np.random.default_rng(4)
    negatives, positive = np.sort(rng.normal(-0.6, 1.0, 16)), 0.5
    active = negatives > positive - 1
    ax.axhline(0, color=FAINT, linewidth=1)
    ax.axvspan(positive - 1, 2.6, color=NEGATIVE, alpha=0.15, linewidth=0)
    ax.plot(negatives[active], 0 * negatives[active], "o", color=NEGATIVE)
    ax.plot(negatives[~active], 0 * negatives[~active], "o", color=NEGATIVE, alpha=0.35)
    ax.plot([positive], [1], "s", color=POSITIVE)
    ax.annotate("", (positive - 1, 0.55), (positive, 0.55), arrowprops={"arrowstyle": "<->", "color": INK})
    ax.plot([positive, positive], [0, 1], ":", color=POSITIVE)
    ax.text(positive - 0.5, 0.6, "1", ha="center")
    ax.text(positive + 0.1, 1.0, "a positive row", va="center")
    ax.text(
        2.55,
        -0.3,
        f"{active.sum()} active negatives: one end of the sorted list",
        ha="right",
        va="top",
        fontsize=8.5,
    )
    ax.set(xlabel="score", yticks=[], ylim=(-0.9, 1.4), xlim=(-2.8, 2.6))
    ax.spines["left"].set_visible(False)


def push(ax: Axes) -> None:
    """How much a negative counts, by its place in the list, for several pushes."""
    negatives, positives = (
        norm.ppf((np.arange(1000) + 0.5) / 1000),
        1.0 + norm.ppf((np.arange(500) + 0.5) / 500),
    )
    mean_loss = LOSSES["squared_hinge"].value(positives[:, None] - negatives).mean(axis=0)
    place = 100 * (1 - (np.arange(1000) + 0.5) / 1000)
    for p, color in ((1, FAINT), (2, NEGATIVE), (4, ACCENT), (8, POSITIVE)):
        count = mean_loss ** (p - 1)
        ax.plot(
            place, count / count.mean(), color=color, linewidth=1.8, label=f"p = {p}" + " (AUC)" * (p == 1)
        )
    ax.set(
        xlabel="place of the negative, % from the top",
        ylabel="how much it counts",
        xlim=(0, 60),
        ylim=(0, 12),
    )
    ax.legend(fontsize=8.5)


def mesh(ax: Axes) -> None:
    """The cubic B-splines around one score, and the weights that it leaves at the nodes."""
    score = 2.3
    x = np.linspace(-2, 7, 721)
    for node in range(6):
        spline = BSpline.basis_element(np.arange(node - 2, node + 3), extrapolate=False)
        near = abs(node - score) < 2
        ax.plot(
            x,
            np.nan_to_num(spline(x)),
            color=NEGATIVE if near else FAINT,
            alpha=1 if near else 0.4,
            linewidth=1.2,
        )
        if near:
            height = float(spline(score))
            ax.plot([node, node], [0, height], color=POSITIVE, linewidth=4, solid_capstyle="butt")
            ax.text(node, height + 0.03, f"{height:.2f}", ha="center", fontsize=8.5)
    ax.plot([score, score], [0, 0.78], ":", color=INK)
    ax.text(score, 0.8, "the score of a row", ha="center")
    ax.set(xlabel="nodes of the mesh", yticks=[], xticks=range(6), xlim=(-0.9, 5.9), ylim=(0, 0.92))


QUESTIONS = [
    ("Do rows keep", "coming?", "OnlineAUCClassifier", "streams", "online.md"),
    ("More rows than", "memory holds?", "DaskAUCClassifierCV", "many machines", "distributed.md"),
    (
        "Is only the top of",
        "the list read?",
        "AUCClassifierCV",
        "max_fpr=0.05: the top of the list",
        "top.md",
    ),
    ("Is there a paper to", "compare with?", "SOLAM, SPAM, SAUC, ...", "the papers' methods", "methods.md"),
]


def _text(x: float, y: float, size: float, words: str, more: str = "") -> str:
    """Words around a point."""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="middle" font-family="sans-serif" '
        f'fill="currentColor"{more}>{escape(words)}</text>'
    )


def _box(x: float, y: float, width: float, lines: tuple[str, str], link: str | None) -> str:
    """A box with two lines, which leads to a page if it is an answer."""
    middle = x + width / 2
    look = f'fill="none" stroke="{FAINT}"' if link is None else f'fill="{ACCENT}33" stroke="{ACCENT}"'
    box = f'<rect x="{x}" y="{y}" width="{width}" height="50" rx="6" {look}/>'
    if link is None:
        return box + _text(middle, y + 21, 13, lines[0]) + _text(middle, y + 38, 13, lines[1])
    name = _text(middle, y + 22, 12.5, lines[0], ' font-weight="bold"')
    return f'<a href="{link}">{box}{name}{_text(middle, y + 39, 12, lines[1])}</a>'


def _arrow(path: str, color: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>'


def choose() -> None:
    """Questions one below the other, each with the estimator to take after a yes."""
    parts, y = [], 6
    for *question, estimator, page, link in QUESTIONS:
        parts += [
            _box(4, y, 150, tuple(question), None),
            _arrow(f"M154 {y + 25} h30 m-6 -4 l6 4 l-6 4", ACCENT),
            _text(168, y + 19, 11.5, "yes"),
            _arrow(f"M79 {y + 50} v28 m-4 -6 l4 6 l4 -6", FAINT),
            _text(92, y + 68, 11.5, "no"),
            _box(186, y, 210, (estimator, page), link),
        ]
        y += 80
    parts.append(
        _box(4, y, 392, ("AUCClassifierCV()", "also for text, on a GPU, and if in doubt"), "batch.md")
    )
    write("choosing", f"0 0 400 {y + 56}", "Which estimator? Questions with yes and no", "\n".join(parts))


def main() -> None:
    choose()
    draw("losses", "Losses of a pair against its margin", losses)
    draw("saddle", "Scores of both classes, and where a row of each is pulled to", saddle)
    draw("bernstein", "The hinge and its Bernstein polynomials of degree 5, 10 and 40", bernstein)
    draw(
        "sorted_sums",
        "The active pairs of a positive row are one end of the sorted negatives",
        sorted_sums,
        2.1,
    )
    draw("push", "How much negatives count by their place, for pushes from 1 to 8", push)
    draw("mesh", "The weight of a row on the four nodes around its score", mesh, 2.3)


if __name__ == "__main__":
    main()
