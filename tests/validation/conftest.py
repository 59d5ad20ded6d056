"""The estimators that the tests of validation give bad input to."""

import pytest

from aucmax import SOLAM, SPAM


@pytest.fixture(params=[SOLAM, SPAM])
def model(request):
    return request.param(max_iter=2, random_state=0)
