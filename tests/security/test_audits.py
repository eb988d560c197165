"""G6: Audits tell nothing of frames that may not be read, and what they tell has the origin of its frame."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.security.wrapped_words import told, words_by_origin
from tests.site import OWN_SITES, Site

from rove import PolicyRule, RulePolicy, Session, Settings
from rove.engine.sessions import Sessions

AXE = Path(__file__).parents[2] / ".venv" / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
FAULTS = "<title>{0}</title><p style='color: #ddd' id={0}>{0}</p><img src=/{0}.png><script src=/{0}.js></script>"
HIDDEN, OPEN = "Zebrafish", "Frameword"


@pytest.fixture
def page(site: Site) -> str:
    if not AXE.is_file():
        pytest.skip("run `make .venv/widgets/ready`, which installs axe-core")
    for word in (HIDDEN, OPEN, "Pageword"):
        busy = f"function run{word}() {{ const end = performance.now() + 60; while (performance.now() < end); }}"
        site.page(f"/{word}.js", f"{busy} run{word}()", kind="text/javascript")
    site.page("/hidden", FAULTS.format(HIDDEN))
    site.page("/open", FAULTS.format(OPEN))
    frames = site.url("/hidden", host="localhost"), site.url("/open", host="open.localhost")
    inner = "".join(f"<iframe title={number} src='{url}'></iframe>" for number, url in enumerate(frames))
    return site.page("/", FAULTS.format("Pageword") + inner)


@pytest.mark.engines("chromium", reason="profiles cannot be had over WebDriver")
async def test_a_frame_that_may_not_be_read_is_in_no_audit_and_in_no_trace(page: str, tmp_path: Path) -> None:
    rule = PolicyRule("deny", effect=("read", "script"), origin=("http://localhost:*",))
    settings = Settings(allow_host=OWN_SITES, home=tmp_path, axe=AXE)
    async with Sessions(settings, RulePolicy((rule,))) as sessions:
        agent = Session(sessions, None)
        await agent.navigate(page)
        await agent.wait(load="load")
        text = await told(agent.audit(path="all.json"))
        assert "1 frame could not be audited" in text
        for origin, words in words_by_origin(text).items():
            assert "Pageword" not in words or origin == page.rstrip("/")
            assert OPEN not in words or (origin and "open.localhost" in origin)
        texts = [text, await told(agent.web_vitals()), await told(agent.profile())]
    files = [settings.workspace_folder / name for name in ("audits/all.json", "traces/profile.json")]
    audited, trace = (path.read_text() for path in files)
    assert all("Pageword" in each for each in (text, audited, trace))
    assert OPEN in audited and "open.localhost" in trace
    assert all(HIDDEN not in each for each in (*texts, audited, trace))
