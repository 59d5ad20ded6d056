"""``aucmax train``: from a data file to a model file, with an honest AUC beside it."""

from typing import Annotated, Any, TextIO

import typer

from .. import rendering
from ..data import positive_index, swap_classes
from ..options import (
    Bad,
    BadRows,
    Data,
    Debug,
    Gaps,
    Json,
    Label,
    Loss,
    Positive,
    Reading,
    Seed,
    Width,
    Words,
    check_output,
)
from . import train_batch, train_stream

EPILOG = """\b
Examples:
  aucmax train patients.csv --label ill -o model.auc
  aucmax train payments.csv --label kind --positive fraud -o model.auc
  aucmax train clicks.svm.gz --stream --checkpoint run.ckpt --resume -o model.auc"""

Output = Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write, or -.")]
Test = Annotated[str | None, typer.Option(metavar="DATA", help="Judge the model on these rows.")]
L2 = Annotated[str, typer.Option(metavar="auto|X", help="Weight of the squared penalty.")]
Stream = Annotated[bool, typer.Option("--stream", help="One pass in fixed memory, chunk by chunk.")]
Batch = Annotated[int, typer.Option(metavar="N", min=1, help="Rows of a chunk, with --stream.")]
Saved = Annotated[str | None, typer.Option(metavar="FILE", help="Keep the state here, with --stream.")]
Every = Annotated[
    str, typer.Option(metavar="N|Ns", help="Save it after so many rows (1000000) or seconds (30s).")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")]
Of = Annotated[Loss, typer.Option(metavar="NAME", help=f"Loss of a pair: {', '.join(Loss)}.")]
Baseline = Annotated[bool, typer.Option(help="Fit a logistic regression to compare with.")]


def run(
    data: Data,
    output: Output,
    label: Label = None,
    positive: Positive = None,
    test: Test = None,
    loss: Of = Loss.squared_hinge,
    l2: L2 = "auto",
    stream: Stream = False,
    batch_size: Batch = 10_000,
    checkpoint: Saved = None,
    checkpoint_every: Every = "30s",
    resume: Resume = False,
    baseline: Baseline = True,
    n_features: Width = None,
    categorical: Words = None,
    missing: Gaps = None,
    on_bad_rows: Bad = BadRows.error,
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Train a linear model that ranks, and write it to a file.

    Without --stream all rows are read and the penalty, on scaled columns, is chosen by cross-validation. With
    --stream one pass is made in fixed memory; with --checkpoint it can be stopped, or killed, and go on
    with --resume to the same model, bit for bit.
    """
    reading = Reading.of(label, n_features, categorical, missing, on_bad_rows)
    penalty = _penalty(l2)
    check_output("--output", output, data, test)
    if stream:
        if checkpoint is not None:
            check_output("--checkpoint", checkpoint, data, test, output)
        job = train_stream.Job(data, reading, loss.value, penalty, batch_size, seed, positive)
        model, result = train_stream.train(
            job, train_stream.Keeper(checkpoint, checkpoint_every, resume), test
        )
    elif checkpoint or resume:
        raise typer.BadParameter("--checkpoint and --resume need --stream.")
    else:
        model, result = train_batch.train(data, reading, loss.value, penalty, seed, test, baseline, positive)
    from ...io import save_model

    if positive_index(positive, model.classes_, data) == 0:
        result |= swap_classes(result)
    seconds, known = result.pop("seconds"), result.pop("reading")
    save_model(model, output, result | {"reading": known})
    rendering.print_result(result | {"model": output, "seconds": seconds}, json, show, output)


def _penalty(text: str) -> float | None:
    """A number, or None for ``auto``."""
    if text == "auto":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise typer.BadParameter(f"--l2 must be auto or a number of at least 0; got {text!r}.")
    return value


def show(result: dict[str, Any], stream: TextIO) -> None:
    """The result for people."""
    print(rendering.describe_rows(result), file=stream)
    lines = [[result["estimator"], *rendering.interval_cells(result)]]
    if "logistic_regression" in result:
        lines.append(["logistic regression", *rendering.interval_cells(result["logistic_regression"])])
    rendering.print_table(["", "AUC", "95 % interval"], lines, stream)
    if "difference" in result:
        found = result["difference"]
        print(
            f"difference {found['difference']:+.4f} ({found['low']:+.4f} to {found['high']:+.4f}), "
            f"p = {found['p_value']:.3g}",
            file=stream,
        )
    print(f"AUC {result['how']}; {_penalty_text(result)}", file=stream)
    times = ", ".join(f"{name} {value:.2f} s" for name, value in result["seconds"].items())
    print(f"wrote {result['model']} ({times})", file=stream)


def _penalty_text(result: dict[str, Any]) -> str:
    return f"loss {result['loss']}, l2 = {result['l2']:.3g}"
