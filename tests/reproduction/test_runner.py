"""Runs on one process or several, interrupted and continued: each record is made once."""

import multiprocessing

import pytest

from aucmax.reproduction import problems
from aucmax.reproduction.experiments.job import Selection
from aucmax.reproduction.experiments.tables import Table
from aucmax.reproduction.problems import Problem
from aucmax.reproduction.protocol import Protocol
from aucmax.reproduction.records import Records
from aucmax.reproduction.runner import record_file, run
from aucmax.validation.errors import ParameterError

TOY = Table(
    "toy",
    "A toy",
    (Problem("fourclass", ("fourclass",), "range"),),
    ("online Uni-Exp", "B-LS-SVM"),
    Protocol(1, 5),
)


@pytest.fixture(autouse=True)
def _data(generated):
    problems._scaled_rows.cache_clear()


def without_times(records):
    return sorted((r["data"], r["method"], r["split"], r["params"], r["auc"]) for r in records.all)


@pytest.fixture
def whole(tmp_path):
    records = Records(record_file(tmp_path / "whole", TOY))
    run(TOY, records, processes=1)
    return records


def test_every_cell_has_its_splits(whole):
    assert len(whole.all) == 30
    for job in TOY.jobs(False):
        assert [r["split"] for r in whole.where(method=job.method)] == [0, 1, 2, 3, 4]
    assert {r["rows"] for r in whole.all} == {862}
    assert whole.all[0]["versions"].startswith("aucmax ")


def test_results_do_not_depend_on_processes_and_an_interrupted_run_continues(whole, tmp_path):
    records = Records(record_file(tmp_path / "stopped", TOY))
    seen = []

    def stop(done, total, doing):
        seen.append((done, total))
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(TOY, records, processes=2, progress=stop)
    assert seen == [(k, 30) for k in range(8)]
    again = Records(records.path)
    assert len(again.all) == 7
    run(TOY, again, processes=1)
    assert without_times(again) == without_times(whole)
    before = len(again.all)
    run(TOY, again, processes=2)
    assert len(again.all) == before


def test_an_error_in_a_process_is_raised_here(write, tmp_path):
    write("diabetes", [[1.0], [2.0]], [1, -1])
    broken = TOY._replace(problems=(Problem("diabetes", ("diabetes",)),), columns=())
    with pytest.raises(ValueError, match="diabetes is 768 x 8 but .* holds 2 x 8"):
        run(broken, Records(tmp_path / "a.jsonl"), processes=2)


def test_a_killed_worker_is_reported_and_its_records_are_kept(tmp_path):
    def kill_workers(done, total, current):
        for child in multiprocessing.active_children() if done else ():
            child.kill()

    records = Records(record_file(tmp_path, TOY))
    with pytest.raises(ValueError, match="A process was killed, perhaps because memory ran out"):
        run(TOY, records, processes=2, progress=kill_workers)
    assert 0 < len(records.all) < 30
    assert not multiprocessing.active_children()


def test_one_run_at_a_time(tmp_path):
    records = Records(record_file(tmp_path, TOY))
    with records.locked(), pytest.raises(ValueError, match="Another run is writing to"):
        run(TOY, Records(records.path), processes=1)
    run(TOY._replace(columns=()), records, processes=1)
    assert len(records.all) == 25


def test_a_part_is_the_same_part_of_the_whole(whole, tmp_path):
    records = Records(record_file(tmp_path / "part", TOY))
    selection = Selection(("fourclass",), ("online Uni-Exp",), (4, 1))
    run(TOY, records, selection=selection, processes=1)
    wanted = [r for r in whole.all if r["method"] == "online Uni-Exp" and r["split"] in (1, 4)]
    assert without_times(records) == sorted(
        (r["data"], r["method"], r["split"], r["params"], r["auc"]) for r in wanted
    )
    run(TOY, records, selection=selection, processes=1)
    assert len(records.all) == 2
    run(TOY, records, processes=1)
    assert without_times(records) == without_times(whole)


def test_where_parameters_are_tuned_once_a_part_uses_those_of_the_first_split(tmp_path):
    once = TOY._replace(protocol=Protocol(1, 5, tune_each_split_up_to=0))
    found = []
    for name, splits in (("whole", ()), ("part", (3,))):
        records = Records(record_file(tmp_path / name, once))
        run(once, records, selection=Selection((), ("online Uni-Exp",), splits), processes=1)
        found.append({r["split"]: (r["params"], r["auc"]) for r in records.all})
    assert found[1] == {3: found[0][3]}


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(data=("a9a",)), "toy: data must be one of fourclass; got 'a9a'"),
        (Selection(method=("SOLAM",)), "method must be one of online Uni-Exp, B-LS-SVM, .*; got 'SOLAM'"),
        (Selection(splits=(0, 5)), "splits must be numbers from 0 to 4; got 5"),
    ],
)
def test_an_unknown_part_is_an_error(tmp_path, selection, message):
    with pytest.raises(ParameterError, match=message):
        run(TOY, Records(record_file(tmp_path, TOY)), selection=selection)


def test_a_record_says_which_code_made_it(whole):
    digests = {r["method"]: r["source"] for r in whole.all}
    assert digests["LogisticRegression"] == ""
    assert len(digests["B-LS-SVM"]) == 12
    assert digests["B-LS-SVM"] == digests["AUCClassifierCV"] != digests["online Uni-Exp"]
