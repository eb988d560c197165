"""Web Vitals and profiles."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from tests.browser.audits.conftest import PACKAGES
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import InvalidArguments, LimitReached
from rove.settings.tree import Settings

pytestmark = pytest.mark.one_session

recorded = pytest.mark.engines("chromium", reason="it is about the traces of Chromium")
NODE = Path(__file__).parents[3] / ".venv" / "bin" / "node"
BUSY = "const until = performance.now() + MS; while (performance.now() < until);"
APP = f"function spin() {{ {BUSY.replace('MS', '150')} }}\nspin();"
PAGE = f"""<!doctype html><title>Shop</title><link rel=stylesheet href=/style.css><script src=/app.js></script>
<h1 style="font-size: 60px">Tea and cake</h1><div id=ad></div><p id=moved>moved</p>
<button onclick="{BUSY.replace("MS", "120")} this.textContent = 'bought'">Buy</button>"""


def serve(site: Site, head: str = "") -> str:
    site.page("/app.js", APP, kind="text/javascript")
    site.page("/style.css", "p { color: #333 }", kind="text/css")
    return site.page("/", head + PAGE)


async def test_vitals_are_measured_and_tell_their_elements(
    session: Session, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The browser tells of paints after they were shown, which takes longer on a busy machine than a caller waits.
    monkeypatch.setattr("rove.browser.performance.LONGEST_WAIT", 20.0)
    await session.navigate(serve(site))
    first = (await session.web_vitals()).result
    assert first.vitals["lcp"].line == 'heading "Tea and cake" level=1'
    assert first.vitals["lcp"].value >= 150
    # Firefox measures neither shifts nor long tasks, and says so.
    assert "cls" in first.missing or first.vitals["cls"].value == 0
    assert first.vitals["ttfb"].value <= first.vitals["fcp"].value <= first.vitals["lcp"].value
    assert "inp" in first.missing
    assert (first.long_tasks is None) == ("cls" in first.missing)
    assert first.long_tasks is None or first.long_tasks.longest >= 150
    await session.evaluate("document.getElementById('ad').style.height = '300px'")
    await session.click('button "Buy"')
    then = (await session.web_vitals()).result
    assert then.vitals["inp"].value >= 120
    assert then.vitals["inp"].line == 'button "bought"'
    if first.long_tasks is not None:
        assert then.long_tasks is not None and then.long_tasks.count >= first.long_tasks.count + 1


async def test_vitals_are_those_of_the_library_that_defines_them(session: Session, site: Site) -> None:
    library = PACKAGES / "web-vitals" / "dist" / "web-vitals.iife.js"
    if not library.is_file():
        pytest.skip("run `make .venv/widgets/ready`, which installs web-vitals")
    site.file("/web-vitals.js", library.read_bytes(), "text/javascript")
    head = """<script src=/web-vitals.js></script><script>
      const told = {};
      for (const name of ["LCP", "CLS", "INP", "FCP", "TTFB"])
        webVitals["on" + name](({ value }) => { told[name.toLowerCase()] = value }, { reportAllChanges: true });
      // Without a press before it, a shift counts.
      addEventListener("load", () => setTimeout(() => { document.getElementById("ad").style.height = "300px" }, 50));
    </script>"""
    await session.navigate(serve(site, head))
    await session.wait(text="moved")
    await session.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 200))")
    await session.click('button "Buy"')
    await session.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    ours = (await session.web_vitals()).result
    theirs = (await session.evaluate("told")).result.value
    assert set(theirs) == set(ours.vitals) >= {"lcp", "inp", "fcp", "ttfb"}
    assert theirs.get("cls", 1) > 0.01
    for name, value in theirs.items():
        assert ours.vitals[name].value == pytest.approx(value, abs=0.06 if name != "cls" else 0.0001), name


@recorded
@pytest.mark.contract("C7")
@pytest.mark.feature("Performance profile", works=("chromium",))
async def test_a_profile_names_the_costliest_function_and_holds_nothing_of_other_sessions(
    session: Session, sessions: Sessions, site: Site
) -> None:
    other = Session(sessions, await sessions.open_session("other"))
    await other.navigate(
        site.page(
            "/private", f"<title>private</title><script>setInterval(() => {{ {BUSY.replace('MS', '5')} }}, 9)</script>"
        )
    )
    await session.navigate(serve(site))
    outcome = await session.profile("shop")
    await sessions.close_session("other")
    profile = outcome.result
    cost = profile.costliest[0]
    assert (cost.kind, str(cost.where)) == ("script", site.url("/app.js"))
    assert "spin in line 1" in cost.detail
    assert 100 < cost.milliseconds < 600
    assert profile.long_task_count >= 1
    assert {str(file.url) for file in profile.blocking} == {site.url("/app.js"), site.url("/style.css")}
    assert profile.vitals is not None and "lcp" in profile.vitals.vitals
    text = Path(profile.path).read_text()
    assert "/private" not in text
    assert "Content-Length" not in text
    events = json.loads(text)["traceEvents"]
    assert len(events) > 100
    assert all(isinstance(event["name"], str) for event in events), "Firefox's profiler imports no others"


@recorded
async def test_a_recording_lasts_from_start_to_stop_and_there_is_one_at_a_time(session: Session, site: Site) -> None:
    await session.navigate(serve(site))
    with pytest.raises(InvalidArguments):
        await session.profile_stop()
    await session.profile_start()
    await session.click('button "Buy"')
    await session.tabs("new", url=serve(site))
    with pytest.raises(LimitReached):
        await session.profile_start()
    await session.tabs("close")
    profile = (await session.profile_stop("buy")).result
    assert profile.long_tasks[0].milliseconds >= 120
    assert profile.vitals is None
    await session.profile_start()  # the browser is free again
    await session.profile_stop("free")


@pytest.mark.engines("firefox", reason="it is about the profiler of Firefox")
@pytest.mark.contract("C7")
@pytest.mark.feature(
    "Performance profile", part=("firefox",), reason="on Linux; what kept a page from being shown is not told"
)
async def test_firefox_tells_the_costliest_function_and_nothing_of_other_tabs_and_sessions(
    session: Session, sessions: Sessions, site: Site, settings: Settings
) -> None:
    busy = f"<title>private</title><script>setInterval(() => {{ {BUSY.replace('MS', '5')} }}, 9)</script>"
    other = Session(sessions, await sessions.open_session("other"))
    await other.navigate(site.page("/private", busy))
    serve(site)
    # A window and the one that has opened it are in the same process.
    await session.navigate(site.page("/beside", f"{busy}<button onclick=\"window.open('/')\">Open</button>"))
    await session.click('button "Open"')
    (opened,) = [tab.id for tab in (await session.tabs()).result.tabs if tab.url == site.url("/")]
    profile = (await session.using(tab=opened).profile("shop")).result
    await sessions.close_session("other")
    (cost,) = [each for each in profile.costliest if each.kind == "script"]
    assert str(cost.where) == site.url("/app.js")
    assert "spin in line 1" in cost.detail
    assert 100 < cost.milliseconds < 600
    assert profile.vitals is not None and "fcp" in profile.vitals.vitals
    text = Path(profile.path).read_text()
    assert "/private" not in text
    assert "/beside" not in text
    assert '"Profile"' in text
    assert not list(settings.home_folder.glob("run/*/recordings/*"))


@pytest.mark.engines("firefox", reason="it is about the profiler of Firefox")
async def test_firefox_records_from_start_to_stop_and_one_tab_at_a_time(session: Session, site: Site) -> None:
    await session.navigate(serve(site))
    with pytest.raises(InvalidArguments):
        await session.profile_stop()
    await session.profile_start()
    await session.click('button "Buy"')
    await session.tabs("new", url=serve(site))
    with pytest.raises(LimitReached):
        await session.profile_start()
    await session.tabs("close")
    profile = (await session.profile_stop("buy")).result
    assert profile.long_task_count >= 1
    assert any("onclick" in str(each.where) for each in profile.functions)
    # After it has ended, another recording may begin, also where it ended with its tab.
    await session.tabs("new", url=serve(site))
    await session.profile_start()
    await session.tabs("close")
    await session.profile_start()
    await session.profile_stop("again")


@recorded
@pytest.mark.slow
async def test_the_engine_of_devtools_opens_the_trace_and_measures_the_same(session: Session, site: Site) -> None:
    engine = PACKAGES / "@paulirish" / "trace_engine"
    if not engine.is_dir():
        pytest.skip("run `make .venv/widgets/ready`, which installs the trace engine of DevTools")
    await session.navigate(serve(site))
    profile = (await session.profile("devtools")).result
    script = f"""
      import {{ analyzeTrace }} from "{engine}/analyze-trace.mjs";
      const {{ parsedTrace }} = await analyzeTrace("{profile.path}");
      const [scores] = parsedTrace.data.PageLoadMetrics.metricScoresByFrameId.values();
      const [metrics] = scores.values();
      const timing = (name) => metrics.get(name)?.timing / 1000;
      console.log(JSON.stringify({{ lcp: timing("LCP"), fcp: timing("FCP"), insights: parsedTrace.insights.size }}));"""
    command = [str(NODE), "--input-type=module", "-e", script]
    found = json.loads(await asyncio.to_thread(lambda: subprocess.check_output(command)))
    assert profile.vitals is not None
    assert found["insights"] == 1
    assert found["lcp"] == pytest.approx(profile.vitals.vitals["lcp"].value, abs=20)
    assert found["fcp"] == pytest.approx(profile.vitals.vitals["fcp"].value, abs=20)
