"""Frames of another site that do not answer: the rest of the page is still shown and used."""

from __future__ import annotations

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads
from tests.faults.servers import never_answer, serving
from tests.site import Site

from rove import Session
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot

OUTER = "<h1>Outer</h1><button onclick=\"this.textContent = 'Pressed'\">Press</button>"


async def test_23_a_frame_that_hangs_is_marked_and_the_page_around_it_is_usable(session: Session, site: Site) -> None:
    site.page("/stuck", "<p>Inner</p><script>setTimeout(() => { for (;;) {} }, 50)</script>")
    await session.run(
        Navigate(site.page("/", f"{OUTER}<iframe src={site.url('/stuck', 'localhost')}></iframe>")), timeout=5
    )
    seen = ""
    with answered_within(10):
        while "did not answer" not in seen:  # the frame hangs only after its timer has run
            seen = (await session.run(Snapshot(), timeout=5)).result.text
            assert 'heading "Outer"' in seen
    with answered_within(5):
        assert "Pressed" in (await session.run(Click('button "Press"'), timeout=5)).changes.text
    await assert_next_page_loads(session, site)


@pytest.mark.slow  # keeps a core busy for as long as a page is waited for
async def test_23_a_frame_that_hangs_while_it_loads_is_marked(session: Session, site: Site) -> None:
    site.page("/stuck", "<script>for (;;) {}</script>")
    framed = site.page("/", f"{OUTER}<iframe src={site.url('/stuck', 'localhost')}></iframe>")
    with answered_within(20):
        outcome = await session.run(Navigate(framed), timeout=20)
    assert 'heading "Outer"' in outcome.changes.text
    assert any("incomplete" in what for what in outcome.pending)
    seen = outcome.changes.text
    with answered_within(20):
        while "did not answer" not in seen:  # on a busy machine the frame's process may start late
            seen = (await session.run(Snapshot(), timeout=20)).result.text
    with answered_within(5):
        assert "Pressed" in (await session.run(Click("button"), timeout=5)).changes.text
    await assert_next_page_loads(session, site)


async def test_23_a_frame_whose_server_never_answers_is_empty(session: Session, site: Site) -> None:
    async with serving(never_answer) as place:
        framed = site.page("/", f"{OUTER}<iframe src=http://{place}/></iframe>")
        with answered_within(6):
            outcome = await session.run(Navigate(framed), timeout=6)
        assert 'heading "Outer"' in outcome.changes.text and "iframe" in outcome.changes.text
        with answered_within(5):
            await session.run(Screenshot(), timeout=5)
            # Requests that were pending before the action are not waited for again.
            assert "Pressed" in (await session.run(Click("button"), timeout=5)).changes.text
        await assert_next_page_loads(session, site)
