"""Options that commands share: their choices are those of the library."""


def test_choices_are_checked(run, files):
    done = run("compare", files.csv, "--missing", "median")
    assert done.code == 2
    assert "--missing" in done.err
    assert "'median' is not one of auto, mean, zero, error." in done.err
