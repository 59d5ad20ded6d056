"""Errors about data: one sentence, in which each front end writes settings its own way."""

import pickle

from aucmax.validation.errors import DataError


def test_braces_in_the_problem_are_text():
    error = DataError("column '{label=x}' is empty", remedy="give another {label}", file="{a}.csv")
    assert str(error) == "{a}.csv: column '{label=x}' is empty; give another label."
    assert error.render(lambda name, value: f"--{name}").endswith("is empty; give another --label.")


def test_the_place_is_filled_in_where_it_is_unknown():
    error = DataError("it is empty", place="line 2").located("a.csv", "line 1")
    assert (error.file, error.place) == ("a.csv", "line 2")
    assert str(error) == "a.csv, line 2: it is empty"


def test_errors_survive_pickling():
    error = DataError("it is empty", remedy="give {missing}", file="a.csv", place="line 2")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (DataError, str(error))
