"""G6: A named secret reaches only the origins that it is bound to: asserts on what servers received."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

import pytest
from tests.reading import ref_of
from tests.shared_sessions import shared_session
from tests.site import Site

from rove import Action, Allow, ApprovalAnswer, ApprovalRequest, Ask, FormField, Place, RoveError, Session, Settings
from rove.action import AnyAction, Effect, parse
from rove.actions.batch import Batch
from rove.actions.navigation import Navigate
from rove.engine.sessions import Sessions
from rove.errors import Denied
from rove.guard.policy import Decision
from rove.toolsets.outcome_text import as_data, as_text, error_text

VALUE = 'pa"ss & <wörd>+7'
TOKEN = "tok_0123456789abcdefghijklmnopqrstuvwxyz"
PIN = "48151623"
LOGIN = """<form method=post action=/enter><label>Name <input name=n id=n></label>
  <label>Password <input name=p id=p type=password></label><button>Enter</button></form>"""


class AskingPolicy:
    """A policy that asks about one effect and allows the rest, and an approver that records its requests."""

    def __init__(self) -> None:
        self.asks_about: Effect | None = None
        self.asked: list[ApprovalRequest] = []
        self.reply = ApprovalAnswer.NO

    def decide(self, action: AnyAction, place: Place) -> Decision:
        return Ask("May it?") if self.asks_about in action.effects else Allow()

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return self.reply


@pytest.fixture(scope="module")
async def _sessions_and_policy(
    settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Any]:
    file = tmp_path_factory.mktemp("owner") / "secrets.toml"
    here = json.dumps([_server.url("")])
    tables = {
        "shop": f"origins = {here}\nvalue = {json.dumps(VALUE, ensure_ascii=False)}",
        "token": f'origins = {here}\nvalue = "{TOKEN}"\nfields = "any"',
        "pin": f'origins = {here}\nvalue = "{PIN}"',
        "elsewhere": 'origins = ["https://example.com"]\nvalue = "not for here"',
    }
    file.write_text("\n".join(f"[{name}]\n{table}" for name, table in tables.items()), encoding="utf-8")
    file.chmod(0o600)
    asking = AskingPolicy()
    async with Sessions(replace(settings, secrets=file), asking, asking) as sessions:
        yield sessions, asking


@pytest.fixture
def asking(_sessions_and_policy: tuple[Sessions, AskingPolicy]) -> AskingPolicy:
    asking = _sessions_and_policy[1]
    asking.asks_about, asking.reply = None, ApprovalAnswer.NO
    asking.asked.clear()
    return asking


@pytest.fixture
async def agent(_sessions_and_policy: tuple[Sessions, AskingPolicy], asking: AskingPolicy) -> AsyncGenerator[Session]:
    sessions = _sessions_and_policy[0]
    async with shared_session(sessions, "agent") as agent:
        yield agent
        asking.asks_about = None


def entered(site: Site) -> list[str]:
    """Return the passwords that the server received."""
    return [parse_qs(request.body.decode())["p"][0] for request in site.asked("/enter")]


def at_login(site: Site, host: str = "127.0.0.1") -> str:
    site.page("/enter", "<p>Welcome</p>")
    site.page("/login", LOGIN)
    return site.url("/login", host)


@pytest.mark.parametrize("action", ["fill", "fill form", "type", "type where the focus is", "type and submit"])
async def test_every_action_that_types_accepts_a_secret(agent: Session, site: Site, action: str) -> None:
    await agent.navigate(at_login(site))
    if action == "fill":
        outcome: Any = await agent.fill('textbox "Password"', "secret:shop")
        assert outcome.result.value is None
    elif action == "fill form":
        outcome = await agent.fill_form((FormField("#n", "Bea"), FormField("#p", "secret:shop")))
    elif action == "type":
        outcome = await agent.type("secret:shop", "#p")
        assert str(outcome.result).startswith("Typed the secret shop into ")
    elif action == "type and submit":
        await agent.type("secret:shop", "#p", submit=True)
        assert entered(site) == [VALUE]
        return
    else:
        await agent.click("#p")
        outcome = await agent.type("secret:shop")
    assert f"({len(VALUE)} hidden characters)" in outcome.changes.text
    await agent.click("button")
    assert entered(site) == [VALUE]


async def test_filling_replaces_the_value_and_typing_appends(agent: Session, site: Site) -> None:
    await agent.navigate(site.page("/", "<input id=p type=password value=old>"))
    await agent.type("secret:pin", "#p")
    assert (await agent.evaluate("p.value.length")).result.value == len("old" + PIN)
    await agent.fill("#p", "secret:pin")
    assert (await agent.evaluate("p.value.length")).result.value == len(PIN)


async def test_the_page_receives_the_events_of_typing(agent: Session, site: Site) -> None:
    page = """<input id=p type=password><script>var events = [];
      for (const type of ['input', 'change']) {
        p.addEventListener(type, e => events.push([type, e.isTrusted]))
      }</script>"""
    await agent.navigate(site.page("/", page))
    await agent.fill("#p", "secret:shop")
    await agent.press("Tab")
    assert (await agent.evaluate("events")).result.value == [["input", True], ["change", True]]


@pytest.mark.parametrize("action", ["fill", "type", "focus", "form"])
async def test_a_secret_is_not_typed_at_another_origin(agent: Session, site: Site, action: str) -> None:
    """The same server under another name is another origin."""
    await agent.navigate(at_login(site, "localhost"))
    await agent.click("#p")
    attempts: dict[str, Any] = {
        "fill": lambda: agent.fill("#p", "secret:shop"),
        "type": lambda: agent.type("secret:shop", "#p"),
        "focus": lambda: agent.type("secret:shop"),
        "form": lambda: agent.fill_form((FormField("#n", "Bea"), FormField("#p", "secret:shop"))),
    }
    with pytest.raises(Denied) as caught:
        await attempts[action]()
    assert site.url("") in caught.value.message
    assert site.url("", "localhost") in caught.value.message
    assert (await agent.evaluate("n.value + p.value")).result.value == ""


async def test_the_error_for_an_unknown_secret_lists_the_known_names(agent: Session, site: Site) -> None:
    await agent.navigate(at_login(site))
    with pytest.raises(Denied) as caught:
        await agent.fill("#p", "secret:shoop")
    assert "shop, token, pin, elsewhere" in caught.value.hint


async def test_the_refusal_of_a_password_offers_the_secrets_of_that_origin(agent: Session, site: Site) -> None:
    await agent.navigate(at_login(site))
    with pytest.raises(Denied) as caught:
        await agent.fill("#p", "hunter2")
    assert "shop, token, pin" in caught.value.hint
    assert "elsewhere" not in caught.value.hint


async def test_a_secret_goes_only_into_password_fields_unless_the_owner_allows_more(agent: Session, site: Site) -> None:
    """Page text must not be able to make an agent publish a password in a comment."""
    await agent.navigate(site.page("/", "<textarea id=comment></textarea><div id=d contenteditable></div>"))
    for attempt in (agent.fill("#comment", "secret:shop"), agent.type("secret:shop", "#comment")):
        with pytest.raises(Denied):
            await attempt
    with pytest.raises(Denied):
        await agent.fill_form((FormField("#comment", "secret:shop"),))
    with pytest.raises(RoveError):
        await agent.fill("#d", "secret:token")
    assert (await agent.evaluate("comment.value + d.innerText")).result.value == ""
    await agent.fill("#comment", "secret:token")
    assert (await agent.evaluate("comment.value.length")).result.value == len(TOKEN)


@pytest.mark.parametrize(("top", "frame"), [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")])
async def test_the_origin_of_the_frame_decides(agent: Session, site: Site, top: str, frame: str) -> None:
    at_login(site)
    site.page("/top", f"<iframe width=500 height=120 src='{site.url('/login', frame)}'></iframe>")
    seen = (await agent.navigate(site.url("/top", top))).changes.text
    if frame == "127.0.0.1":
        await agent.fill(ref_of(seen, "Password"), "secret:shop")
    else:
        with pytest.raises(Denied):
            await agent.fill(ref_of(seen, "Password"), "secret:shop")
        with pytest.raises(Denied):
            await agent.fill_form((FormField("#n", "Bea"), FormField("#p", "secret:shop")))
    await agent.click(ref_of(seen, "Enter"))
    await agent.wait(text="Welcome")
    sent = [request.body.decode() for request in site.asked("/enter")]
    assert [parse_qs(body, keep_blank_values=True) for body in sent] == [
        {"n": [""], "p": [VALUE if frame == "127.0.0.1" else ""]}
    ]


async def test_a_page_that_takes_the_focus_does_not_get_the_secret(agent: Session, site: Site) -> None:
    at_login(site)
    page = f"""<input id=mine><iframe width=500 height=120 src='{site.url("/login", "127.0.0.1")}'></iframe><script>
      var got = ''; addEventListener('keydown', e => got += e.key); mine.oninput = e => got += e.data;
      addEventListener('blur', () => mine.focus()); setInterval(() => mine.focus(), 1)</script>"""
    site.page("/snatcher", page)
    seen = (await agent.navigate(site.url("/snatcher", "localhost"))).changes.text
    for _ in range(5):
        await agent.fill(ref_of(seen, "Password"), "secret:shop")
    assert (await agent.evaluate("mine.value + got")).result.value == ""
    await agent.click(ref_of(seen, "Enter"))
    assert entered(site) == [VALUE]


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_a_secret_can_be_typed_in_a_shadow_root(agent: Session, site: Site, mode: str) -> None:
    page = f"""<x-login></x-login><script>
      const root = document.querySelector('x-login').attachShadow({{mode: '{mode}'}});
      root.innerHTML = '<label>Password <input type=password></label>'; var p = root.querySelector('input')</script>"""
    seen = (await agent.navigate(site.page("/", page))).changes.text
    await agent.fill(ref_of(seen, "Password"), "secret:pin")
    assert (await agent.evaluate("p.value.length")).result.value == len(PIN)
    await agent.fill(ref_of(seen, "Password"), "")
    await agent.evaluate("p.focus()")
    await agent.type("secret:pin")
    assert (await agent.evaluate("p.value.length")).result.value == len(PIN)


# A page that outputs what was typed into it in every possible action.
ECHO_PAGE = """<label>Password <input id=p type=password></label><button id=show onclick="p.type = 'text'">Show</button>
  <button id=say>Say</button><p id=out></p><script>
  p.oninput = () => {
    const said = p.value;
    out.textContent = 'You typed ' + said.toUpperCase() + ' or ' + said;
    out.title = said; document.title = said; say.setAttribute('aria-label', said);
    console.error('typed', said, JSON.stringify({said}), encodeURIComponent(said));
    history.replaceState(null, '', '?' + new URLSearchParams({said}) + '#' + said);
    out.innerHTML += '<a href="/to?q=' + encodeURIComponent(said) + '">' + out.innerHTML + '</a>';
    setTimeout(() => { throw new Error(said) });
  };
  say.onclick = () => alert(p.value)</script>"""


class OutputCollector:
    """Collects every output of a session, in all the forms that surfaces use."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.received: list[str] = []

    async def run(self, action: Action[Any]) -> Any:
        try:
            outcome = await self.session.run(action)
        except RoveError as error:
            self.received += [
                error_text(error),
                json.dumps(error.as_dict(), ensure_ascii=False),
                repr(error),
                str(error),
            ]
            return None
        self.received += [as_text(outcome), json.dumps(as_data(outcome), ensure_ascii=False), repr(outcome)]
        return outcome


def encodings(value: str) -> list[str]:
    encoded = json.dumps(value, ensure_ascii=False)[1:-1], json.dumps(value)[1:-1], quote(value), quote(value, safe="")
    basic = base64.b64encode(f"me:{value}".encode()).decode()[4:-4]
    return [value, value.upper(), value.lower(), *encoded, base64.b64encode(value.encode()).decode()[:-4], basic]


@pytest.mark.parametrize(("name", "value"), [("shop", VALUE), ("token", TOKEN), ("pin", PIN)])
async def test_no_output_contains_the_value(
    agent: Session, site: Site, settings: Settings, name: str, value: str
) -> None:
    collector = OutputCollector(agent)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("navigate", {"url": site.page("/", ECHO_PAGE)}),
        ("fill", {"target": "#p", "value": f"secret:{name}"}),
        ("snapshot", {}),
        ("click", {"target": "#show"}),
        ("snapshot", {"links": True}),
        ("extract", {}),
        ("extract", {"target": "#p"}),
        ("extract", {"mode": "html"}),
        ("extract", {"target": "#out", "mode": "attribute", "attribute": "title"}),
        ("evaluate", {"expression": "p.value"}),
        ("evaluate", {"expression": "({[p.value]: [p.value, {deep: p.value}]})"}),
        ("evaluate", {"expression": "btoa(unescape(encodeURIComponent('me:' + p.value)))"}),
        ("evaluate", {"expression": "Number(p.value) || 0"}),
        ("evaluate", {"expression": "throw new Error(p.value)"}),
        ("find", {"text": "typed"}),
        ("screenshot", {"annotate": True}),
        ("click", {"target": "#no-such-thing"}),
        ("wait", {"text": value, "seconds": 0.1}),
        ("wait", {"url": "/never", "seconds": 0.1}),
        ("batch", {"steps": [{"action": "extract"}, {"action": "evaluate", "expression": "throw p.value"}]}),
        ("type", {"target": "#no-such-field", "text": value}),
        ("status", {}),
        ("tabs", {}),
        ("click", {"target": "#say"}),
        ("snapshot", {}),
        ("dialog", {"accept": True}),
    ]
    for verb, arguments in steps:
        await collector.run(parse(verb, arguments))
    journal = (settings.home_folder / "sessions" / "agent.jsonl").read_text(encoding="utf-8")
    everything = "\n".join([*collector.received, journal])
    assert [encoding for encoding in encodings(value) if encoding in everything] == []
    assert everything.count(f"[secret {name}]") > 20
    assert f'"value": "secret:{name}"' in journal


async def test_a_truncated_text_does_not_show_the_beginning_of_a_secret(agent: Session, site: Site) -> None:
    page = f"<p id=o></p><script>o.textContent = 'x'.repeat(9_990) + '{TOKEN}'</script>"
    await agent.navigate(site.page("/", page))
    read = (await agent.extract("#o")).result
    assert read.is_cut
    assert str(read.content[0]).endswith("x[secret to"), "redacted first, then cut"


async def test_progress_messages_are_redacted(agent: Session, site: Site) -> None:
    said: list[str] = []
    await agent.navigate(site.page("/", "<input id=n>"))
    batch = Batch(({"action": "fill", "target": "#n", "value": PIN},))
    await agent._engine.run(batch, report=lambda message, done, total: said.append(message))
    assert said == ["Fill #n [secret pin]"]


async def test_a_question_does_not_show_a_secret_that_the_page_shows(
    agent: Session, asking: AskingPolicy, site: Site
) -> None:
    await agent.navigate(site.page("/", f"<button>Copy {TOKEN}</button>"))
    asking.asks_about = Effect.ACT
    with pytest.raises(Denied):
        await agent.click("button")
    (request,) = asking.asked
    assert "[secret token]" in request.elements[0].line
    assert TOKEN not in repr(request)


async def test_a_policy_can_ask_about_secrets_and_the_person_sees_the_name(
    agent: Session, asking: AskingPolicy, site: Site
) -> None:
    await agent.navigate(at_login(site))
    asking.asks_about = Effect.SECRET
    await agent.fill("#n", "Bea")
    for is_yes in (False, True):
        asking.reply = ApprovalAnswer.ONCE if is_yes else ApprovalAnswer.NO
        attempts = [
            agent.fill("#p", "secret:shop"),
            agent.type("secret:shop", "#p"),
            agent.fill_form((FormField("#p", "secret:shop"),)),
        ]
        results = [await asyncio.gather(attempt, return_exceptions=True) for attempt in attempts]
        assert [isinstance(result[0], Denied) for result in results] == [not is_yes] * 3
        typed = (await agent.evaluate("p.value.length > 0")).result.value
        assert typed is is_yes
    assert len(asking.asked) == 6
    assert VALUE not in repr(asking.asked)
    assert all("secret:shop" in repr(request.arguments) for request in asking.asked)


async def test_the_elements_and_values_in_a_question_are_redacted(
    agent: Session, asking: AskingPolicy, site: Site
) -> None:
    await agent.navigate(site.page("/", f"<button>Send {PIN}</button><label>Name <input></label>"))
    asking.asks_about = Effect.ACT
    for attempt in (agent.click("button"), agent.fill("input", PIN)):
        with pytest.raises(Denied):
            await attempt
    assert PIN not in repr(asking.asked)
    assert asking.asked[0].elements[0].line == 'button "Send [secret pin]"'
    assert asking.asked[1].arguments["value"] == "[secret pin]"


async def test_the_secrets_file_in_home_is_used(settings: Settings, tmp_path: Path, site: Site) -> None:
    home = settings.home_folder / "h"
    home.mkdir(exist_ok=True)
    (home / "secrets.toml").write_text(f'[shop]\norigins = ["{site.url("")}"]\nvalue = "{TOKEN}"\n')
    (home / "secrets.toml").chmod(0o600)
    async with Sessions(replace(settings, home=home)) as sessions:
        session = Session(sessions, None)
        await session.navigate(at_login(site))
        await session.fill("#p", "secret:shop")
        await session.click("button")
    assert entered(site) == [TOKEN]


async def test_files_that_a_view_refers_to_have_no_secret(
    agent: Session, site: Site, _sessions_and_policy: tuple[Sessions, AskingPolicy]
) -> None:
    page = f"<p>{TOKEN}</p><script>console.log('{TOKEN}')</script>"
    engine = _sessions_and_policy[0].session("agent")
    outcome = await engine.run(Navigate(site.page("/", page)), view="aria")
    view = outcome.view
    assert view is not None
    assert view.snapshot_file is not None
    assert view.console is not None
    for file in (view.snapshot_file, view.console.path):
        text = Path(file).read_text(encoding="utf-8")
        assert TOKEN not in text
        assert "[secret token]" in text
