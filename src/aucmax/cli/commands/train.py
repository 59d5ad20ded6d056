"""``aucmax train``: train a model on a data file, write it, and report its AUC on held-out rows."""

import shlex
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ...io.columns.options import ReadOptions
from ...io.storage.models import save_model
from ...report.decisions import describe_decisions
from ..data import positive_index, swap_classes
from ..given import check_effect, given_options
from ..memory import check_memory
from ..messages import recording_warnings
from ..options import (
    Data,
    Json,
    Positive,
    Seed,
    check_output,
    number_option,
    output_option,
    share_option,
    text_option,
    whole_option,
)
from ..progress import compile_notice
from ..rendering import (
    describe_penalty,
    describe_rows,
    format_table,
    interval_cells,
    measure_name,
    output_name,
    print_result,
)
from ..thresholds import Goal, ThresholdOption, point_of_training, show_point
from ..training import TrainedModel, TrainingJob, describe_columns, describe_curves
from . import train_batch, train_stream

EPILOG = """\b
Examples:
  aucmax train patients.csv --label ill -o model.auc
  aucmax train 'sales/*.csv' --label returned --na-values unknown -o model.auc
  aucmax train payments.csv --label kind --positive fraud --max-fpr 0.05 -o model.auc
  aucmax train loans.csv --label default --test-size 0.2 --threshold recall=0.9 -o model.auc
  aucmax train clicks.svm.gz --stream --checkpoint run.ckpt --resume -o model.auc"""


CHANCE = 0.5  # AUC of scores that are independent of the labels


def _losses() -> list[str]:
    """Names for --loss; importing them takes half a second, so only where they are asked for."""
    from ...pairs.losses import LOSSES

    return ["auto", *LOSSES, "sigmoid"]


def _check_loss(name: str) -> str:
    if name != "auto" and name not in _losses():
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(_losses())}.")
    return name


class Command(TyperCommand):
    """Lists the losses in the help text."""

    def get_help(self, ctx: Any) -> str:
        for parameter in self.params:
            if parameter.name == "loss":
                parameter.help = f"Pairwise loss: {', '.join(_losses())}."  # type: ignore[attr-defined]
        return super().get_help(ctx)


Output = Annotated[str, output_option("MODEL", "Model file to write; - is standard output.")]
Test = Annotated[str | None, text_option("DATA", "Evaluate the model on this data.")]
TestSize = Annotated[
    float | None,
    share_option("SHARE", "Keep this share of the rows, drawn by --seed, for the evaluation."),
]
Loss = Annotated[str, typer.Option(metavar="NAME", callback=_check_loss)]
L2 = Annotated[str, text_option("auto|X", "L2 penalty; auto: by cross-validation, 0 with --stream.")]
MaxFpr = Annotated[
    float | None,
    share_option(
        "X",
        "Favour the top of the list: choose penalty and push by partial AUC up to this false positive rate.",
        up_to_1=True,
    ),
]
Stream = Annotated[bool, typer.Option("--stream", help="Train in one pass, in fixed memory.")]
BatchSize = Annotated[int, whole_option(1, "Rows per chunk, with --stream.")]
Shuffle = Annotated[int | None, whole_option(2, "Mix the rows in a buffer of N rows, with --stream.")]
HalfLife = Annotated[
    float | None,
    number_option(1.0, "ROWS", "With --stream: rows after which a row counts half, for data that drift."),
]
Checkpoint = Annotated[str | None, text_option("FILE", "Save checkpoints here, with --stream.")]
Every = Annotated[str, text_option("N|Ns", "Rows (1000000) or seconds (30s) between checkpoints.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue from the checkpoint, if there is one.")]
Curves = Annotated[
    bool,
    typer.Option(
        "--curves", help="Try a curve for each numeric column, and use the curves if the AUC is higher."
    ),
]
Baseline = Annotated[bool, typer.Option(help="Compare with logistic regression.")]


def run(
    data: Data,
    reading: ReadOptions,
    output: Output,
    positive: Positive = None,
    test: Test = None,
    test_size: TestSize = None,
    threshold: ThresholdOption = None,
    loss: Loss = "auto",
    l2: L2 = "auto",
    max_fpr: MaxFpr = None,
    stream: Stream = False,
    batch_size: BatchSize = 10_000,
    shuffle: Shuffle = None,
    half_life: HalfLife = None,
    checkpoint: Checkpoint = None,
    checkpoint_every: Every = "30s",
    resume: Resume = False,
    curves: Curves = False,
    baseline: Baseline = True,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Train a linear model that maximises AUC, and write it to a file.

    Text, dates and missing values are encoded, and identifiers left out; the output says how. Without
    --stream, all rows are read into memory and the penalty is chosen by cross-validation; columns need no
    scaling. With --max-fpr only the top of the list counts. With --stream, the file is read once, in fixed
    memory, and a run with --checkpoint that was stopped continues with --resume: the model is the same.
    A threshold for a goal is chosen by the scores of held-out rows, and stored in the model file for predict.
    """
    job = TrainingJob(data, reading, loss, _parse_l2(l2), seed, positive, test, max_fpr, test_size, curves)
    check_output("--output", output, data, test, binary=True)
    _check_options(job, stream, checkpoint, threshold)
    if checkpoint is not None:
        check_output("--checkpoint", checkpoint, data, test, output, binary=True)
    with compile_notice(json), recording_warnings() as warned:
        if stream:
            trained = train_stream.train(
                job, warned, batch_size, shuffle, half_life, checkpoint, checkpoint_every, resume
            )
        else:
            trained = train_batch.train(job, baseline)
            _warn_of_chance(trained.result)
        _warn_of_common_label(trained.result, job)
    result = save(trained, job, threshold, output, warned)
    print_result(result | {"model": output, "seconds": trained.seconds}, json, show, output)


def save(
    trained: TrainedModel, job: TrainingJob, threshold: Goal | None, output: str, warned: Sequence[str] = ()
) -> dict[str, Any]:
    """Write the model file, with the texts of the warnings; return the report of the training."""
    result = trained.result | {"columns": describe_columns(trained.reading)}
    reverse = positive_index(job.positive, trained.model.classes_, job.data) == 0
    held_out = getattr(trained.model, "held_out_", None)
    if reverse:
        result |= swap_classes(result)
        held_out = None if held_out is None else held_out.reversed()
    if threshold is not None:
        result["threshold"] = point_of_training(threshold, held_out)
    stored = (trained.stored or {}) | {"reading": trained.reading.to_dict()}
    if held_out is not None:
        stored["decisions"] = describe_decisions(held_out)
    if warned:
        stored["warnings"] = list(warned)
    save_model(trained.model, output, result | stored)
    return result


def _warn_of_chance(result: dict[str, Any]) -> None:
    if result.get("low", 1.0) <= CHANCE:
        warnings.warn(
            "the interval of the AUC is not above 0.5: on new rows this model may rank no better than chance",
            stacklevel=2,
        )


def _warn_of_common_label(result: dict[str, Any], job: TrainingJob) -> None:
    """Text labels do not tell which class should rank high; usually it is the rarer one."""
    other, label = result["classes"]
    if job.positive is None and isinstance(label, str) and result["positives"] > result["rows"] / 2:
        warnings.warn(
            f"the label that ranks high is {label!r}, which most rows have; to rank {other!r} high, give "
            f"--positive {shlex.quote(other)}",
            stacklevel=2,
        )


def _check_options(job: TrainingJob, stream: bool, checkpoint: str | None, threshold: Goal | None) -> None:
    """Raise an error for options that exclude each other or have no effect."""
    if job.test is not None and job.test_size is not None:
        raise typer.BadParameter("--test and --test-size exclude each other.")
    if job.loss == "sigmoid" and job.max_fpr is not None:
        raise typer.BadParameter("--loss sigmoid does not go with --max-fpr, which needs a convex loss.")
    if not stream:
        check_effect(
            ("batch_size", "shuffle", "half_life", "checkpoint", "checkpoint_every", "resume"),
            "without --stream",
        )
        check_memory(job.data, "train in fixed memory with --stream")
        return
    if checkpoint is None:
        check_effect(("checkpoint_every", "resume"), "without --checkpoint FILE")
    for option, is_given, reason in (
        ("--loss sigmoid", job.loss == "sigmoid", ", which learns convex losses only."),
        (
            "--curves",
            job.curves,
            ", which reads each row once: curves need the quantiles of the columns first.",
        ),
        ("--max-fpr", job.max_fpr is not None, ", which learns AUC only."),
        ("--test-size", job.test_size is not None, "; give other rows with --test."),
        (
            f"--threshold {threshold}",
            threshold is not None and threshold.name != "threshold",
            ", which holds no rows out; choose it on labelled rows later: aucmax evaluate --threshold ... "
            "--save",
        ),
        ("--baseline", "baseline" in given_options(), ", which trains no other model."),
    ):
        if is_given:
            raise typer.BadParameter(f"{option} does not go with --stream{reason}")


def _parse_l2(text: str) -> float | None:
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


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    yield describe_rows(result)
    if result.get("columns"):
        yield result["columns"]
    models = {result["estimator"]: result}
    if "logistic_regression" in result:
        models["logistic regression"] = result["logistic_regression"]
    measures = [measure for measure in ("auc", "partial_auc") if measure in result]
    n_cells = 2 if "low" in result else 1  # a stream has no interval
    head = [
        part for measure in measures for part in (measure_name(result, measure), "95 % interval")[:n_cells]
    ]
    cells = [
        [name, *(cell for measure in measures for cell in interval_cells(found, measure)[:n_cells])]
        for name, found in models.items()
    ]
    yield format_table(["", *head], cells)
    if "difference" in result:
        for measure in measures:
            found = result["difference"] if measure == "auc" else result["difference"][measure]
            ends = f"({found['low']:+.4f} to {found['high']:+.4f})"
            name = f"difference of {measure_name(result, measure)}" if len(measures) > 1 else "difference"
            yield f"{name} {found['difference']:+.4f} {ends}, p = {found['p_value']:.3g}"
    if "threshold" in result:
        yield show_point(result["threshold"])
    yield f"AUC {result['how']}; {describe_penalty(result)}"
    if "curves" in result:
        yield describe_curves(result["curves"])
    times = ", ".join(f"{name} {value:.2f} s" for name, value in result["seconds"].items())
    yield f"wrote {output_name(result['model'])} ({times})"
