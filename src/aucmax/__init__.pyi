# The public names, and their only list: type checkers read it, and so does the lazy loading of `__init__`.

from typing import Final

__version__: Final[str]

# For most users
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
from .batch.classifier import AUCClassifier as AUCClassifier
from .batch.cv import AUCClassifierCV as AUCClassifierCV
from .stochastic.fsauc.estimator import FSAUC as FSAUC
from .stochastic.oam.estimator import OAM as OAM

# The methods they compare with
from .stochastic.opauc import OPAUC as OPAUC
from .stochastic.regsolam import RegSOLAM as RegSOLAM
from .stochastic.sauc.estimator import SAUC as SAUC

# The papers' methods
from .stochastic.solam import SOLAM as SOLAM
from .stochastic.spam.estimator import SPAM as SPAM
from .stochastic.spdam.estimator import SPDAM as SPDAM
from .stochastic.uniexp import UniExp as UniExp
from .stochastic.vrspam import VRSPAM as VRSPAM
from .streaming.estimator import OnlineAUCClassifier as OnlineAUCClassifier

__all__: list[str]

def __dir__() -> list[str]: ...
