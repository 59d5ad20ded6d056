"""
On a GPU
========

``AUCClassifier`` takes arrays of torch and CuPy and stays where they are. A GPU is not at
hand wherever these pages are built, so this example draws a recorded run: one H200 beside the
16 cores of its machine (``benchmarks/gpu.py``).
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt

root = next(
    folder for folder in [Path.cwd(), *Path.cwd().parents] if (folder / "benchmarks").exists()
)
record = json.loads((root / "benchmarks" / "gpu.json").read_text())
print(", ".join(f"{name} {value}" for name, value in record["machine"].items()))

# %%
# The recorded code, in short:
#
# .. code-block:: python
#
#     import os
#     os.environ["SCIPY_ARRAY_API"] = "1"          # before SciPy or scikit-learn is imported
#
#     import sklearn, torch
#     from aucmax import AUCClassifier
#
#     sklearn.set_config(array_api_dispatch=True)
#     X, y = torch.asarray(X, device="cuda"), torch.asarray(y, device="cuda")
#     model = AUCClassifier().fit(X, y)            # coef_ is a tensor on the GPU
#
# Logistic regression is scikit-learn's, on the same arrays on the same GPU.

lines = {
    "AUCClassifier, 16 cores": (lambda size: size["cpu_seconds"], "#777777"),
    "AUCClassifier, GPU": (lambda size: size["seconds"], "#e4572e"),
    "logistic regression, GPU": (lambda size: size["sklearn_logistic"]["seconds"], "#4c78a8"),
}
for size in record["largest"]:
    times = ", ".join(f"{name} {seconds(size):.2f} s" for name, (seconds, _) in lines.items())
    print(f"{size['rows']:,} rows of {size['columns']:,} columns: {times}")

# %%
# On independent gaussian columns, the easiest case, logistic regression is faster still. On
# columns that are strongly correlated and in different units it is not, and does not reach
# the gradient it was asked for (see :doc:`/gpu`).

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4), sharey=True, layout="constrained")
million = [size for size in record["rows"] if size["rows"] == 1_000_000]
panels = {
    "rows": record["rows"],
    "columns": sorted(record["columns"] + million, key=lambda size: size["columns"]),
}
for ax, (key, sizes) in zip(axes, panels.items(), strict=True):
    at = [size[key] for size in sizes]
    for name, (seconds, color) in lines.items():
        ax.loglog(at, [seconds(size) for size in sizes], "o-", color=color, markersize=4)
        if key == "rows":
            place = {
                "xytext": (0, 8 if color != "#4c78a8" else -16),
                "textcoords": "offset points",
            }
            ax.annotate(name, (at[2], seconds(sizes[2])), ha="right", color=color, **place)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set(xlabel="rows of 100 columns", ylabel="seconds of a fit")
axes[1].set(xlabel="columns of 1,000,000 rows")
plt.show()
