"""Batches: a policy that asks about steps, and a batch that a failing step stops."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from rove import Outcome
from rove.actions.batch import BatchDone
from rove.errors import RoveError

# Steps of each kind: asked about, denied, and neither.
POLICY = """
[[rule]]
decide = "ask"
action = ["navigate", "click", "evaluate"]

[[rule]]
decide = "deny"
action = "hover"
"""


async def stopped(batch: Awaitable[Outcome[BatchDone]]) -> Outcome[BatchDone]:
    """Return the outcome of a batch in which a step fails, which is on the error that Python raises."""
    with pytest.raises(RoveError) as caught:
        await batch
    outcome: Outcome[BatchDone] = caught.value.outcome
    assert outcome.result.error is caught.value
    return outcome
