"""G6: A field that holds a secret is whole or empty, so that no edit of it shows a part of the secret."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.security.secret_agent import CARD, PASSWORD, TOKEN, answer, secret_session, value
from tests.site import Site

from rove import RoveError, Session, Settings
from rove.errors import ElementNotReady

PAGE = """<form method=post action=/enter><input id=p name=p type=password><input id=t name=t><input id=o name=o>
  <textarea id=a name=a></textarea><button>Enter</button></form>
  <input id=num type=number><input id=short type=password maxlength=6><input id=c>
  <input id=back type=button value="Take one off">
  <button id=show>Show</button><p id=said style="font-size:30px"></p><script>
  c.oninput = () => { c.value = c.value.replace(/\\D/g, '').replace(/(.{4})(?=.)/g, '$1 ') };
  back.onclick = () => { p.value = p.value.slice(0, -1); t.value = t.value.slice(1) };
  show.onclick = () => { p.type = 'text' };</script>"""


@pytest.fixture(scope="module")
async def agent(settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Session]:
    async with secret_session(settings, _server, tmp_path_factory.mktemp("owner")) as session:
        yield session


async def filled(agent: Session, site: Site, field: str, name: str) -> None:
    site.page("/enter", "<p>Welcome</p>")
    await agent.navigate(site.page("/", PAGE))
    await agent.fill(field, f"secret:{name}")


EDITS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "delete": [("press", {"key": "Home"}), ("press", {"key": "Delete"})],
    "backspace": [("press", {"key": "Backspace"})],
    "delete a word": [("press", {"key": "Control+Backspace"})],
    "held key": [("press", {"key": "Backspace", "hold": 0.1})],
    "cut a part": [("press", {"key": "Shift+ArrowLeft"}), ("press", {"key": "Control+x"})],
    "cut by shift": [("press", {"key": "Shift+Home"}), ("press", {"key": "Shift+Delete"})],
    "undo": [("press", {"key": "Control+z"})],
    "undo in another field": [
        ("type", {"target": "#o", "text": "x"}),
        ("press", {"key": "Control+z"}),
        ("press", {"key": "Control+z"}),
        ("press", {"key": "Control+z"}),
    ],
    "type": [("press", {"key": "Home"}), ("type", {"text": "y"})],
    "type over a part": [("press", {"key": "Shift+ArrowLeft"}), ("press", {"key": "y"})],
    "paste": [("clipboard", {"text": "zz"}), ("press", {"key": "Home"}), ("press", {"key": "Control+v"})],
    "a button of the page": [("click", {"target": "#back"})],
    "drag out of it": [("press", {"key": "Control+a"}), ("drag", {"source": "FIELD", "to": "#o"})],
}


@pytest.mark.parametrize(
    ("field", "name", "whole"), [pytest.param("#p", "shop", PASSWORD, marks=pytest.mark.slow), ("#t", "token", TOKEN)]
)
async def test_every_edit_leaves_the_field_whole_or_empty(
    agent: Session, site: Site, field: str, name: str, whole: str
) -> None:
    left: dict[str, str] = {}
    for edit, steps in EDITS.items():
        await filled(agent, site, field, name)
        told = "".join(
            [
                await answer(
                    agent, verb, **{key: item if item != "FIELD" else field for key, item in arguments.items()}
                )
                for verb, arguments in steps
            ]
        )
        sent = await value(agent, "[p.value, t.value, o.value].map(v => 'v' + v.split('').reverse().join('|'))")
        texts = [text[1:].split("|") if len(text) > 1 else [] for text in sent]
        left[edit] = " ".join("".join(letters[::-1]) for letters in texts).strip()
        if edit in ("delete", "a button of the page"):
            assert "emptied" in told
    kept = {edit: text for edit, text in left.items() if text.replace("[secret shop]", whole).strip()}
    allowed = {whole, f"[secret {name}]", "x", "y", "zz", ""}
    assert {edit: text for edit, text in kept.items() if text not in allowed and whole not in text} == {}


async def test_a_shortened_secret_is_never_sent(agent: Session, site: Site) -> None:
    for keys in (["Home", "Delete"], ["Backspace"], ["Home", "Shift+End", "Shift+ArrowLeft", "Delete"]):
        await filled(agent, site, "#p", "shop")
        for key in keys:
            await agent.press(key)
        await agent.press("Enter")
    sent = [request.body.decode() for request in site.asked("/enter")]
    assert sent
    assert all("p=&" in body or f"p={PASSWORD}&" in body for body in sent), sent


async def test_a_field_that_cannot_hold_it_whole_is_emptied_and_the_error_says_so(agent: Session, site: Site) -> None:
    await agent.navigate(site.page("/", PAGE))
    with pytest.raises(ElementNotReady) as caught:
        await agent.fill("#short", "secret:shop")
    assert "emptied" in caught.value.message
    assert await value(agent, "short.value") == ""


async def test_a_card_number_in_groups_counts_as_whole(agent: Session, site: Site) -> None:
    await agent.navigate(site.page("/", PAGE))
    await agent.fill("#c", "secret:card")
    await agent.press("Tab")
    assert await value(agent, "c.value.length") == len(CARD) + 3
    assert "hidden characters" in str((await agent.snapshot()).result)


async def test_a_value_that_the_page_put_into_a_field_is_protected_too(agent: Session, site: Site) -> None:
    await agent.navigate(site.page("/", f"<input id=i value='{TOKEN}'><div id=e contenteditable>{TOKEN}</div>"))
    for field in ("i", "e"):
        await agent.press("End", f"#{field}")
        await agent.press("Backspace")
        assert await value(agent, "(i.value + e.textContent).length") in (0, len(TOKEN))


async def test_the_agent_can_replace_the_secret_by_text_of_its_own(agent: Session, site: Site) -> None:
    await filled(agent, site, "#t", "token")
    await agent.fill("#t", "hello")
    assert await value(agent, "t.value") == "hello"
    await agent.type(" world", "#t")
    assert await value(agent, "t.value") == "hello world"


async def test_a_secret_in_a_plain_field_is_shown_as_dots_in_pictures(agent: Session, site: Site) -> None:
    await filled(agent, site, "#t", "token")
    assert await value(agent, "getComputedStyle(t).webkitTextSecurity") == "disc"
    await agent.fill("#t", "")
    assert await value(agent, "getComputedStyle(t).webkitTextSecurity") == "none"


async def test_typing_that_is_interrupted_leaves_no_part(agent: Session, site: Site) -> None:
    page = "<input id=p type=password><script>p.oninput = () => { alert('stop'); }</script>"
    await agent.navigate(site.page("/", page))
    with contextlib.suppress(RoveError):
        await agent.type("secret:shop", "#p")
    await agent.dialog(accept=True)
    assert await value(agent, "p.value.length") in (0, len(PASSWORD))


async def test_the_keys_of_a_number_field_do_not_change_a_secret(agent: Session, site: Site) -> None:
    for key in ("ArrowUp", "ArrowDown"):
        await filled(agent, site, "#num", "card")
        assert "emptied" in await answer(agent, "press", key=key, target="#num")
        assert await value(agent, "num.value") == ""
