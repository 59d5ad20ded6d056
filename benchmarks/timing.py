"""The shortest times of several runs, for the benchmark scripts."""

import time
from collections.abc import Callable, Hashable


def shortest(
    runs: dict[Hashable, Callable[[], object]],
    rounds: int = 5,
    clock: Callable[[], float] = time.perf_counter,
    warm_up: bool = False,
) -> dict[Hashable, float]:
    """Shortest time of each run, when they alternate; with ``warm_up``, after a round that does not count."""
    best = dict.fromkeys(runs, float("inf"))
    for number in range(rounds + warm_up):
        for name, run in runs.items():
            start = clock()
            run()
            if number >= warm_up:
                best[name] = min(best[name], clock() - start)
    return best
