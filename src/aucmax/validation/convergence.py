"""The warning that a fit has not converged."""

from sklearn.exceptions import ConvergenceWarning


class NotConverged(ConvergenceWarning):
    """A fit stopped before it reached its tolerance: how far it came, and what to do about it.

    Examples
    --------
    >>> print(NotConverged("SOLAM stopped after 5 passes", "raise max_iter"))
    SOLAM stopped after 5 passes; raise max_iter.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem, self.remedy = problem, remedy

    def __str__(self) -> str:
        return f"{self.problem}; {self.remedy}."
