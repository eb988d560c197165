"""A page that may not be read is not quoted, also not by a text of it that keeps changing."""

from __future__ import annotations

from pathlib import Path

from tests.site import OWN_SITES, Site

from rove import PolicyRule, RulePolicy, Session, Settings
from rove.engine.sessions import Sessions
from rove.toolsets.outcome_text import as_text

PAGE = """<p id=clock>0</p><button onclick="p.textContent += '!'">Go</button><p id=p>old</p>
<script>let n = 0; setInterval(() => { clock.textContent = 'Balance ' + n++ }, 60)</script>"""


async def test_a_text_that_keeps_changing_is_withheld_with_its_page(home: Path, site: Site) -> None:
    policy = RulePolicy((PolicyRule("deny", effect=("read",)),))
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "restless"), policy, None) as sessions:
        await sessions.open_session("agent")
        agent = Session(sessions, "agent")
        opened = await agent.navigate(site.page("/", PAGE))
        pressed = await agent.click("button")
    assert "not shown" in as_text(opened)
    assert "Balance" not in as_text(opened)
    assert "Balance" not in as_text(pressed)
    assert "Balance" not in repr(opened)
