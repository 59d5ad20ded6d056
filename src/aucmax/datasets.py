"""The papers' data sets by name, from the folder ``$AUCMAX_DATA`` or downloaded from LIBSVM and UCI."""

import builtins
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .io.reading.reader import Table, read
from .validation.errors import DataError
from .validation.optional import import_optional

__all__ = ["list", "load"]

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_SUFFIX = ".svm.xz"


class Source(NamedTuple):
    """Where a data set is published, and its shape.

    ``file`` is a path below ``LIBSVM``, or below ``UCI`` for a table with a ``positive`` label, which becomes
    +1 and the other -1.
    """

    n_rows: int
    n_features: int
    file: str
    positive: str | None = None


# A test part has the number of features of its training part; its file may lack the last ones.
SOURCES = {
    "a9a": Source(32561, 123, "binary/a9a"),
    "a9a.t": Source(16281, 123, "binary/a9a.t"),
    "acoustic": Source(78823, 50, "multiclass/vehicle/acoustic.bz2"),
    "acoustic.t": Source(19705, 50, "multiclass/vehicle/acoustic.t.bz2"),
    "australian": Source(690, 14, "binary/australian"),
    "australian_scale": Source(690, 14, "binary/australian_scale"),
    "breast-cancer_scale": Source(683, 10, "binary/breast-cancer_scale"),
    "cod-rna": Source(59535, 8, "binary/cod-rna"),
    "connect-4": Source(67557, 126, "multiclass/connect-4"),
    "covtype": Source(581012, 54, "multiclass/covtype.bz2"),
    "diabetes": Source(768, 8, "binary/diabetes"),
    "dna.scale": Source(2000, 180, "multiclass/dna.scale"),
    "dna.scale.t": Source(1186, 180, "multiclass/dna.scale.t"),
    "fourclass": Source(862, 2, "binary/fourclass"),
    "german.numer": Source(1000, 24, "binary/german.numer"),
    "heart": Source(270, 13, "binary/heart"),
    "heart_scale": Source(270, 13, "binary/heart_scale"),
    "ijcnn1": Source(49990, 22, "binary/ijcnn1.bz2"),
    "ijcnn1.t": Source(91701, 22, "binary/ijcnn1.t.bz2"),
    "ionosphere": Source(351, 34, "ionosphere/ionosphere.data", positive="g"),
    "letter.scale": Source(15000, 16, "multiclass/letter.scale"),
    "letter.scale.t": Source(5000, 16, "multiclass/letter.scale.t"),
    "leu": Source(38, 7129, "binary/leu.bz2"),
    "madelon": Source(2000, 500, "binary/madelon"),
    "madelon.t": Source(600, 500, "binary/madelon.t"),
    "magic04": Source(19020, 10, "magic/magic04.data", positive="g"),
    "mnist": Source(60000, 780, "multiclass/mnist.bz2"),
    "news20": Source(15935, 62061, "multiclass/news20.bz2"),
    "news20.t": Source(3993, 62061, "multiclass/news20.t.bz2"),
    "pendigits": Source(7494, 16, "multiclass/pendigits"),
    "pendigits.t": Source(3498, 16, "multiclass/pendigits.t"),
    "satimage.scale": Source(4435, 36, "multiclass/satimage.scale"),
    "sector.scale": Source(6412, 55197, "multiclass/sector/sector.scale.bz2"),
    "sector.t.scale": Source(3207, 55197, "multiclass/sector/sector.t.scale.bz2"),
    "segment.scale": Source(2310, 19, "multiclass/segment.scale"),
    "skin_nonskin": Source(245057, 3, "binary/skin_nonskin"),
    "sonar_scale": Source(208, 60, "binary/sonar_scale"),
    "splice": Source(1000, 60, "binary/splice"),
    "splice.t": Source(2175, 60, "binary/splice.t"),
    "svmguide1": Source(3089, 4, "binary/svmguide1"),
    "svmguide1.t": Source(4000, 4, "binary/svmguide1.t"),
    "svmguide3": Source(1243, 22, "binary/svmguide3"),
    "svmguide3.t": Source(41, 22, "binary/svmguide3.t"),
    "usps": Source(7291, 256, "multiclass/usps.bz2"),
    "usps.t": Source(2007, 256, "multiclass/usps.t.bz2"),
    "vehicle.scale": Source(846, 18, "multiclass/vehicle.scale"),
    "vowel.scale": Source(528, 10, "multiclass/vowel.scale"),
    "w8a": Source(49749, 300, "binary/w8a"),
    "w8a.t": Source(14951, 300, "binary/w8a.t"),
}


def load(name: str) -> Table:
    """Load a data set by name; see ``list`` for the names.

    If the folder ``$AUCMAX_DATA`` has a file ``NAME.svm.xz``, it is read. Otherwise the published file is
    downloaded, once, to the user's cache. Labels are those of the file; there may be more than two.

    Parameters
    ----------
    name : str
        Such as ``"a9a"``; its test part is ``"a9a.t"``.

    Returns
    -------
    Table
        ``(X, y, feature_names, skipped, zero_based)`` with X a ``csr_array``.

    Examples
    --------
    >>> from aucmax import datasets
    >>> datasets.load("nothing")
    Traceback (most recent call last):
    ...
    aucmax.validation.errors.DataError: There is no data set 'nothing'; see ...
    """
    source, path = SOURCES.get(name), _files_in_folder().get(name)
    if path is not None:
        table = read(path, n_features=source and source.n_features, format="libsvm")
    elif source is not None:
        path = _download(name, source)
        table = _read_original(path, source)
    else:
        raise DataError(f"There is no data set {name!r}", remedy="see aucmax.datasets.list() for the names")
    n_rows, n_features = table.X.shape
    if source is not None and (n_rows, n_features) != (source.n_rows, source.n_features):
        raise DataError(
            f"{name} is {source.n_rows} x {source.n_features} but {path} holds {n_rows} x {n_features}",
            remedy="delete that file and try again",
        )
    return table


def _read_original(path: Path, source: Source) -> Table:
    """A downloaded file: LIBSVM text, or a UCI table whose last column is the label."""
    if source.positive is None:
        return read(path, n_features=source.n_features, format="libsvm")
    X, y, *_ = read(path, label=-1, format="csv")
    labels = np.where(y == source.positive, 1.0, -1.0)
    return Table(sparse.csr_array(X), labels, None, zero_based=False)  # features numbered as in LIBSVM text


def list() -> builtins.list[str]:
    """The names that ``load`` accepts: those in the folder ``$AUCMAX_DATA`` and those it can download.

    Examples
    --------
    >>> from aucmax import datasets
    >>> datasets.list()[:3]
    ['a9a', 'a9a.t', 'acoustic']
    """
    return sorted({*SOURCES, *_files_in_folder()})


def _files_in_folder() -> dict[str, Path]:
    """The files in ``$AUCMAX_DATA``, by name of the data set."""
    folder = os.environ.get("AUCMAX_DATA")
    return (
        {path.name.removesuffix(_SUFFIX): path for path in Path(folder).glob("*" + _SUFFIX)} if folder else {}
    )


def _download(name: str, source: Source) -> Path:
    """The path of the file in the user's cache, downloaded if it is not there yet."""
    pooch = import_optional("pooch", f"Downloading {name}")
    url = (LIBSVM if source.positive is None else UCI) + source.file
    try:
        return Path(pooch.retrieve(url, None, fname=Path(source.file).name, path=pooch.os_cache("aucmax")))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{url} cannot be downloaded ({type(error).__name__})",
            remedy=f"check the connection, or put {name}{_SUFFIX} into a folder and set AUCMAX_DATA to it",
        ) from error
