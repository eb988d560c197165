"""What pages, models and clients write stays text in every view, and the policy of the page stops what would not."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import quote

import pytest
from tests.gateway.clustered import clustered_gateway
from tests.gateway.page.control_page import DESKTOP, ControlPage
from tests.site import Site

from rove import Session
from rove.actions.input import Click, Hover
from rove.actions.navigation import Navigate
from rove.errors import RoveError

pytestmark = pytest.mark.one_session

KEY = "hostile"
# Marks the document of the control page where it runs.
RUN = "document.documentElement.dataset.ran=1"
PAYLOADS = (
    f"<img src=x onerror={RUN}>",
    f"\"'><svg/onload={RUN}>",
    f"</script></title></textarea></style><script>{RUN}</script>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"javascript:{RUN}//",
    f"[link](javascript:{RUN}) ![image](x){{{{constructor.constructor('{RUN}')()}}}}",
    "<math><mtext></form><form><mglyph><style></math><base href=//elsewhere.test>",
)
PAYLOAD = " ".join(PAYLOADS)
FILE = f"x\"'<img src=x onerror={RUN}>.html"


def literal(text: str) -> str:
    """Return a text as a literal of JavaScript inside of HTML."""
    return json.dumps(text).replace("<", "\\u003c")


HOSTILE = f"""<title></title><body><h1></h1><button></button><a download href="data:text/html,x">Save</a><script>
  const text = {literal(PAYLOAD)};
  document.title = text;
  for (const name of ["h1", "button"]) document.querySelector(name).textContent = text;
  document.querySelector("a").download = {literal(FILE)};
  console.log(text, {{ [text]: text }});
  history.replaceState(null, "", "/hostile?" + text);
  fetch("/asked?" + text);
</script>"""
DANGEROUS = """[...document.body.querySelectorAll("*")].filter((one) =>
  one.matches("script:not([src]), iframe, object, embed, base, math") ||
  [...one.attributes].some(({ name, value }) =>
    /^on/.test(name) || (/href|src|action/.test(name) && !/^(#|data:image|blob:|styles|scripts|\\/|\\.)/.test(value))),
).map((one) => one.outerHTML.slice(0, 200))"""


async def assert_only_text(page: ControlPage, marker: str = "onerror=") -> None:
    """Check that the hostile text is shown, and that nothing of it has become more than text."""
    await page.until(f"document.body.textContent.includes({json.dumps(marker)})")
    assert await page.run(DANGEROUS) == []
    assert await page.run("document.documentElement.dataset.ran ?? null") is None


@pytest.fixture
async def hostile(page: ControlPage, site: Site) -> ControlPage:
    """The page, and a session that shows a hostile page; a client has given it hostile texts as well."""
    async with page.gateway.client() as client:
        await client.call("sessions.create", name=KEY)
        address = site.page("/hostile", HOSTILE)
        await client.call("tools.call", sessionKey=KEY, name="browser_navigate", arguments={"url": address})
        await client.call("tokens.create", scopes=["view"], expiresIn=600, label=PAYLOAD[:100])
        session = page.gateway.gateway.sessions.session(KEY)
        await session.run(Click('link "Save"'))
        with pytest.raises(RoveError):
            await session.run(Navigate(f"http://10.0.0.1/{quote(PAYLOADS[0])}"))
    return page


@pytest.mark.parametrize("part", ["live", "seen", "console", "network", "downloads"])
async def test_what_a_page_writes_is_text_in_the_view_of_its_session(hostile: ControlPage, part: str) -> None:
    await hostile.go(f"sessions/{KEY}/{part}")
    where = "#session-panel" if part != "live" else "header"
    await hostile.until(f"document.querySelector({json.dumps(where)})?.textContent.includes('onerror')")
    await assert_only_text(hostile, "onerror")


@pytest.mark.parametrize(
    ("view", "marker"),
    [("sessions", "onerror"), (f"timeline/{KEY}", "onerror"), ("settings", "onerror"), ("guard", "10.0.0.1")],
)
async def test_what_a_page_writes_is_text_in_lists(hostile: ControlPage, view: str, marker: str) -> None:
    await hostile.go(view)
    await assert_only_text(hostile, marker)


async def test_what_is_asked_of_a_person_is_text(hostile: ControlPage) -> None:
    approvals = hostile.gateway.gateway.approvals
    session = hostile.gateway.gateway.sessions.session(KEY)
    hovering = asyncio.ensure_future(session.run(Hover("button"), channel=approvals))
    await hostile.go("inbox")
    await hostile.until("!!document.querySelector('rove-approval-card .page-text')")
    await assert_only_text(hostile)
    hovering.cancel()
    await asyncio.gather(hovering, return_exceptions=True)
    actions = [
        {"type": "type", "selector": PAYLOAD, "text": PAYLOAD},
        {"type": "navigate", "url": "https://a.test/<x>"},
    ]
    async with hostile.gateway.client() as client:
        params = {"name": "browser", "sessionKey": KEY, "arguments": {"actions": actions}}
        await client.send({"id": "call", "method": "tools.call", "params": params})
        await hostile.until("!!document.querySelector('rove-approval-card .actions')")
        await assert_only_text(hostile)
        asked = await client.event("exec.approval_request", toolName="browser", sessionKey=KEY)
        await client.call("exec.deny", approvalId=asked["approvalId"], reason=PAYLOAD[:500])
    await hostile.until("!document.querySelector('rove-approval-card')")
    await assert_only_text(hostile)


async def test_a_conversation_is_text(hostile: ControlPage) -> None:
    async with hostile.gateway.client() as client:
        await client.call(
            "chat.send", sessionKey=KEY, message=f"```\n{PAYLOAD}\n```\n- {PAYLOAD}\n**{PAYLOAD}** `{PAYLOAD}`"
        )
        await hostile.go(f"chat/{KEY}")
        await hostile.until("!!document.querySelector('.item.user')")
        await assert_only_text(hostile)


async def test_links_with_hostile_names_show_nothing_else(page: ControlPage) -> None:
    for link in (
        f"sessions/{quote(PAYLOAD, safe='')}",
        f"chat/{quote(PAYLOAD, safe='')}",
        "sessions/%E0%A4%A",
        PAYLOAD,
    ):
        await page.go("guard")
        await page.until_text("Guard", "main")
        await page.run(f"location.hash = {json.dumps('#/' + link)}")
        await page.until("!document.querySelector('rove-guard') && !!document.querySelector('main').textContent.trim()")
        assert await page.run(DANGEROUS) == []
    assert await page.run("document.documentElement.dataset.ran ?? null") is None


async def test_nodes_are_text(session: Session) -> None:
    async with clustered_gateway(PAYLOADS[0]) as (running, _):
        page = ControlPage(session, running)
        await session.resize(*DESKTOP)
        await page.open()
        await page.session.press("8")
        await page.until("document.querySelectorAll('rove-cluster tbody tr').length === 1")
        await assert_only_text(page)


async def test_the_policy_of_the_page_stops_markup_that_became_more_than_text(page: ControlPage) -> None:
    """Here the defence before it is taken away: the text is parsed as markup, as a fault in a view would do."""
    await page.run(f"document.querySelector('main').innerHTML = {json.dumps(PAYLOAD)}; null")
    await page.run(
        f"""(() => {{
          const script = document.createElement("script");
          script.textContent = "{RUN}";
          const loaded = document.createElement("script");
          loaded.src = "data:text/javascript,{RUN}";
          const link = document.createElement("a");
          link.href = "javascript:{RUN}";
          document.body.append(script, loaded, link);
          link.click();
        }})()"""
    )
    # The image fails to load, which is when its handler would run.
    await page.until("document.querySelector('main img')?.complete")
    assert await page.run("document.documentElement.dataset.ran ?? null") is None
