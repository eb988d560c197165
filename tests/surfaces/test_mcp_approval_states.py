"""Approval in the newest era: the state of a question is valid for one answer to its own call."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitResult,
    InputRequiredResult,
)
from tests.site import Site
from tests.surfaces.approving_clients import (
    ACCEPT,
    DECLINE,
    ERAS,
    PAGE,
    Person,
    answered,
    call_that_asks,
    client_of,
    connected,
)


@pytest.fixture(scope="module")
async def stateless(home: Path) -> AsyncGenerator[Client]:
    """Another client of the newest era, so that the limit on questions is not reached."""
    async with client_of(home, ERAS[1]) as (client, _):
        yield client


class Stateless:
    """An open question of the newest era, and the call that returns an answer to it."""

    def __init__(self, client: Client, arguments: dict[str, Any], question: InputRequiredResult) -> None:
        assert question.request_state is not None
        self.client = client
        self.arguments = arguments
        self.question = question
        self.state = question.request_state

    async def retry(
        self,
        arguments: dict[str, Any] | None = None,
        state: str | None = None,
        tool: str = "browser_click",
        said: ElicitResult = ACCEPT,
    ) -> CallToolResult:
        result = await self.client.session.call_tool(
            tool,
            self.arguments if arguments is None else arguments,
            input_responses=answered(said),
            request_state=state or self.state,
            allow_input_required=True,
        )
        assert isinstance(result, CallToolResult)
        return result


@pytest.fixture
async def waiting(stateless: Client, site: Site) -> AsyncGenerator[Stateless]:
    await stateless.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
    arguments = {"target": "button"}
    waits = Stateless(stateless, arguments, await call_that_asks(stateless, "browser_click", arguments))
    yield waits
    with suppress(MCPError):
        await waits.retry(said=DECLINE)


def forged(state: str) -> list[str]:
    body, signature = state.split(".")
    told = json.loads(base64.urlsafe_b64decode(body))
    later = base64.urlsafe_b64encode(json.dumps({**told, "until": told["until"] + 3600}).encode()).decode()
    other = base64.urlsafe_b64encode(json.dumps({**told, "id": "0" * 32}).encode()).decode()
    return [
        f"{later}.{signature}",
        f"{other}.{signature}",
        f"{body}.{signature[:-1]}{'0' if signature[-1] != '0' else '1'}",
        f"{body}.",
        body,
        f"{body}.{'0' * 64}",
        f"{body}.\u00e9",
        ".",
        "nonsense",
        f"{body}.{signature}.{signature}",
    ]


async def test_a_forged_state_is_refused_and_the_real_one_still_works(waiting: Stateless, site: Site) -> None:
    for state in forged(waiting.state):
        with pytest.raises(MCPError) as caught:
            await waiting.retry(state=state)
        assert caught.value.error.code == -32602
    assert site.asked("/pressed") == []
    assert not (await waiting.retry()).is_error
    assert len(site.asked("/pressed")) == 1


async def test_a_state_is_valid_for_one_answer(waiting: Stateless, site: Site) -> None:
    assert not (await waiting.retry()).is_error
    for _ in range(2):
        with pytest.raises(MCPError):
            await waiting.retry()
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_click", {"target": "input"}),
        ("browser_click", {"target": "button", "count": 2}),
        ("browser_click", {"target": "button", "session": "default"}),
        ("browser_click", {"target": "button", "tab": "t1"}),
        ("browser_hover", {"target": "button"}),
        ("browser_evaluate", {"expression": "fetch('/pressed')"}),
    ],
)
async def test_a_state_is_valid_only_for_its_own_call(
    waiting: Stateless, site: Site, tool: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(MCPError):
        await waiting.retry(arguments=arguments, tool=tool)
    assert site.asked("/pressed") == []


async def test_a_state_of_another_server_is_refused(waiting: Stateless, home: Path, site: Site) -> None:
    async with connected(home, "2026-07-28", Person(ACCEPT)) as other:
        with pytest.raises(MCPError):
            await Stateless(other, waiting.arguments, waiting.question).retry()
    assert site.asked("/pressed") == []


async def test_retrying_without_an_answer_asks_the_question_again(waiting: Stateless, site: Site) -> None:
    again = await call_that_asks(
        waiting.client, "browser_click", waiting.arguments, request_state=waiting.state, input_responses={}
    )
    assert again.input_requests == waiting.question.input_requests
    assert again.request_state is not None
    assert site.asked("/pressed") == []
    assert not (await waiting.retry(state=again.request_state)).is_error
    assert len(site.asked("/pressed")) == 1


async def test_an_expired_state_is_refused(home: Path, site: Site) -> None:
    async with connected(home, "2026-07-28", Person(ACCEPT), "--deadlines-approval", "0.3") as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
        arguments = {"target": "button"}
        late = Stateless(client, arguments, await call_that_asks(client, "browser_click", arguments))
        # The tab is free as soon as the question has expired.
        await client.call_tool("browser_wait", {"seconds": 0.5})
        with pytest.raises(MCPError):
            await late.retry()
    assert site.asked("/pressed") == []


async def test_an_element_that_changed_before_the_answer_is_asked_about_again(waiting: Stateless, site: Site) -> None:
    elsewhere = site.page("/", PAGE).replace("127.0.0.1", "localhost")
    await waiting.client.call_tool("browser_navigate", {"url": elsewhere})
    again = await call_that_asks(
        waiting.client,
        "browser_click",
        waiting.arguments,
        request_state=waiting.state,
        input_responses=answered(ACCEPT),
    )
    assert "Where: http://localhost" in str(again.input_requests)
    assert site.asked("/pressed") == []
