"""AUCClassifier on a GPU: time against rows and columns, beside logistic regression and the CPU.

    SCIPY_ARRAY_API=1 python benchmarks/gpu.py [rows columns largest ill accuracy memory losses cv real]

Needs torch, a CUDA GPU and, for `real`, AUCMAX_DATA; the results are added to benchmarks/gpu.json, of which
benchmarks/gpu_picture.py makes a picture and tables. Rows are float32 on the GPU, 2 % of them positive. A
time is the shortest of nine after a first call (of one where that takes long), since the clock of the host
varies. The peers are logistic regressions on the same arrays, scikit-learn's (lbfgs) and torch's own L-BFGS;
they stop when the largest component of the gradient is 1e-4 of that at zero weights. `products` is the time
of the fit's products with X alone: as many as the fit makes, one after the other.
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gpu_peers import seconds, sklearn_logistic, torch_logistic

RESULTS = Path(__file__).with_suffix(".json")
BY_ROWS = [(10**4, 100), (10**5, 100), (10**6, 100), (10**7, 100)]
BY_COLUMNS = [(10**6, 10), (10**6, 30), (10**6, 300), (10**6, 1000)]


def make_data(n: int, d: int, kind: str = "gaussian"):
    """Columns on the GPU: independent and gaussian, or `ill`: strongly correlated, of sizes 1e-3 to 1e3."""
    import torch

    generator = torch.Generator("cuda").manual_seed(0)
    draw = {"device": "cuda", "generator": generator}
    X, w = torch.empty(n, d, device="cuda"), torch.randn(d, **draw) / d**0.5
    score = torch.empty(n, device="cuda")
    common, size = torch.randn(5, d, **draw), torch.logspace(-3, 3, d, device="cuda")
    for start in range(0, n, 2**18):
        block = X[start : start + 2**18].normal_(generator=generator)
        if kind == "ill":
            block += 10.0 * torch.randn(len(block), 5, **draw) @ common
        score[start : start + 2**18] = block @ w
        if kind == "ill":
            block *= size
    score += torch.std(score) * torch.randn(n, **draw)
    return X, (score > torch.quantile(score[: 2**20], 0.98)).to(torch.int64)


def count_products(fit: Callable[[], object], n: int) -> dict[str, int]:
    """How often a fit multiplies all rows by a vector (`scores`), and a vector by all rows (`combine`)."""
    from aucmax.batch.array_products import ArrayProducts

    counts, original = {}, {}
    for name in ("scores", "combine", "class_sums"):
        original[name], counts[name] = getattr(ArrayProducts, name), 0

        def counted(self, argument, name=name):
            counts[name] += self.n_rows == n
            return original[name](self, argument)

        setattr(ArrayProducts, name, counted)
    fit()
    for name, method in original.items():
        setattr(ArrayProducts, name, method)
    return counts


def products_alone(X, y, counts: dict[str, int]) -> dict[str, float]:
    """Time of those products one after the other, and the share of the memory bandwidth that they reach."""
    import torch

    from aucmax.batch.array_products import ArrayProducts
    from aucmax.validation.namespaces import find_arrays

    products, (n, d) = ArrayProducts(find_arrays(X), X), X.shape
    v, r = np.ones(d) / d, torch.rand(n, dtype=torch.float64, device="cuda")
    classes = products.split(2.0 * y.double() - 1.0)
    each = {
        "scores": seconds(lambda: products.scores(v), 5),
        "combine": seconds(lambda: products.combine(r), 5),
        "class_sums": seconds(lambda: products.class_sums(classes)),
    }
    check = seconds(lambda: bool(torch.isfinite(torch.sum(X))))
    rates = {
        f"{name}_terabytes_per_second": 4.0 * n * d / each[name] / 1e12 for name in ("scores", "combine")
    }
    alone = sum(each[name] * counts[name] for name in each)
    return {"products": alone + check, "check": check, **each, **rates}


def measure_size(n: int, d: int, kind: str) -> dict:
    """All times for one size."""
    from aucmax import AUCClassifier

    X, y = make_data(n, d, kind)
    model = AUCClassifier()
    out = {"rows": n, "columns": d, "kind": kind, "seconds": seconds(lambda: model.fit(X, y))}
    out |= {"newton_steps": model.n_iter_, "gradient": model.optimality_}
    out["counts"] = count_products(lambda: AUCClassifier().fit(X, y), n)
    out |= products_alone(X, y, out["counts"])
    out["sklearn_logistic"], out["torch_logistic"] = sklearn_logistic(X, y), torch_logistic(X, y)
    rows, labels = X.cpu().numpy(), y.cpu().numpy()
    on_cpu = AUCClassifier()
    out["cpu_seconds"] = seconds(lambda: on_cpu.fit(rows, labels))
    coef, right = (each * on_cpu.feature_scale_ for each in (model.coef_.cpu().numpy(), on_cpu.coef_))
    out["difference"] = float(np.linalg.norm(coef - right) / np.linalg.norm(right))
    out["auc"], out["cpu_auc"] = model.score(X, y), on_cpu.score(rows, labels)
    return out


def measure_accuracy() -> list[dict]:
    """Coefficients, in units of the columns, and AUC of every loss on the GPU beside those on the CPU."""
    from aucmax import AUCClassifier

    out = []
    for kind in ("gaussian", "ill"):
        X, y = make_data(200_000, 50, kind)
        for loss in ("squared_hinge", "hinge", "logistic", "squared", "exponential"):
            for rows in (X.double(), X):
                tol = 1e-6 if loss == "hinge" or rows is X else 1e-9
                model, on_cpu = (AUCClassifier(loss, l2=1e-3, tol=tol) for _ in range(2))
                model.fit(rows, y)
                host, labels = rows.cpu().numpy(), y.cpu().numpy()
                on_cpu.fit(host, labels)
                scale = on_cpu.feature_scale_
                coef, right = model.coef_.cpu().numpy() * scale, on_cpu.coef_ * scale
                difference = float(np.linalg.norm(coef - right) / np.linalg.norm(right))
                auc = abs(model.score(rows, y) - on_cpu.score(host, labels))
                out.append({"kind": kind, "loss": loss, "dtype": str(host.dtype), "difference": difference})
                out[-1] |= {"auc_difference": auc, "gradient": model.optimality_}
    return out


def measure_memory() -> list[dict]:
    """Largest memory of a fit beside X, in bytes for each row."""
    import torch

    from aucmax import AUCClassifier, AUCClassifierCV

    X, y = make_data(10**6, 20)
    models = [AUCClassifier(loss, l2=1e-3) for loss in ("squared_hinge", "hinge", "logistic", "exponential")]
    out = []
    for model in [*models, AUCClassifierCV()]:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        model.fit(X, y)
        used = (torch.cuda.max_memory_allocated() - before) / len(y)
        out.append({"model": type(model).__name__, "loss": model.loss, "bytes_per_row": used})
    return out


def measure_losses() -> list[dict]:
    """Time of each loss, and of auc and auc_interval on ten million scores."""
    import torch

    from aucmax import AUCClassifier, metrics

    X, y = make_data(10**6, 100)
    losses = ("squared_hinge", "hinge", "logistic", "squared", "exponential")
    out = [{"what": s, "seconds": seconds(lambda s=s: AUCClassifier(s, l2=1e-3).fit(X, y))} for s in losses]
    score = torch.randn(10**7, device="cuda")
    y = (score + torch.randn(10**7, device="cuda") > 3.0).to(torch.int64)
    for name in ("auc", "auc_interval"):
        function, host = getattr(metrics, name), (y.cpu().numpy(), score.cpu().numpy())
        on_gpu, on_cpu = seconds(lambda f=function: f(y, score)), seconds(lambda f=function, h=host: f(*h))
        out.append({"what": name, "seconds": on_gpu, "cpu_seconds": on_cpu})
    return out


def measure_cv() -> dict:
    """AUCClassifierCV with its defaults, 13 values of l2 and 5 folds, on the GPU and on the CPU."""
    from aucmax import AUCClassifierCV

    X, y = make_data(10**6, 100)
    rows, labels = X.cpu().numpy(), y.cpu().numpy()
    on_gpu = seconds(lambda: AUCClassifierCV().fit(X, y), 2)
    return {"seconds": on_gpu, "cpu_seconds": seconds(lambda: AUCClassifierCV().fit(rows, labels), 1)}


def measure_real() -> list[dict]:
    """covtype and mnist, training parts, float32."""
    import torch
    from datasets import load

    from aucmax import AUCClassifier

    out = []
    for name in ("covtype", "mnist"):
        data = load(name)
        rows, labels = data.X.astype(np.float32), data.y
        X, y = torch.asarray(rows, device="cuda"), torch.asarray(labels, device="cuda")
        on_gpu = seconds(lambda X=X, y=y: AUCClassifier().fit(X, y))
        on_cpu = seconds(lambda X=rows, y=labels: AUCClassifier().fit(X, y))
        peers = {"sklearn_logistic": sklearn_logistic(X, y), "torch_logistic": torch_logistic(X, y)}
        shape = {"data": name, "rows": X.shape[0], "columns": X.shape[1]}
        out.append({**shape, "seconds": on_gpu, "cpu_seconds": on_cpu, **peers})
    return out


def sizes(shapes: list[tuple[int, int]], kind: str = "gaussian") -> list[dict]:
    """``measure_size`` for several sizes."""
    out = []
    for n, d in shapes:
        out.append(measure_size(n, d, kind))
        print(json.dumps(out[-1]), flush=True)
    return out


PARTS: dict[str, Callable[[], object]] = {
    "rows": lambda: sizes(BY_ROWS),
    "columns": lambda: sizes(BY_COLUMNS),
    "largest": lambda: sizes([(10**7, 1000)]),
    "ill": lambda: sizes([(10**6, 100), (10**6, 1000)], "ill"),
    "accuracy": measure_accuracy,
    "memory": measure_memory,
    "losses": measure_losses,
    "cv": measure_cv,
    "real": measure_real,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all without one")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    import sklearn
    import torch

    sklearn.set_config(array_api_dispatch=True)
    results = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}
    versions = {"torch": torch.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
    results["machine"] = {"gpu": torch.cuda.get_device_name(), "cores": os.cpu_count(), **versions}
    for part in arguments.parts or PARTS:
        results[part] = PARTS[part]()
        print(part, json.dumps(results[part]), flush=True)
        arguments.results.write_text(json.dumps(results, indent=1) + "\n")
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
