"""Pieces of HTML; all text is escaped here."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..metrics import Rate


NARROW = "\N{NO-BREAK SPACE}"  # between a number and its unit


class Bar(NamedTuple):
    """A cell with a bar from 0 to a value and a line over an interval, on a scale from -1 to 1.

    A value without a sign (``signed=False``) has a bar to both sides.
    """

    value: float
    low: float | None = None
    high: float | None = None
    signed: bool = True

    def html(self) -> str:
        """The cell."""
        begin, end = sorted((0.0 if self.signed else -self.value, self.value))
        kind = ("up" if self.value > 0 else "down") if self.signed else "both"
        known = self.low is not None and self.high is not None
        whisker = f'<b style="{_span(self.low, self.high)}"></b>' if known else ""  # type: ignore[arg-type]
        return (
            f'<td class="bar"><span class="track"><u style="left:50%"></u>'
            f'<i class="{kind}" style="{_span(begin, end)}"></i>{whisker}</span></td>'
        )


def _span(begin: float, end: float) -> str:
    """Place of a piece of the scale, in percent of its length."""
    begin, end = max(begin, -1.0), min(end, 1.0)
    return f"left:{50 + 50 * begin:.2f}%;width:{max(50 * (end - begin), 0.0):.2f}%"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence["str | Bar"]],
    chosen: int | None = None,
    wide: Iterable[int] = (),
) -> str:
    """A table whose row ``chosen`` stands out; the columns ``wide`` are left out on narrow screens."""
    hidden = set(wide)

    def cell(k: int, content: "str | Bar", tag: str) -> str:
        if isinstance(content, Bar):
            return content.html()
        kind = ' class="wide"' if k in hidden else ""
        return f"<{tag}{kind}>{escape(content)}</{tag}>"

    names = "".join(cell(k, content, "th") for k, content in enumerate(head))
    lines = [f"<thead><tr>{names}</tr></thead><tbody>"]
    for number, row in enumerate(rows):
        kind = ' class="chosen"' if number == chosen else ""
        cells = "".join(cell(k, content, "td") for k, content in enumerate(row))
        lines.append(f"<tr{kind}>{cells}</tr>")
    return '<div class="scroll"><table>' + "\n".join(lines) + "</tbody></table></div>"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, one below the other."""
    return "<dl>" + "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in pairs) + "</dl>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text."""
    return (f'<p class="{kind}">' if kind else "<p>") + escape(text) + "</p>"


def card(name: str, value: str, note: str) -> str:
    """A large number with its name and a remark."""
    return (
        f'<div class="card"><span class="soft">{escape(name)}</span><strong>{escape(value)}</strong>'
        f'<span class="soft">{escape(note)}</span></div>'
    )


def figure(svg: str, caption: str) -> str:
    """A picture with a caption."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def percent(share: float) -> str:
    """A share in percent, with three digits."""
    return f"{100 * share:.3g}{NARROW}%"


def rate(found: "Rate") -> str:
    """A rate and its interval in percent; a dash where it is not known."""
    if math.isnan(found.value):
        return "–"
    return f"{100 * found.value:.1f}{NARROW}% ({100 * found.low:.1f}{NARROW}–{NARROW}{100 * found.high:.1f})"
