"""Descriptions of the parameters and attributes that the stochastic methods share, written once.

The source of a method only names these parameters; ``complete`` adds the descriptions for ``help``.
"""

import inspect
import re

PARAMETERS = {
    "max_iter": """int, default={default}
    Passes of ``fit``.""",
    "tol": """float or None, default=None
    Stop when a pass moves the weights by at most ``tol`` of their norm; None makes all passes.""",
    "shuffle": """bool, default=True
    Visit the rows of ``fit`` in a new random order in each pass.""",
    "warm_start": """bool, default=False
    Start ``fit`` from the weights of the last one.""",
    "random_state": """int, RandomState or None, default=None
    Seed of the order of the rows.""",
}
ATTRIBUTES = """
Attributes
----------
coef_ : ndarray of shape (1, n_features)
intercept_ : ndarray of shape (1,)
    Puts the decision midway between the mean scores of the classes.
classes_ : ndarray of shape (2,)
n_iter_ : int
    Passes made; stages in the case of VRSPAM.
"""
_SHARED = re.compile(r"^((?:\w+, )*\w+)\n    As in the other stochastic methods\.\n", re.MULTILINE)


def complete(cls: type) -> None:
    """Replace the names of shared parameters in a docstring by their descriptions, and add the attributes."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    shared = _SHARED.search(doc)
    if shared:
        described = (
            f"{name} : {PARAMETERS[name].format(default=getattr(cls, name))}\n"
            for name in shared[1].split(", ")
        )
        rest = doc[shared.end() :].removeprefix("\nAttributes\n----------\n")
        cls.__doc__ = doc[: shared.start()] + "".join(described) + ATTRIBUTES + rest
