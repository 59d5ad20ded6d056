"""AUC over data that outgrew one machine: training and ranking on Dask arrays and data frames."""

try:
    import dask.array
    import dask.dataframe  # noqa: F401
except ImportError as error:
    raise ImportError("aucmax.distributed needs Dask: pip install 'aucmax[dask]'.") from error

from .classifier import DaskAUCClassifier
from .ranking import auc

__all__ = ["DaskAUCClassifier", "auc"]
