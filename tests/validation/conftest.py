"""The stochastic estimators through which bad input is tried."""

import pytest

from aucmax import SOLAM, SPAM


@pytest.fixture(params=[SOLAM, SPAM])
def model(request):
    return request.param(max_iter=2, random_state=0)
