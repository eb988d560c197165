"""Contract line C7: docs/engines.md says of each feature and each engine what a test has shown there."""

from __future__ import annotations

import pytest
from docs.feature_table import ENGINES, FEATURES, NOT_RUN, STATES, claimed, feature_table


@pytest.mark.contract("C7")
def test_every_cell_is_backed_by_a_test_that_ran_on_that_engine() -> None:
    _, _, *rows = feature_table()
    assert len(rows) == len(FEATURES)
    assert [row for row in rows if NOT_RUN in row] == []


def test_every_claim_is_of_a_known_feature_and_says_why_it_is_not_whole() -> None:
    for claim in claimed():
        assert (claim.feature in FEATURES, claim.engine in ENGINES) == (True, True), claim
        assert bool(claim.reason) == (claim.state != STATES["works"]), claim
