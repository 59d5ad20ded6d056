"""For benchmarks/gpu.py: logistic regressions on torch arrays on a GPU, and how long a call takes there."""

import time
from collections.abc import Callable

GRADIENT = (
    1e-4  # largest component of the gradient, relative to that at zero weights, at which the peers stop
)
LONG = 5.0  # seconds of a first call, from which on it is repeated only once


def seconds(work: Callable[[], object], repeats: int = 9) -> float:
    """The shortest time of several calls after a first one, or of one where the first takes long."""
    import torch

    times: list[float] = []
    while len(times) <= (1 if times and times[0] > LONG else repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def logistic_gradient(X, y, w, b: float, l2: float):
    """Loss and gradient, by weights and intercept, of the mean logistic loss with a penalty."""
    import torch

    score = X @ w + b
    r = (torch.sigmoid(score) - y) / len(y)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(score, y) + 0.5 * l2 * (w @ w)
    return loss, torch.cat([r @ X + l2 * w, torch.sum(r)[None]])


def sklearn_logistic(X, y) -> dict[str, float]:
    """scikit-learn's logistic regression on the same arrays."""
    import torch
    from sklearn.linear_model import LogisticRegression

    labels, zero = y.float(), torch.zeros(X.shape[1], device="cuda")
    first = logistic_gradient(X, labels, zero, 0.0, 0.0)[1]
    model = LogisticRegression(tol=GRADIENT * float(first.abs().max()), max_iter=2000)
    took = seconds(lambda: model.fit(X, y))
    w, b = model.coef_[0].float(), float(model.intercept_[0])
    last = logistic_gradient(X, labels, w, b, 1.0 / len(y))[1]
    gradient = float(last.abs().max() / first.abs().max())
    return {"seconds": took, "gradient": gradient, "iterations": int(model.n_iter_[0])}


def torch_logistic(X, y) -> dict[str, float]:
    """Logistic regression by torch's own L-BFGS, with gradients by hand, which are faster than autograd's."""
    import torch

    labels, d = y.float(), X.shape[1]
    first = logistic_gradient(X, labels, torch.zeros(d, device="cuda"), 0.0, 0.0)[1].abs().max()
    found = {}

    def fit() -> None:
        w = torch.zeros(d + 1, device="cuda", requires_grad=True)
        options = {"max_iter": 2000, "max_eval": 4000, "history_size": 10, "line_search_fn": "strong_wolfe"}
        solver = torch.optim.LBFGS(
            [w], tolerance_grad=GRADIENT * float(first), tolerance_change=0.0, **options
        )

        def closure():
            with torch.no_grad():
                loss, w.grad = logistic_gradient(X, labels, w[:-1], w[-1], 1.0 / len(labels))
            return loss

        solver.step(closure)
        found["gradient"] = float(w.grad.abs().max() / first)
        found["iterations"] = int(solver.state[w]["n_iter"])

    return {"seconds": seconds(fit), **found}
