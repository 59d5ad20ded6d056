"""Training and AUC on Dask arrays and data frames, for data larger than one machine."""

try:
    import dask.array
    import dask.dataframe  # noqa: F401
except ImportError as error:
    raise ImportError("aucmax.distributed needs Dask: pip install 'aucmax[dask]'.") from error

from .classifier import DaskAUCClassifier
from .cv import DaskAUCClassifierCV
from .in_turn import fit_in_turn
from .ranking import auc

__all__ = ["DaskAUCClassifier", "DaskAUCClassifierCV", "auc", "fit_in_turn"]
