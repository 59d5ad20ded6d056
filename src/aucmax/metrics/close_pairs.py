"""The pairs of a new row with the latest ones of the other class, for the AUC of a stream."""

from ..kernels.jit import vectorised


@vectorised
def close_pairs(score, other, scores, weights, rows, row, common, limit):
    """Weight of the scores of class ``other`` that are close and lower; of all close ones; their number.

    Those of rows are close whose distance from ``row`` times ``common`` is at most ``limit``: integers as a
    rule, so that no rounding decides. A tie counts half.
    """
    lower, all_close, number = 0.0, 0.0, 0.0
    for k in range(scores.shape[1]):
        weight = weights[other, k] if (row - rows[other, k]) * common <= limit else 0.0
        lower += weight if score > scores[other, k] else 0.0
        lower += weight if score >= scores[other, k] else 0.0
        all_close += weight
        number += 1.0 if weight > 0.0 else 0.0
    return 0.5 * lower, all_close, number
