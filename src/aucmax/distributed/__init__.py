"""Training and AUC on Dask arrays and data frames, for data larger than one machine.

Order of reading: ``inputs``, ``labels`` and ``preparation`` (Dask data become validated partitions),
``rounds`` and ``dask_engine`` (sums over partitions), ``mesh``, ``mesh_kernel`` and ``pair_sums`` (all pairs
from the weights of both classes on a mesh of scores), ``row_sums``, ``curvature`` and ``summary`` (what a
partition computes), ``objective`` and ``problem`` (what Newton's method minimises), ``folds``
(cross-validation); then the public ``classifier``, ``cv``, ``in_turn`` (one pass of an online model) and
``ranking`` (exact AUC).
"""

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
