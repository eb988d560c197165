"""G6: A field into which the page, or the browser going back, has put a secret is protected too."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from tests.security.secret_agent import CARD, PASSWORD, TOKEN, answer, secret_session, value
from tests.site import Site

from rove import Session, Settings

FORM = """<form method=post action=/enter><input id=t name=t><textarea id=a name=a></textarea><button>Enter</button>
  </form><p>Order</p>"""
MASK = "getComputedStyle({}).webkitTextSecurity"


@pytest.fixture(scope="module")
async def agent(settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Session]:
    async with secret_session(settings, _server, tmp_path_factory.mktemp("owner")) as session:
        yield session


async def test_going_back_does_not_bring_a_secret_into_a_picture(agent: Session, site: Site) -> None:
    site.page("/enter", "<p>Welcome</p>")
    for field in ("t", "a"):
        await agent.navigate(site.page("/", FORM))
        await agent.fill(f"#{field}", "secret:token")
        await agent.click("button")
        await agent.back()
        await agent.screenshot()
        left, mask = await value(agent, f"[{field}.value.length, {MASK.format(field)}]")
        assert left == 0 or mask == "disc", field
        await agent.press("Backspace", f"#{field}")
        assert await value(agent, f"{field}.value.length") in (0, len(TOKEN))


@pytest.mark.parametrize(
    "written",
    [TOKEN, TOKEN.upper(), " ".join(TOKEN[at : at + 4] for at in range(0, len(TOKEN), 4)), TOKEN[2:12], CARD[::-1]],
    ids=["as it is", "in upper case", "in groups", "a part", "backwards"],
)
async def test_a_value_of_the_page_is_masked_and_whole_or_empty_however_it_is_written(
    agent: Session, site: Site, written: str
) -> None:
    fields = (
        f"<input id=i value='{written}'><textarea id=a>{written}</textarea><div id=e contenteditable>{written}</div>"
    )
    await agent.navigate(site.page("/", f"{fields}<input id=free value='just words'>"))
    await agent.screenshot()
    assert await value(agent, f"[i, a, e, free].map(f => {MASK.format('f')})") == ["disc"] * 3 + ["none"]
    for field in ("i", "a", "e"):
        await agent.press("End", f"#{field}")
        assert "emptied" in await answer(agent, "press", key="Backspace")
    assert await value(agent, "i.value + a.value + e.textContent") == ""


async def test_a_line_break_in_a_secret_is_an_edit(agent: Session, site: Site) -> None:
    for key in ("Enter", "Shift+Enter", "Control+Enter"):
        await agent.navigate(site.page("/", f"<textarea id=a></textarea><div id=e contenteditable>{TOKEN}</div>"))
        await agent.fill("#a", "secret:token")
        for field in ("a", "e"):
            await agent.press("Control+Home", f"#{field}")
            for _ in range(4):
                await agent.press("ArrowRight")
            await agent.press(key)
            text = await value(agent, f"(({field}.value ?? {field}.innerText).trim().length)")
            assert text in (0, len(TOKEN)), (key, field)


HANDLERS = {
    "at once": "p.value = ''; p.value = said",
    "in a microtask": "p.value = ''; queueMicrotask(() => { p.value = said })",
    "by a timer": "p.value = ''; setTimeout(() => { p.value = said })",
    "in the next frame": "p.value = ''; requestAnimationFrame(() => { p.value = said })",
}


async def test_a_page_may_blank_and_restore_the_field_while_it_is_filled_in(agent: Session, site: Site) -> None:
    for when, handler in HANDLERS.items():
        page = f"<input id=p type=password><script>p.oninput = () => {{ const said = p.value; {handler} }}</script>"
        await agent.navigate(site.page("/", page))
        await agent.fill("#p", "secret:shop")
        assert await value(agent, "p.value.length") == len(PASSWORD), when
        await agent.press("Backspace", "#p")
        assert await value(agent, "p.value.length") in (0, len(PASSWORD)), when


async def test_enter_in_a_line_still_submits_the_form(agent: Session, site: Site) -> None:
    site.page("/enter", "<p>Welcome</p>")
    await agent.navigate(site.page("/", FORM))
    await agent.fill("#t", "secret:token")
    await agent.press("Enter", "#t")
    assert f"t={TOKEN}&" in site.asked("/enter")[-1].body.decode()
