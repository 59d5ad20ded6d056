"""``aucmax reproduce``: names, the page, quick runs of the tables on real data, and going on after a kill."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from aucmax.reproduction.experiments import EXPERIMENTS
from aucmax.reproduction.experiments.tables import TABLES
from aucmax.reproduction.records import Records, mean_and_spread

OTHER_FIELDS = {
    "seconds": 1.0,
    "tuning_seconds": 2.0,
    "versions": "aucmax 0",
    "at": "2026-01-01T10:00:00+00:00",
    "params": "{}",
    "positives": 100,
}


def test_list_names_all(run):
    done = run("reproduce", "list")
    assert done.code == 0
    assert all(name in done.out and each.title in done.out for name, each in EXPERIMENTS.items())
    listed = json.loads(run("reproduce", "list", "--json").out)["experiments"]
    assert [each["name"] for each in listed] == list(EXPERIMENTS)


def test_a_name_that_is_none(run):
    done = run("reproduce", "solam-table4")
    assert done.code == 2
    assert "there is no experiment 'solam-table4'; `aucmax reproduce list` prints their names." in done.err


def test_the_page_comes_from_records_alone(run, tmp_path):
    records = Records(tmp_path / "out" / "records" / "vrspam-table1.jsonl")
    common = {"quick": False, "seed": 0, **OTHER_FIELDS}
    for auc in (0.82, 0.84):
        records.add({"data": "diabetes", "method": "VRSPAM-L2", "auc": auc, **common})
    records.add({"data": "german", "method": "SPAM-L2", "auc": 0.70, **common})
    done = run("reproduce", "report", "-o", tmp_path / "out", "--json")
    assert json.loads(done.out)["page"] == str(tmp_path / "out.md")
    page = (tmp_path / "out.md").read_text()
    assert "**.8300 ± .0141**<br>paper .8299 ± .0323<br>+0.0 sd" in page
    assert "1 of 2 cells of the paper's columns (50 %) are within 2" in page
    assert "- **german**, SPAM-L2 (-2.4 sd): run the whole row to see why." in page
    assert "Table 3 of SOLAM" not in page  # nothing of it was run


def test_nothing_to_report(run, tmp_path):
    done = run("reproduce", "report", "-o", tmp_path / "out")
    assert done.code == 1
    assert "There are no records of full runs with seed 0 in" in done.err
    assert not (tmp_path / "out.md").exists()


def test_seeds_are_kept_apart(run, tmp_path):
    records = Records(tmp_path / "out" / "records" / "vrspam-table1.jsonl")
    common = {"quick": False, **OTHER_FIELDS}
    for seed, auc in enumerate((0.81, 0.85)):
        records.add({"data": "diabetes", "method": "SAUC-H", "auc": 0.5, "seed": seed, **common})
        records.add({"data": "diabetes", "method": "SPAM-L2", "auc": auc, "seed": seed, **common})
    for seed, shown in enumerate((".8100", ".8500")):
        assert run("reproduce", "report", "-o", tmp_path / "out", "--seed", seed).code == 0
        assert f"**{shown} ± .0000**<br>paper .8272" in (tmp_path / "out.md").read_text()


def test_half_a_figure_is_not_drawn(run, tmp_path):
    records = Records(tmp_path / "out" / "records" / "rates.jsonl")
    records.add(
        {"quick": False, "seed": 0, "data": "german", "method": "SOLAM", "at": "2026-01-01T10:00:00+00:00"}
    )
    assert run("reproduce", "report", "-o", tmp_path / "out").code == 0
    assert "points so far" in (tmp_path / "out.md").read_text()


@pytest.mark.parametrize("line", ["", "nonsense", "[1]"])
def test_a_spoilt_line_is_named(run, tmp_path, line):
    path = tmp_path / "out" / "records" / "partitions.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"quick": false}\n' + line + "\n")
    done = run("reproduce", "report", "-o", tmp_path / "out")
    assert done.code == 1
    assert "partitions.jsonl, line 2: not a record; delete that line and run again." in done.err


def test_ctrl_c_says_what_is_kept(run, tmp_path, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("aucmax.reproduction.runner.run", stopped)
    done = run("reproduce", "rates", "-o", tmp_path / "out")
    assert done.code == 130
    assert "stopped; 0 records are saved; the same command continues from there" in done.err


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_quick(run, real, tmp_path, table):
    done = run("reproduce", table.name, "--quick", "--jobs", 1, "-o", tmp_path / "out", "--json")
    assert done.code == 0
    (summary,) = json.loads(done.out)["experiments"]
    assert summary["records"] == sum(job.n_records for job in table.jobs(True))
    records = Records(tmp_path / "out-quick" / "records" / f"{table.name}.jsonl")
    assert all(0.7 < record["auc"] <= 1.0 for record in records.all)
    page = (tmp_path / "out-quick.md").read_text()
    assert table.title in page
    assert "every third value of the grids" in page


def test_one_cell_from_an_empty_folder(run, real, tmp_path):
    """The cell is the page's: same splits, parameters and AUC as its records."""
    kept = Records(Path(__file__).parents[3] / "docs/reproduction/records/solam-table3.jsonl")
    chosen = ("--data", "diabetes", "--method", "B-LS-SVM")
    done = run("reproduce", "solam-table3", *chosen, "-o", tmp_path / "out", "--jobs", 1, "--json")
    (cell,) = json.loads(done.out)["experiments"][0]["cells"]
    aucs = [record["auc"] for record in kept.where(data="diabetes", method="B-LS-SVM")]
    assert cell["ours"] == pytest.approx(mean_and_spread(aucs), abs=5e-5)
    assert cell["splits"] == len(aucs) == 25
    page = (tmp_path / "out.md").read_text()
    assert "25 of 2,945 records so far" in page
    again = run(
        "reproduce", "solam-table3", *chosen, "--splits", "3,0-1", "-o", tmp_path / "out", "--again", "--json"
    )
    (summary,) = json.loads(again.out)["experiments"]
    assert (summary["records"], summary["cells"][0]["splits"]) == (25, 3)


def test_a_part_that_is_not_there(run, tmp_path):
    done = run("reproduce", "rates", "--data", "a9a", "-o", tmp_path / "out")
    assert done.code == 1
    assert "--data must be one of diabetes, german; got 'a9a'." in done.err
    assert not (tmp_path / "out").exists()
    done = run("reproduce", "rates", "--splits", "0", "-o", tmp_path / "out")
    assert "--splits must be left out: it has no splits; got 0." in done.err
    done = run("reproduce", "solam-table3", "--splits", "3-", "-o", tmp_path / "out")
    assert done.code == 2
    assert "--splits must be like 0-4,17; got '3-'." in done.err


def test_killed_and_gone_on_with(real, start, run, tmp_path):
    arguments = ("reproduce", "vrspam-table1", "--quick", "-o", tmp_path / "out", "--jobs", 2)
    path = tmp_path / "out-quick" / "records" / "vrspam-table1.jsonl"
    process = start(*arguments)
    deadline = time.monotonic() + 120
    while not (path.exists() and path.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = Records(path).all
    assert 0 < len(before) < 36
    assert run(*arguments[:-1], 1).code == 0
    after = Records(path).all
    assert after[: len(before)] == before
    keys = [(record["method"], record["split"]) for record in after]
    assert len(keys) == len(set(keys)) == 36
