"""The papers' data sets by name: from the folder ``$AUCMAX_DATA``, or downloaded from their public homes."""

import builtins
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .io.reading.reader import Table, read
from .io.reading.source import need
from .validation.errors import DataError

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_SUFFIX = ".svm.xz"


class Home(NamedTuple):
    """Where a data set is published, and its shape; ``positive`` is the label +1 of a UCI table, else -1."""

    n_rows: int
    n_features: int
    file: str
    positive: str | None = None


# The width of a test part is that of its training part, whose last features it may lack.
HOMES = {
    "a9a": Home(32561, 123, "binary/a9a"),
    "a9a.t": Home(16281, 123, "binary/a9a.t"),
    "acoustic": Home(78823, 50, "multiclass/vehicle/acoustic.bz2"),
    "acoustic.t": Home(19705, 50, "multiclass/vehicle/acoustic.t.bz2"),
    "australian": Home(690, 14, "binary/australian"),
    "australian_scale": Home(690, 14, "binary/australian_scale"),
    "breast-cancer_scale": Home(683, 10, "binary/breast-cancer_scale"),
    "cod-rna": Home(59535, 8, "binary/cod-rna"),
    "connect-4": Home(67557, 126, "multiclass/connect-4"),
    "covtype": Home(581012, 54, "multiclass/covtype.bz2"),
    "diabetes": Home(768, 8, "binary/diabetes"),
    "dna.scale": Home(2000, 180, "multiclass/dna.scale"),
    "dna.scale.t": Home(1186, 180, "multiclass/dna.scale.t"),
    "fourclass": Home(862, 2, "binary/fourclass"),
    "german.numer": Home(1000, 24, "binary/german.numer"),
    "heart": Home(270, 13, "binary/heart"),
    "heart_scale": Home(270, 13, "binary/heart_scale"),
    "ijcnn1": Home(49990, 22, "binary/ijcnn1.bz2"),
    "ijcnn1.t": Home(91701, 22, "binary/ijcnn1.t.bz2"),
    "ionosphere": Home(351, 34, "ionosphere/ionosphere.data", positive="g"),
    "letter.scale": Home(15000, 16, "multiclass/letter.scale"),
    "letter.scale.t": Home(5000, 16, "multiclass/letter.scale.t"),
    "leu": Home(38, 7129, "binary/leu.bz2"),
    "madelon": Home(2000, 500, "binary/madelon"),
    "madelon.t": Home(600, 500, "binary/madelon.t"),
    "magic04": Home(19020, 10, "magic/magic04.data", positive="g"),
    "mnist": Home(60000, 780, "multiclass/mnist.bz2"),
    "news20": Home(15935, 62061, "multiclass/news20.bz2"),
    "news20.t": Home(3993, 62061, "multiclass/news20.t.bz2"),
    "pendigits": Home(7494, 16, "multiclass/pendigits"),
    "pendigits.t": Home(3498, 16, "multiclass/pendigits.t"),
    "satimage.scale": Home(4435, 36, "multiclass/satimage.scale"),
    "sector.scale": Home(6412, 55197, "multiclass/sector/sector.scale.bz2"),
    "sector.t.scale": Home(3207, 55197, "multiclass/sector/sector.t.scale.bz2"),
    "segment.scale": Home(2310, 19, "multiclass/segment.scale"),
    "skin_nonskin": Home(245057, 3, "binary/skin_nonskin"),
    "sonar_scale": Home(208, 60, "binary/sonar_scale"),
    "splice": Home(1000, 60, "binary/splice"),
    "splice.t": Home(2175, 60, "binary/splice.t"),
    "svmguide1": Home(3089, 4, "binary/svmguide1"),
    "svmguide1.t": Home(4000, 4, "binary/svmguide1.t"),
    "svmguide3": Home(1243, 22, "binary/svmguide3"),
    "svmguide3.t": Home(41, 22, "binary/svmguide3.t"),
    "usps": Home(7291, 256, "multiclass/usps.bz2"),
    "usps.t": Home(2007, 256, "multiclass/usps.t.bz2"),
    "vehicle.scale": Home(846, 18, "multiclass/vehicle.scale"),
    "vowel.scale": Home(528, 10, "multiclass/vowel.scale"),
    "w8a": Home(49749, 300, "binary/w8a"),
    "w8a.t": Home(14951, 300, "binary/w8a.t"),
}


def load(name: str) -> Table:
    """Load a data set by name; see ``list`` for the names.

    The file ``NAME.svm.xz`` in the folder ``$AUCMAX_DATA`` comes first; otherwise the original is
    downloaded, once, into the user's cache. Labels are those of the file, all classes kept.

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
    home = HOMES.get(name)
    path = _in_folder(name)
    if path is not None:
        return _checked(name, read(path, n_features=home and home.n_features, format="libsvm"), home, path)
    if home is None:
        raise DataError(f"There is no data set {name!r}; see aucmax.datasets.list() for the names.")
    path = _downloaded(name, home)
    if home.positive is None:
        return _checked(name, read(path, n_features=home.n_features, format="libsvm"), home, path)
    X, y, *_ = read(path, label=-1, format="csv")
    labels = np.where(y == home.positive, 1.0, -1.0)
    table = Table(sparse.csr_array(X), labels, None, zero_based=False)  # as LIBSVM text of it counts
    return _checked(name, table, home, path)


def list() -> builtins.list[str]:
    """The names that ``load`` knows: those in the folder ``$AUCMAX_DATA`` and those it can download.

    Examples
    --------
    >>> from aucmax import datasets
    >>> datasets.list()[:3]
    ['a9a', 'a9a.t', 'acoustic']
    """
    folder = _folder()
    files = folder.glob("*" + _SUFFIX) if folder else []
    return sorted({*HOMES, *(file.name.removesuffix(_SUFFIX) for file in files)})


def _folder() -> Path | None:
    folder = os.environ.get("AUCMAX_DATA")
    return Path(folder) if folder else None


def _in_folder(name: str) -> Path | None:
    folder = _folder()
    path = folder / (name + _SUFFIX) if folder and Path(name).name == name else None
    return path if path and path.is_file() else None


def _downloaded(name: str, home: Home) -> Path:
    """The file in the user's cache, fetched if it is not there yet."""
    pooch = need("pooch", f"Downloading {name}")
    url = (LIBSVM if home.positive is None else UCI) + home.file
    try:
        return Path(pooch.retrieve(url, None, fname=Path(home.file).name, path=pooch.os_cache("aucmax")))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{url} cannot be downloaded ({type(error).__name__}); check the connection, or put "
            f"{name}{_SUFFIX} into a folder and set AUCMAX_DATA to it."
        ) from error


def _checked(name: str, table: Table, home: Home | None, path: Path) -> Table:
    if home is not None and table.X.shape != (home.n_rows, home.n_features):
        shape = f"{home.n_rows} x {home.n_features}"
        found = f"{table.X.shape[0]} x {table.X.shape[1]}"
        raise DataError(f"{name} is {shape} but {path} holds {found}; delete that file and try again.")
    return table
