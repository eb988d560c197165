"""Which calls of the tool `browser` a yes for the rest of the session can cover."""

from __future__ import annotations

import pytest
from tests.gateway.desk import Desk
from tests.gateway.tools.conftest import CallTool
from tests.site import Site

LEAVING = [{"type": "back"}, {"type": "tabs", "operation": "switch", "tab": "t1"}]


@pytest.mark.parametrize("step", LEAVING)
async def test_a_call_that_may_end_on_any_page_is_approved_just_once(
    call: CallTool, desk: Desk, site: Site, step: dict[str, str]
) -> None:
    begin = {"type": "navigate", "url": site.page("/", "<h1>Tea</h1>")}
    await call("browser", actions=[begin, {"type": "extract"}])
    await call("browser", actions=[begin, step, {"type": "extract"}])
    assert [question.key is not None for question in desk.questions] == [True, False]
