# ruff: noqa: I001
# The only list of the public names, read by type checkers and by `__init__.py`: one name on a line.

from typing import Final

__version__: Final[str]
__all__: list[str]

# Estimators for most users
from .batch.classifier import AUCClassifier as AUCClassifier
from .batch.cv import AUCClassifierCV as AUCClassifierCV
from .streaming.estimator import OnlineAUCClassifier as OnlineAUCClassifier

# The papers' methods
from .stochastic.solam import SOLAM as SOLAM
from .stochastic.regsolam import RegSOLAM as RegSOLAM
from .stochastic.spam.estimator import SPAM as SPAM
from .stochastic.vrspam import VRSPAM as VRSPAM
from .stochastic.fsauc.estimator import FSAUC as FSAUC
from .stochastic.spdam.estimator import SPDAM as SPDAM
from .stochastic.sauc.estimator import SAUC as SAUC

# The methods that the papers compare with
from .stochastic.opauc import OPAUC as OPAUC
from .stochastic.oam.estimator import OAM as OAM
from .stochastic.uniexp import UniExp as UniExp

# Modules
from . import compat as compat
from . import datasets as datasets
from . import distributed as distributed
from . import io as io
from . import losses as losses
from . import metrics as metrics
from . import plot as plot
from . import reproduction as reproduction
from . import testing as testing

def __dir__() -> list[str]: ...
