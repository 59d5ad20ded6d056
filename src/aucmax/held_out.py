"""A summary of the scores of held-out rows, small enough to keep with a model, to choose thresholds by."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .metrics.operating import OperatingPoint

# Groups end at so many places along the ranked list, half of them chosen by the shares of both classes and
# half by the logarithm of the rank: near the top, where alerts are few, a group has about 2 % of them.
N_GROUPS = 1000


class HeldOutScores(NamedTuple):
    """Lowest and highest score, and weight of each class, of groups of rows with neighbouring scores.

    The groups descend. The scores are those of the decision function, for rows not learnt from.
    """

    low: np.ndarray
    high: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    @classmethod
    def of(cls, score: np.ndarray, signed: np.ndarray) -> "HeldOutScores":
        """From scores and weights, negative for rows of the negative class; rows of weight 0 do not count."""
        score, signed = score[signed != 0.0], signed[signed != 0.0]
        order = np.argsort(-score, kind="stable")
        score, signed = score[order].astype(np.float64), signed[order]
        positive, negative = np.maximum(signed, 0.0), np.maximum(-signed, 0.0)
        share = np.cumsum(positive / positive.sum() + negative / negative.sum()) / 2.0
        by_share = np.searchsorted(share, np.linspace(0.0, 1.0, N_GROUPS // 2)[1:-1])
        by_rank = np.geomspace(1.0, len(score), N_GROUPS // 2).astype(np.intp) - 1
        cuts = np.minimum(np.union1d(by_share, by_rank), len(score) - 1)
        ends = np.append(np.flatnonzero(score[1:] != score[:-1]), len(score) - 1)  # of equal scores
        ends = np.unique(ends[np.searchsorted(ends, np.append(cuts, len(score) - 1))])
        starts = np.append(0, ends[:-1] + 1)
        weights = (np.add.reduceat(part, starts) for part in (positive, negative))
        return cls(score[ends], score[starts], *weights)

    def operating_point(self, level: float = 0.95, **goal: Any) -> "OperatingPoint":
        """The threshold for a goal and the rates there, as by :func:`aucmax.metrics.operating_point`.

        A threshold is chosen among the lowest scores of the groups. A weight of k counts as k rows.
        """
        from .metrics.operating import check_goal, choose_point
        from .metrics.top import RankedRows

        rows = np.append(0.0, np.cumsum(self.positive + self.negative))
        hits = np.append(0.0, np.cumsum(self.positive))
        ranked = RankedRows(rows, hits, rows, self.low, 1.0, float(hits[-1]))
        return choose_point(ranked, *check_goal(**goal), level)

    def reversed(self) -> "HeldOutScores":
        """The same rows where the other class is the positive one and scores have the opposite sign."""
        parts = -self.high, -self.low, self.negative, self.positive
        return HeldOutScores(*(part[::-1] for part in parts))
