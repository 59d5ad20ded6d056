"""The order of the examples: the usual case first, then its parts, streams, machines and the papers."""

ORDER = [
    "fraud",
    "top",
    "table",
    "text",
    "units",
    "class_weights",
    "positives",
    "calibration",
    "scorecard",
    "own_loss",
    "order",
    "drift",
    "kill_and_resume",
    "dask",
    "gpu",
    "papers",
]


def position(filename: str) -> tuple[int, str]:
    """The place of an example; those that are not named come last."""
    name = filename.removeprefix("plot_").removesuffix(".py")
    return ORDER.index(name) if name in ORDER else len(ORDER), name
