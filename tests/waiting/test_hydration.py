"""A page of React, Vue or Svelte from a server is answered with once it takes presses, and with what it fetches."""

from __future__ import annotations

import pytest
from tests.waiting.hydration import FRAMEWORKS, rendered
from tests.waiting.site import serving

from rove import Session

pytestmark = pytest.mark.one_session


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_rendered_page_is_told_when_it_takes_presses(session: Session, framework: str) -> None:
    document, script = rendered(framework)
    late = "<script async src='/app.js?delay=700'></script>"
    with serving({"/": (document + late, "text/html"), "/app.js": (script, "text/javascript")}) as address:
        opened = await session.navigate(f"{address}/")
        assert '"The answer of the server"' in opened.changes.text
        pressed = await session.click('button "Add an order"')
    assert '"Order 1"' in pressed.changes.text
