"""Values that JSON or UTF-8 cannot hold: no client can end the events of the others with them."""

from __future__ import annotations

import json

import pytest
from tests.gateway.clients import running_gateway

from rove.surfaces.gateway.events import Events

CALL = '{"id":"odd","method":"tools.call","params":{"name":"browser","arguments":{"x":%s}}}'


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@pytest.mark.parametrize("value", ['"\\ud800"', "NaN", "1e999", '{"\\udfff": [-Infinity, "\\ud83d\\ude00"]}'])
async def test_every_client_is_told_of_a_call_with_odd_values_and_of_what_comes_after(value: str) -> None:
    async with running_gateway() as running, running.client() as one, running.client() as two:
        await one.send(CALL % value)
        assert (await one.answer("odd"))["result"]["ok"] is False
        await one.call("tools.call", name="browser", arguments={"last": 1})
        for client in (one, two):
            await client.event("tool.call", arguments={"last": 1})
            assert sum(event["event"] == "tool.call" for event in client.events) == 2
            for event in client.events:
                json.loads(json.dumps(event), parse_constant=refuse)


def test_an_event_that_cannot_be_told_is_not_kept() -> None:
    events = Events()
    before = events.now()
    with pytest.raises(TypeError):
        events.publish("settings.changed", {"key": "x", "value": object()})
    assert not list(events.after(before))
