"""The cluster on the page: shown only where there is one, with its nodes, what waits, and a way to drain a node."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from tests.gateway.clustered import ClusteredSessions, clustered_gateway
from tests.gateway.page.control_page import DESKTOP, PHONE, ControlPage
from tests.gateway.page.test_accessibility import violations

from rove import Session
from rove.cluster.placement.state_store import StoreFacts
from rove.surfaces.gateway.tokens import Scope

pytestmark = pytest.mark.one_session


@pytest.fixture
async def clustered(session: Session) -> AsyncGenerator[tuple[ControlPage, ClusteredSessions]]:
    async with clustered_gateway("n1-3f2a1b9c", "n2-77ab01cd", "n3-0c9d8e7f") as (running, sessions):
        page = ControlPage(session, running)
        await session.resize(*DESKTOP)
        await page.open()
        yield page, sessions


async def test_the_nodes_are_shown_and_one_is_drained(
    clustered: tuple[ControlPage, ClusteredSessions], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, sessions = clustered
    for number in range(7):
        await sessions.placement.place(f"s{number}")
    await page.session.press("8")
    await page.until("document.querySelectorAll('rove-cluster tbody tr').length === 3")
    await page.until_text("room for", "rove-cluster")
    await page.session.click('button "Drain: n2-77ab01cd"')
    await page.session.click('button "Drain it"')
    await page.until_text("drained", "rove-cluster tbody tr:nth-child(2)")
    assert not sessions.placement.sessions_on("n2-77ab01cd")
    sessions.nodes.facts["n3-0c9d8e7f"] = replace(
        sessions.nodes.facts["n3-0c9d8e7f"], state="refused", reason="it has rove 0.0.9, and this is another."
    )
    monkeypatch.setattr(
        type(sessions.saver),
        "facts",
        StoreFacts("s3://bucket/rove", 6, 1, "The store s3://bucket/rove cannot be written to.", 1.0),
    )
    await page.until_text("it has rove 0.0.9", "rove-cluster tbody tr:nth-child(3)")
    await page.until_text("cannot be written to", "rove-cluster [role=status]")
    assert await violations(page, "light") == []
    assert await violations(page, "dark", "runOnly: ['color-contrast']") == []
    await page.session.click('button "Use again: n2-77ab01cd"')
    await page.until_text("takes sessions", "rove-cluster tbody tr:nth-child(2)")
    await page.session.resize(*PHONE)
    widths = "[document.documentElement, document.querySelector('main')].map((one) => one.scrollWidth)"
    assert max(await page.run(widths)) <= PHONE[0]


async def test_a_viewer_cannot_drain(clustered: tuple[ControlPage, ClusteredSessions]) -> None:
    page, _ = clustered
    token, _ = page.gateway.gateway.tokens.create([Scope.VIEW_ALL], 60)
    await page.open(token)
    await page.go("cluster")
    await page.until("document.querySelectorAll('rove-cluster tbody button:disabled').length === 3")
    await page.until_text("Only the owner can do this.", "rove-cluster")
