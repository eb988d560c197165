"""A page that sends every known kind of request to a forbidden server, in WebKit behind the session's proxy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.loopback_servers import answering, canary
from tests.security.test_egress_browser import RecordingSite

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Settings

# What tells that the page has sent its requests.
WAIT = "new Promise((done) => setTimeout(done, 1500))"


async def test_no_kind_of_request_reaches_a_forbidden_server(webkit_settings: Settings) -> None:
    site = RecordingSite()
    async with answering(site.handle) as port, canary() as forbidden:
        site.target = f"http://127.0.0.1:{forbidden.port}"
        settings = replace(webkit_settings, allow_host=(f"localhost:{port}",))
        async with Sessions(settings) as sessions:
            session = Session(sessions, "default")
            await session.navigate(f"http://localhost:{port}/")
            await session.evaluate(WAIT)
            await session.tabs(operation="new", url=f"http://localhost:{port}/blank.svg")
        assert "/redirect" in site.paths, "the page itself was reached"
        assert forbidden.calls == []


@pytest.mark.slow
async def test_the_same_requests_reach_an_allowed_server(webkit_settings: Settings) -> None:
    """Shows that WebKit sends these kinds of requests, so that the test before is meaningful."""
    site, allowed = RecordingSite(), RecordingSite()
    async with answering(site.handle) as port, answering(allowed.handle) as allowed_port:
        site.target = f"http://127.0.0.1:{allowed_port}"
        settings = replace(webkit_settings, allow_host=(f"localhost:{port}", f"127.0.0.1:{allowed_port}"))
        async with Sessions(settings) as sessions:
            session = Session(sessions, "default")
            await session.navigate(f"http://localhost:{port}/")
            await session.evaluate(WAIT)
    kinds = {path.strip("/") for path in allowed.paths}
    assert {"beacon", "websocket", "worker-fetch", "css-import", "redirected-fetch", "event-source"} <= kinds, kinds
    assert len(kinds) >= 40, sorted(kinds)
