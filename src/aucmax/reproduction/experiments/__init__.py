"""Tables and figures of the papers, by name; each has jobs that yield records."""

from .class_partitions import PARTITIONS
from .figures import FIGURES
from .job import Experiment
from .skin_settings import SKIN_SETTINGS
from .tables import TABLES

_ALL: tuple[Experiment, ...] = (*TABLES, PARTITIONS, SKIN_SETTINGS, *FIGURES)
EXPERIMENTS = {experiment.name: experiment for experiment in _ALL}
