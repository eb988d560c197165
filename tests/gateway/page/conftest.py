"""A gateway with the built-in site, and its page in a browser."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from tests.gateway.clients import RunningGateway, running_gateway
from tests.gateway.page.control_page import DESKTOP, ControlPage
from tests.site import OWN_SITES

from rove import Session
from rove.demo.site import tea_room


@pytest.fixture(scope="session")
async def gateway() -> AsyncGenerator[RunningGateway]:
    with tea_room() as site:
        async with running_gateway(site, deadlines__approval=60, allow_host=OWN_SITES) as running:
            yield running


@pytest.fixture
async def page(session: Session, gateway: RunningGateway) -> AsyncGenerator[ControlPage]:
    """The page, opened with the owner's link. The sessions that a test opens are closed after it."""
    made = ControlPage(session, gateway)
    await session.resize(*DESKTOP)
    await made.open()
    yield made
    for known in gateway.gateway.sessions.sessions():
        await gateway.gateway.close_session(known["session"])
