"""Records: complete lines only, and the running time."""

import pytest

from aucmax.reproduction.records import Records, mean_and_spread


def test_added_records_are_read_again(tmp_path):
    path = tmp_path / "deep" / "a.jsonl"
    first = Records(path)
    first.add({"data": "a9a", "auc": 0.9})
    first.add({"data": "w8a", "auc": 0.8})
    assert Records(path).all == first.all
    assert Records(path).where(data="w8a") == [{"data": "w8a", "auc": 0.8}]


def test_discarded_records_are_gone(tmp_path):
    records = Records(tmp_path / "a.jsonl")
    for split in range(4):
        records.add({"split": split, "name": "é"})
    records.discard(lambda record: record["split"] in (1, 2))
    assert [record["split"] for record in records.all] == [0, 3]
    assert Records(records.path).all == records.all


@pytest.mark.parametrize("cut", range(1, 14))
def test_a_line_cut_off_is_dropped(tmp_path, cut):
    path = tmp_path / "a.jsonl"
    records = Records(path)
    records.add({"split": 1})
    records.add({"split": 22})
    text = path.read_bytes()
    path.write_bytes(text[:-cut])
    again = Records(path)
    assert again.all == [{"split": 1}]
    again.add({"split": 3})
    assert Records(path).all == [{"split": 1}, {"split": 3}]


def test_minutes_do_not_count_pauses(tmp_path):
    records = Records(tmp_path / "a.jsonl")
    for at in ("10:00:00", "10:02:00", "10:03:00", "15:00:00", "15:04:00"):
        records.add({"at": f"2026-01-01T{at}+00:00"})
    assert records.minutes() == pytest.approx(7.0)


def test_mean_and_spread():
    assert mean_and_spread([0.5]) == (0.5, 0.0)
    assert mean_and_spread([1.0, 2.0, 3.0]) == (2.0, 1.0)
