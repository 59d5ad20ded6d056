"""The picture and the tables of docs/gpu.md, from the results of benchmarks/gpu.py.

python benchmarks/gpu_picture.py
"""

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

RESULTS = Path(__file__).with_name("gpu.json")
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "gpu.svg"
LINES = {
    "AUCClassifier, 16 CPU cores": (lambda size: size["cpu_seconds"], "tab:gray", "s--"),
    "AUCClassifier, GPU": (lambda size: size["seconds"], "tab:blue", "o-"),
    "logistic regression, GPU": (lambda size: size["sklearn_logistic"]["seconds"], "tab:orange", "^-"),
    "products with X alone": (lambda size: size["products"], "tab:green", ":"),
}


def draw(results: dict) -> None:
    """Time against rows and against columns."""
    plt.rcParams |= {"svg.hashsalt": "aucmax", "font.size": 9, "svg.fonttype": "none"}
    by_columns = [*results["columns"], *(size for size in results["rows"] if size["rows"] == 10**6)]
    panels = [
        ("rows", "rows (100 columns)", results["rows"]),
        ("columns", "columns (1,000,000 rows)", by_columns),
    ]
    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.2), sharey=True, layout="constrained")
    for axis, (key, label, sizes) in zip(axes, panels, strict=True):
        sizes = sorted(sizes, key=lambda size: size[key])
        for name, (value, colour, style) in LINES.items():
            at, times = [size[key] for size in sizes], [value(size) for size in sizes]
            axis.loglog(at, times, style, color=colour, label=name)
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds of a fit")
    axes[0].legend(fontsize=7)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, metadata={"Date": None})


def milliseconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 1.0 else f"{1e3 * value:.0f} ms"


def tables(results: dict) -> None:
    """Markdown tables of all sizes, and of covtype and mnist."""
    print("| columns | rows | GPU | products with X alone | 16 cores | logistic regression | torch L-BFGS |")
    print("|---|---|---|---|---|---|---|")
    for part in ("rows", "columns", "largest", "ill", "real"):
        for size in results[part]:
            kind = size.get("data") or size["kind"]
            peers = [size[name] for name in ("sklearn_logistic", "torch_logistic")]
            times = [milliseconds(peer["seconds"]) + f" ({peer['gradient']:.0e})" for peer in peers]
            alone = milliseconds(size["products"]) if "products" in size else ""
            own = milliseconds(size["seconds"]), alone, milliseconds(size["cpu_seconds"])
            print("|", " | ".join([f"{size['columns']} {kind}", f"{size['rows']:,}", *own, *times]), "|")
    for part in ("machine", "losses", "cv", "memory"):
        print(part, json.dumps(results[part]))
    for kind in ("float64", "float32"):
        chosen = [size for size in results["accuracy"] if size["dtype"] == kind]
        for loss in ("hinge", ""):
            some = [size for size in chosen if (size["loss"] == "hinge") == bool(loss)]
            worst = max(size["difference"] for size in some), max(size["auc_difference"] for size in some)
            print(f"{kind} {loss or 'other losses'}: coefficients {worst[0]:.1e}, AUC {worst[1]:.1e}")


if __name__ == "__main__":
    found = json.loads(RESULTS.read_text())
    draw(found)
    tables(found)
