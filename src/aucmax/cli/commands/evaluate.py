"""``aucmax evaluate``: how well a model ranks the rows of a file."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from .. import rendering
from ..options import (
    Categorical,
    Data,
    Debug,
    Json,
    Label,
    Missing,
    ModelIn,
    NFeatures,
    OnBadRows,
    check_output,
    read_options,
)
from ..scoring import score_labelled_rows

if TYPE_CHECKING:
    import numpy as np

EPILOG = "\b\nExample:\n  aucmax evaluate model.auc test.csv --plot roc.png"
ALERTS = (0.01, 0.05, 0.10, 0.20)
MAX_FPR = 0.1

Plot = Annotated[str | None, typer.Option(metavar="FILE", help="Draw the ROC curve (png, svg or pdf).")]


def run(
    model: ModelIn,
    data: Data,
    plot: Plot = None,
    label: Label = None,
    n_features: NFeatures = None,
    categorical: Categorical = None,
    missing: Missing = None,
    on_bad_rows: OnBadRows = "error",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Print AUC with its interval, partial AUC, and what alerts on the highest scores would catch."""
    from ...io.storage.models import load_scorer
    from ...metrics import auc_interval, partial_auc

    if plot is not None and Path(plot).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise typer.BadParameter(f"--plot {plot}: the name must end in .png, .svg or .pdf.")
    if plot is not None:
        check_output("--plot", plot, model, data)
    scorer = load_scorer(model)
    options = read_options(label, n_features, categorical, missing, on_bad_rows)
    positive, score, skipped = score_labelled_rows(scorer, data, options)
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
        "alerts": [alert(positive, score, share) for share in ALERTS],
    }
    if plot is not None:
        draw(positive, score, plot)
        result["plot"] = plot
    rendering.print_result(result, json, show)


def alert(positive: "np.ndarray", score: "np.ndarray", share: float) -> dict[str, Any]:
    """What becomes of the rows if those with the highest scores raise an alert; ties all do."""
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


def draw(positive: "np.ndarray", score: "np.ndarray", path: str) -> None:
    """Write the ROC curve with its band."""
    from ... import plot
    from ...io.storage.atomic import atomic_write

    picture = io.BytesIO()
    figure: Any = plot.roc(positive, score).figure
    figure.savefig(picture, format=Path(path).suffix[1:].lower(), dpi=150)
    with atomic_write(path) as file:
        file.write(picture.getvalue())


def show(result: dict[str, Any], stream: TextIO) -> None:
    """The result for people."""
    print(rendering.describe_rows(result), file=stream)
    auc, interval = rendering.interval_cells(result)
    print(f"AUC {auc}, 95 % interval {interval}", file=stream)
    partial = result["partial_auc"]
    scope = f"false positive rate up to {partial['max_fpr']:g}; 0.5 is chance"
    print(f"partial AUC {partial['value']:.4f} ({scope})", file=stream)
    print(file=stream)
    rows = [
        [
            f"{row['share']:.0%}",
            f"{row['alerts']:,}",
            f"{row['threshold']:.6g}",
            *(f"{row[name]:.4f}" for name in ("tpr", "fpr", "precision")),
        ]
        for row in result["alerts"]
    ]
    rendering.print_table(["alerts", "rows", "score from", "TPR", "FPR", "precision"], rows, stream)
    if "plot" in result:
        print(f"\nwrote {result['plot']}", file=stream)
