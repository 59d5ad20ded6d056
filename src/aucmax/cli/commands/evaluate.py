"""``aucmax evaluate``: how well a model ranks the rows of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from ...io.reading.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import load_scorer
from ..options import Data, Json, ModelIn, check_output
from ..rendering import describe_rows, interval_cells, print_result, print_table
from ..scoring import score_labelled_rows

if TYPE_CHECKING:
    import numpy as np

EPILOG = "\b\nExample:\n  aucmax evaluate model.auc test.csv --plot roc.png"
ALERT_SHARES = (0.01, 0.05, 0.10, 0.20)  # of the rows, those with the highest scores
MAX_FPR = 0.1

Plot = Annotated[str | None, typer.Option(metavar="FILE", help="Draw the ROC curve (png, svg or pdf).")]


def run(
    model: ModelIn,
    data: Data,
    reading: ReadOptions,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Print AUC and its interval, partial AUC, and TPR, FPR and precision of alerts on the highest scores."""
    from ...metrics import auc_interval, partial_auc

    if plot is not None and Path(plot).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise typer.BadParameter(f"--plot {plot}: the name must end in .png, .svg or .pdf.")
    if plot is not None:
        check_output("--plot", plot, model, data)
    scorer = load_scorer(model)
    positive, score, skipped = score_labelled_rows(scorer, data, reading)
    result = {
        "model": model,
        "data": data,
        "rows": len(score),
        "positives": int(positive.sum()),
        "skipped": skipped,
        "classes": scorer.classes.tolist(),
        **auc_interval(positive, score)._asdict(),
        "partial_auc": {
            "max_fpr": MAX_FPR,
            "value": partial_auc(positive, score, MAX_FPR, standardized=True),
        },
        "alerts": [alert_rates(positive, score, share) for share in ALERT_SHARES],
    }
    if plot is not None:
        from ...plot import roc

        figure: Any = roc(positive, score).figure
        with atomic_write(plot) as file:
            figure.savefig(file, format=Path(plot).suffix[1:].lower(), dpi=150)
        result["plot"] = plot
    print_result(result, json, show)


def alert_rates(positive: "np.ndarray", score: "np.ndarray", share: float) -> dict[str, Any]:
    """Rates if this share of the rows, those with the highest scores and their ties, raises an alert."""
    import numpy as np

    count = max(1, round(share * len(score)))
    threshold = np.partition(score, len(score) - count)[len(score) - count]
    alerted = score >= threshold
    hits = int((alerted & positive).sum())
    return {
        "share": share,
        "threshold": float(threshold),
        "alerts": int(alerted.sum()),
        "tpr": hits / int(positive.sum()),
        "fpr": (int(alerted.sum()) - hits) / int((~positive).sum()),
        "precision": hits / int(alerted.sum()),
    }


def show(result: dict[str, Any], stream: TextIO) -> None:
    """Print the result as text."""
    print(describe_rows(result), file=stream)
    auc, interval = interval_cells(result)
    print(f"AUC {auc}, 95 % interval {interval}", file=stream)
    partial = result["partial_auc"]
    scope = f"false positive rate up to {partial['max_fpr']:g}; 0.5 is chance"
    print(f"partial AUC {partial['value']:.4f} ({scope})\n", file=stream)
    rows = [
        [
            f"top {row['share']:.0%}",
            f"{row['alerts']:,}",
            f"{row['threshold']:.6g}",
            *(f"{row[name]:.4f}" for name in ("tpr", "fpr", "precision")),
        ]
        for row in result["alerts"]
    ]
    print_table(["alert on", "rows", "threshold", "TPR", "FPR", "precision"], rows, stream)
    if "plot" in result:
        print(f"\nwrote {result['plot']}", file=stream)
