"""Options that commands share: their choices are those of the library."""

from aucmax.cli.options import Loss
from aucmax.pairs.losses import LOSSES


def test_the_losses_are_those_of_the_library():
    assert [loss.value for loss in Loss] == list(LOSSES)


def test_choices_are_checked(run, files):
    done = run("compare", files.csv, "--missing", "median")
    assert done.code == 2
    assert "--missing" in done.err
    assert "'median' is not one of zero, mean." in done.err
