"""Tables as text and results as JSON."""

import numpy as np

from aucmax.cli.rendering import format_table, to_json


def test_columns_are_aligned_and_names_are_printed_as_they_are():
    table = format_table(["feature", "weight"], [["[bold]x[/bold]", "+1"], ["x" * 200, "-0.25"]])
    assert table.splitlines() == [
        f"{'feature':<200}  weight",
        f"{'[bold]x[/bold]':<200}      +1",
        f"{'x' * 200}   -0.25",
    ]


def test_json_has_plain_numbers_and_null_for_what_is_not_finite():
    assert to_json({"a": np.float64(0.5), "b": np.array([1, 2]), 3: (np.nan, "x")}) == {
        "a": 0.5,
        "b": [1, 2],
        "3": [None, "x"],
    }
