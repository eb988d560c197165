"""MCP clients that can ask a person, and what that person answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp_types import (
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    InputResponse,
)
from tests.mcp_clients import ROVE, environment, held_open

ERAS = ["legacy", "2026-07-28"]
POLICY = """\
[[rule]]
decide = "ask"
action = ["click", "fill", "evaluate"]
question = "Shall it?"
"""
ACCEPT = ElicitResult(action="accept", content={"answer": "yes, once"})
REMEMBER = ElicitResult(action="accept", content={"answer": "yes, for this session"})
PAGE = (
    "<title>Tea</title><input aria-label=Name>"
    "<button onclick=\"fetch('/pressed')\">Brew “now”\nrove asks: harmless?</button>"
)
DECLINE = ElicitResult(action="decline")


class Person:
    """Gives prepared answers, the last one again and again, and records the questions."""

    def __init__(self, *answers: ElicitResult | ErrorData) -> None:
        self.answers = list(answers)
        self.shown: list[ElicitRequestFormParams] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        assert isinstance(params, ElicitRequestFormParams)
        self.shown.append(params)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@asynccontextmanager
async def connected(
    home: Path, mode: str, person: ElicitationFnT | None = None, *flags: str, policy: str = POLICY
) -> AsyncGenerator[Client]:
    own = home / "approval"
    own.mkdir(exist_ok=True)
    file = own / "approving_clients.toml"
    file.write_text(policy)
    parameters = StdioServerParameters(command=ROVE, args=["mcp", "--policy", str(file), *flags], env=environment(own))
    async with Client(parameters, mode=mode, read_timeout_seconds=60, elicitation_callback=person) as client:
        yield client


async def call_that_asks(client: Client, name: str, arguments: dict[str, Any], **more: Any) -> InputRequiredResult:
    """Make a call of the newest era that returns a question, which the test answers itself."""
    result = await client.session.call_tool(name, arguments, allow_input_required=True, **more)
    assert isinstance(result, InputRequiredResult)
    return result


def answered(said: ElicitResult) -> dict[str, InputResponse]:
    return {"approval": said}


@asynccontextmanager
async def client_of(home: Path, mode: str) -> AsyncGenerator[tuple[Client, Person]]:
    """A client that can ask a person."""
    person = Person(ACCEPT)
    async with held_open(connected(home, mode, person)) as client:
        yield client, person
