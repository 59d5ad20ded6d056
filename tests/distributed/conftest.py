"""Small partitions stay apart, as large ones do."""

import pytest

from aucmax.distributed import preparation


@pytest.fixture(autouse=True)
def partitions_stay_apart(monkeypatch):
    monkeypatch.setattr(preparation, "BLOCK_BYTES", 0)
