"""What the docstrings of the stochastic methods share, written once: parameters, attributes, the example.

The source of a method only names these parameters; ``complete`` adds the rest for ``help``.
"""

import inspect
import re

PARAMETERS = {
    "average": """bool, default={default}
    Return the average of the iterates instead of the last one.""",
    "max_iter": """int, default={default}
    Passes over the rows in ``fit``.""",
    "tol": """float or None, default=None
    Stop after a pass that changes the weights by at most ``tol`` times their norm. None makes
    ``max_iter`` passes.""",
    "shuffle": """bool, default=True
    Visit the rows in a new random order in each pass of ``fit``.""",
    "warm_start": """bool, default=False
    Start ``fit`` from the weights of the previous fit.""",
    "random_state": """int, RandomState or None, default=None
    Seed of the order of the rows, and of what the method draws at random.""",
}
ATTRIBUTES = """
Attributes
----------
coef_ : ndarray of shape (1, n_features)
intercept_ : ndarray of shape (1,)
    Minus the midpoint of the mean scores of the two classes.
classes_ : ndarray of shape (2,)
n_iter_ : int
    Passes made; stages in the case of VRSPAM.
"""
EXAMPLE = """

Examples
--------
>>> from sklearn.datasets import load_breast_cancer
>>> from sklearn.preprocessing import normalize, scale
>>> from aucmax import {name}
>>> X, y = load_breast_cancer(return_X_y=True)
>>> X = normalize(scale(X))
>>> print(f"{{{name}(random_state=0).fit(X, y).score(X, y):.3f}}")
0.9...
"""
_SHARED = re.compile(r"^((?:\w+, )*\w+)\n    As in the other stochastic methods\.\n", re.MULTILINE)


def complete(cls: type) -> None:
    """Replace the names of shared parameters by their descriptions, and add attributes and example."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    shared = _SHARED.search(doc)
    if shared:
        described = (
            f"{name} : {PARAMETERS[name].format(default=getattr(cls, name))}\n"
            for name in shared[1].split(", ")
        )
        rest = doc[shared.end() :].removeprefix("\nAttributes\n----------\n")
        example = EXAMPLE.format(name=cls.__name__)
        cls.__doc__ = doc[: shared.start()] + "".join(described) + ATTRIBUTES + rest + example
