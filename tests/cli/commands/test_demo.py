"""aucmax demo: both tables are printed."""


def test_demo(run):
    done = run("demo", "--rows", 20_000)
    assert done.code == 0
    assert "OnlineAUCClassifier" in done.out
    assert "logistic regression" in done.out
