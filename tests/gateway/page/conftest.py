"""A gateway with the built-in site, and its page in a browser."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from tests.gateway.clients import RunningGateway, running_gateway
from tests.gateway.page.control_page import DESKTOP, ControlPage
from tests.site import OWN_SITES

from rove import Session
from rove.surfaces.cli.demo import tea_room

# The script of the chat does not hover, so it is asked about its calls alone.
POLICY = """[[rule]]
decide = "ask"
action = ["hover", "upload", "press"]
"""


@pytest.fixture(scope="session")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningGateway]:
    policy = tmp_path_factory.mktemp("policy") / "policy.toml"
    policy.write_text(POLICY, encoding="utf-8")
    with tea_room() as site:
        async with running_gateway(site, policy=policy, deadlines__approval=60, allow_host=OWN_SITES) as running:
            yield running


@pytest.fixture
async def page(session: Session, gateway: RunningGateway) -> AsyncGenerator[ControlPage]:
    """The page, opened with the owner's link. What a test leaves open is closed after it."""
    made = ControlPage(session, gateway)
    await session.resize(*DESKTOP)
    await made.open()
    yield made
    for request in gateway.gateway.approvals.pending:
        gateway.gateway.approvals.forget(request["sessionKey"])
    for known in gateway.gateway.sessions.sessions():
        await gateway.gateway.close_session(known["session"])
