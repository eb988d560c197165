"""Throttling: a slower network and slower scripts, for the whole session."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.engines("chromium", reason="WebDriver has no slow networks")

# The milliseconds that a request takes.
ASK = """(async () => { const start = performance.now(); await fetch('/data', {cache: 'no-store'});
  return performance.now() - start })()"""


async def milliseconds(session: Session) -> float:
    took: float = (await session.evaluate(ASK)).result.value
    return took


async def test_a_throttled_network_delays_requests_also_in_tabs_that_are_opened_later(
    session: Session, site: Site
) -> None:
    site.page("/data", "tea", kind="text/plain")
    await session.navigate(site.page("/", "<p>Page</p>"))
    outcome = await session.throttle(latency=600)
    assert str(outcome.result) == "The session is throttled: 600 ms latency."
    assert await milliseconds(session) >= 500
    await session.tabs("new", url=site.url("/"))
    assert await milliseconds(session) >= 500
    assert str((await session.throttle()).result) == "The session is not throttled."
    assert await milliseconds(session) < 500


async def test_a_kind_of_network_has_the_numbers_of_the_developer_tools(session: Session) -> None:
    result = (await session.throttle("slow-3g", upload=100, cpu=4)).result
    assert (result.latency, result.download, result.upload, result.cpu) == (2000, 400, 100, 4)
    assert "scripts 4 times slower" in str(result)
