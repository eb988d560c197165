"""G6: A clipboard that took a secret gives it only to the origins that the secret is bound to."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncGenerator

import pytest
from tests.security.secret_agent import TOKEN, answer, secret_session, value
from tests.site import Site

from rove import Session, Settings
from rove.errors import Denied, RoveError

PAGE = f"""<p id=shown>Your key: <b>{TOKEN}</b> keep it</p><input id=t value="{TOKEN}"><input id=o>
  <button onclick="navigator.clipboard.writeText('key=' + t.value)">Copy</button><script>
  const pick = (from, to) => {{ const r = document.createRange(), n = shown.querySelector('b').firstChild;
    r.setStart(n, from); r.setEnd(n, to); getSelection().removeAllRanges(); getSelection().addRange(r) }}</script>"""


@pytest.fixture(scope="module")
async def agent(settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Session]:
    async with secret_session(settings, _server, tmp_path_factory.mktemp("owner")) as session:
        yield session


async def copied(agent: Session, site: Site, how: str) -> None:
    await agent.navigate(site.page("/", PAGE))
    if how == "button":
        await agent.click("button")
    elif how == "text":
        await value(agent, f"pick(0, {len(TOKEN)})")
        await agent.press("Control+c")
    elif how == "part":
        await value(agent, "pick(2, 5)")
        await agent.press("Control+Insert")
    else:
        with contextlib.suppress(RoveError):
            await agent.press("Control+a", "#t")
            await agent.press(how)


async def test_a_copied_secret_is_not_pasted_at_another_origin(agent: Session, site: Site) -> None:
    other = site.page("/other", "<input id=i><textarea id=a></textarea><div id=d contenteditable></div>")
    for how in ("button", "text", "part", "Control+c", "Control+x"):
        await copied(agent, site, how)
        assert TOKEN[:5] not in await answer(agent, "clipboard")
        await agent.navigate(other.replace("127.0.0.1", "localhost"))
        for paste, field in itertools.product(("Control+v", "Shift+Insert", "Control+Shift+v"), ("#i", "#a", "#d")):
            with contextlib.suppress(Denied):
                await agent.press(paste, field)
            assert await value(agent, "i.value + a.value + d.innerText.trim()") == "", (how, paste)


async def test_the_refusal_is_told(agent: Session, site: Site) -> None:
    await copied(agent, site, "button")
    await agent.navigate(site.page("/other", "<input id=i>").replace("127.0.0.1", "localhost"))
    with pytest.raises(Denied, match="secret token"):
        await agent.press("Control+v", "#i")


async def test_where_it_is_bound_it_is_pasted_whole_and_the_field_is_protected(agent: Session, site: Site) -> None:
    await copied(agent, site, "text")
    await agent.press("Control+v", "#o")
    assert await value(agent, "o.value.length") == len(TOKEN)
    await agent.press("Backspace")
    assert await value(agent, "o.value") == ""


async def test_a_part_is_not_copied_at_all(agent: Session, site: Site) -> None:
    await copied(agent, site, "part")
    assert "The clipboard is empty" in await answer(agent, "clipboard")
    with contextlib.suppress(Denied):
        await agent.press("Control+v", "#o")
    assert await value(agent, "o.value") == ""


async def test_a_secret_is_not_dragged(agent: Session, site: Site) -> None:
    await agent.navigate(site.page("/", PAGE))
    for start, end in ((0, len(TOKEN)), (1, 9)):
        await value(agent, f"pick({start}, {end})")
        with contextlib.suppress(Denied):
            await agent.drag("b", "#o")
        assert await value(agent, "o.value") == ""
    await agent.click("#shown", count=3)
    assert await value(agent, "String(getSelection()).length") > len(TOKEN), "the mouse works after the refusal"
