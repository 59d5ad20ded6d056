"""Options that commands share: their choices are those of the library."""


def test_choices_are_checked(run, files):
    done = run("compare", files.csv, "--missing", "median")
    assert done.code == 2
    assert "--missing" in done.err
    assert "'median' is not one of auto, mean, zero, error." in done.err


def test_a_wrong_delimiter_is_wrong_usage(run, files):
    done = run("compare", files.csv, "--delimiter", "ab")
    assert (done.code, done.out) == (2, "")
    assert "--delimiter 'ab' is not a single character" in done.err
    assert done.err.count("\n") == 1
