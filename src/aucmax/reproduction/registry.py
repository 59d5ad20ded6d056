"""All experiments by name."""

from .experiment import Experiment
from .figures import FIGURES
from .tables import PARTITIONS, TABLES

EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in (*TABLES, PARTITIONS, *FIGURES)}
