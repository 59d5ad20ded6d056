"""Trained models for the commands that read them."""

import pytest

from aucmax.cli import main


@pytest.fixture(scope="session")
def trained(files, tmp_path_factory):
    """A model with names, and one without."""
    folder = tmp_path_factory.mktemp("models")
    for name, data, options in (("named", files.csv, ["--label", "state"]), ("plain", files.svm, [])):
        with pytest.raises(SystemExit):
            main(["train", data, *options, "--l2", "0.01", "--no-baseline", "-o", str(folder / name)])
    return folder
