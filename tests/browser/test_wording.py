"""Error messages that callers may rely on."""

from __future__ import annotations

import pytest
from tests.faults.servers import never_answer, serving
from tests.site import Site

from rove import RoveError, Session
from rove.actions.navigation import Navigate

pytestmark = pytest.mark.one_session


async def test_the_message_for_a_selector_without_matches(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(RoveError) as caught:
        await session.click("#missing")
    assert caught.value.message == "Selector '#missing' not found"


async def test_the_message_for_a_script_that_throws(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(RoveError) as caught:
        await session.evaluate("foo")
    assert caught.value.message == "ReferenceError: foo is not defined at line 1"


async def test_the_message_for_a_page_that_does_not_load_in_time(session: Session) -> None:
    async with serving(never_answer) as place:
        with pytest.raises(RoveError) as caught:
            await session.run(Navigate(f"http://{place}/"), timeout=0.5)
    assert caught.value.message == "Timeout after 0.5s waiting for page load"


async def test_the_message_for_a_refused_connection(session: Session, unused_port: int) -> None:
    with pytest.raises(RoveError) as caught:
        await session.navigate(f"http://localhost:{unused_port}/")
    assert caught.value.message == f"net::ERR_CONNECTION_REFUSED: Failed to connect to localhost:{unused_port}"
