"""The card of a request shows what an action would send or open, and what is not known."""

from __future__ import annotations

import asyncio

import pytest
from tests.gateway.page.control_page import ControlPage
from tests.site import Site

from rove.action import AnyAction
from rove.actions.files import Upload
from rove.actions.input import Press
from rove.actions.navigation import Navigate
from rove.errors import Denied

FORM = (
    "<form action='http://localhost:1/pay' method=post target=_blank><input id=i name=amount value=10>"
    "<input type=password name=pin value=1234><button>Pay</button></form><input type=file id=f>"
)


async def test_the_card_shows_the_form_and_the_file_that_would_be_sent(page: ControlPage, site: Site) -> None:
    sessions = page.gateway.gateway.sessions
    session = sessions.session(await sessions.open_session("payer"))
    workspace = sessions.settings.workspace_folder
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / "notes.txt").write_bytes(b"alpha")
    await session.run(Navigate(site.page("/form", FORM)))
    cases: list[tuple[AnyAction, tuple[str, ...]]] = [
        (
            Press("Enter", "#i"),
            ("Sends a form", "POST http://localhost:1/pay", "in a new tab", "amount", "(not shown)"),
        ),
        (Upload("#f", ("notes.txt",)), ("File", "notes.txt", "5 bytes", "8ed3f6ad685b959e")),
    ]
    for action, shown in cases:
        running = asyncio.ensure_future(session.run(action, channel=page.gateway.gateway.approvals))
        await page.until_text("cannot be known beforehand", "rove-approval-card")
        card = await page.text_of("rove-approval-card")
        assert [text for text in shown if text not in card] == []
        assert "1234" not in card
        await page.press_until("n", "!document.querySelector('rove-approval-card')")
        with pytest.raises(Denied):
            await running
