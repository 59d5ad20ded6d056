"""Linear models that maximise AUC: exactly, or online in one pass."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names by the module that defines them. Modules load when they are first used, so that
# `import aucmax` is quick and compiles nothing.
_HOME = {
    "AUCClassifier": "batch.classifier",
    "AUCClassifierCV": "batch.cv",
    "OnlineAUCClassifier": "online.tracked",
    "SOLAM": "online.solam",
    "RegSOLAM": "online.regsolam",
    "SPAM": "online.spam",
    "VRSPAM": "online.vrspam",
    "FSAUC": "online.fsauc",
    "SPDAM": "online.spdam",
    "SAUC": "online.sauc",
    "OPAUC": "online.opauc",
    "OAM": "online.oam",
    "UniExp": "online.uniexp",
}
_MODULES = ("checks", "compat", "datasets", "diagnostics", "distributed", "io", "losses", "metrics", "plot")

__all__ = [
    "AUCClassifier",
    "AUCClassifierCV",
    "FSAUC",
    "OAM",
    "OPAUC",
    "OnlineAUCClassifier",
    "RegSOLAM",
    "SAUC",
    "SOLAM",
    "SPAM",
    "SPDAM",
    "UniExp",
    "VRSPAM",
]

if TYPE_CHECKING:
    from .batch.classifier import AUCClassifier
    from .batch.cv import AUCClassifierCV
    from .online.fsauc import FSAUC
    from .online.oam import OAM
    from .online.opauc import OPAUC
    from .online.regsolam import RegSOLAM
    from .online.sauc import SAUC
    from .online.solam import SOLAM
    from .online.spam import SPAM
    from .online.spdam import SPDAM
    from .online.tracked import OnlineAUCClassifier
    from .online.uniexp import UniExp
    from .online.vrspam import VRSPAM


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
