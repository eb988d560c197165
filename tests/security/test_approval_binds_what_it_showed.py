"""G6: An approval holds for the bytes, the form and the link that it showed. Asserts on what servers received."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.faults.recovery_checks import eventually
from tests.site import OWN_SITES, Site

from rove import ApprovalAnswer, ApprovalRequest, PolicyRule, RulePolicy, Session, Settings
from rove.browser.consequences import Consequence
from rove.engine.sessions import Sessions
from rove.errors import Denied
from rove.toolsets.approval_text import card

Respond = Callable[[ApprovalRequest], Awaitable[ApprovalAnswer]]
ASKS = ("click", "press", "type", "upload", "check")
SEND = "fetch('/files', {method: 'POST', body: f.files[0]})"
FILE_PAGE = f'<input type=file id=f multiple onchange="{SEND}">'


class Person:
    """A person who says yes to every request, after a function of the test has run."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []
        self.before_answer: Respond | None = None

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return await self.before_answer(request) if self.before_answer else ApprovalAnswer.ONCE


@pytest.fixture(scope="module")
async def shared(home: Path) -> AsyncGenerator[tuple[Sessions, Person]]:
    person = Person()
    policy = RulePolicy((PolicyRule("ask", action=ASKS),))
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "bound"), policy, person) as sessions:
        yield sessions, person


@pytest.fixture
def person(shared: tuple[Sessions, Person]) -> Person:
    person = shared[1]
    person.asked, person.before_answer = [], None
    return person


@pytest.fixture
async def agent(shared: tuple[Sessions, Person], person: Person) -> AsyncGenerator[Session]:
    """One session for all tests, as each new one takes a process of the browser."""
    sessions, _ = shared
    sessions._gate.approvals._asked.clear()
    name = "bound"
    if all(known["session"] != name for known in sessions.sessions()):
        await sessions.open_session(name)
    session = Session(sessions, name)
    yield session
    sessions._gate.approvals.forget(name)
    for tab in (await session.tabs()).result.tabs[1:]:
        await session.tabs("close", tab.id)


@pytest.fixture
def workspace(shared: tuple[Sessions, Person]) -> Path:
    folder = shared[0].settings.workspace_folder
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def elsewhere(site: Site) -> str:
    return site.url("/evil", "localhost")


def sent(site: Site) -> list[str]:
    return [
        request.path.partition("?")[0] for request in site.requests if "sent" in request.path or "evil" in request.path
    ]


def of_kind(request: ApprovalRequest, *kinds: str) -> list[Consequence]:
    return [each for each in request.consequences if each.kind in kinds]


# Files


async def test_an_upload_shows_name_size_and_digest_of_the_bytes_that_are_sent(
    agent: Session, person: Person, site: Site, workspace: Path
) -> None:
    (workspace / "a.txt").write_bytes(b"alpha")
    (workspace / "b.txt").write_bytes(b"beta!!")
    await agent.navigate(site.page("/", FILE_PAGE))
    await agent.upload("#f", ("a.txt", "b.txt"))
    await agent.wait(load="load")
    shown = of_kind(person.asked[0], "file")
    assert [(each.name, each.size, each.sha256) for each in shown] == [
        ("a.txt", 5, hashlib.sha256(b"alpha").hexdigest()),
        ("b.txt", 6, hashlib.sha256(b"beta!!").hexdigest()),
    ]
    assert f'File: "a.txt", 5 bytes, SHA-256 {hashlib.sha256(b"alpha").hexdigest()[:16]}' in card(person.asked[0])
    assert [request.body for request in site.asked("/files")] == [b"alpha"]


def _replace(path: Path) -> None:
    new = path.with_name("new")
    new.write_bytes(b"evil")
    new.rename(path)


def _replace_with_same_size_and_time(path: Path) -> None:
    facts = path.stat()
    path.write_bytes(b"omega")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def _write_by_hard_link(path: Path) -> None:
    link = path.with_name("link")
    link.unlink(missing_ok=True)
    link.hardlink_to(path)
    link.write_bytes(b"evil")


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"!")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "replaced": _replace,
    "same size and time": _replace_with_same_size_and_time,
    "by a hard link": _write_by_hard_link,
    "appended": _append,
    "truncated": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("name", CHANGES)
async def test_a_file_that_changes_after_the_question_is_asked_about_again(
    agent: Session, person: Person, site: Site, workspace: Path, name: str, drop: bool
) -> None:
    file = workspace / "notes.txt"
    file.write_bytes(b"alpha")

    async def change(request: ApprovalRequest) -> ApprovalAnswer:
        if len(person.asked) > 1:
            return ApprovalAnswer.NO
        CHANGES[name](file)
        return ApprovalAnswer.ONCE

    person.before_answer = change
    await agent.navigate(site.page("/", FILE_PAGE))
    with pytest.raises(Denied):
        await agent.upload("#f", ("notes.txt",), drop)
    first, second = (of_kind(request, "file")[0].sha256 for request in person.asked)
    assert first == hashlib.sha256(b"alpha").hexdigest() != second
    assert site.asked("/files") == []


async def test_a_file_that_becomes_a_link_after_the_question_is_not_sent(
    agent: Session, person: Person, site: Site, workspace: Path
) -> None:
    file = workspace / "notes.txt"
    file.write_bytes(b"alpha")
    outside = workspace.parent / "outside.txt"
    outside.write_bytes(b"alpha")

    async def change(request: ApprovalRequest) -> ApprovalAnswer:
        file.unlink()
        file.symlink_to(outside)
        return ApprovalAnswer.ONCE

    person.before_answer = change
    await agent.navigate(site.page("/", FILE_PAGE))
    with pytest.raises(Denied):
        await agent.upload("#f", ("notes.txt",))
    file.unlink()
    assert site.asked("/files") == []


async def test_a_file_that_changes_between_the_last_check_and_the_copy_is_not_sent(
    agent: Session, person: Person, site: Site, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rove.browser.shared.input import InputDevices

    file = workspace / "notes.txt"
    file.write_bytes(b"alpha")
    copy = InputDevices.copy_files

    async def change_then_copy(self: InputDevices, paths: tuple[str, ...]) -> list[Path]:
        file.write_bytes(f"evil {len(person.asked)}".encode())
        return await copy(self, paths)

    monkeypatch.setattr(InputDevices, "copy_files", change_then_copy)
    await agent.navigate(site.page("/", FILE_PAGE))
    with pytest.raises(Denied):
        await agent.upload("#f", ("notes.txt",))
    assert len(person.asked) == 3
    assert site.asked("/files") == []


async def test_a_step_of_a_batch_sends_the_file_that_was_shown(
    agent: Session, person: Person, site: Site, workspace: Path
) -> None:
    file = workspace / "notes.txt"
    file.write_bytes(b"alpha")

    async def change(request: ApprovalRequest) -> ApprovalAnswer:
        file.write_bytes(b"evil")
        return ApprovalAnswer.ONCE if len(person.asked) == 1 else ApprovalAnswer.NO

    person.before_answer = change
    await agent.navigate(site.page("/", f"{FILE_PAGE}<button id=b>B</button>"))
    steps = ({"action": "click", "target": "#b"}, {"action": "upload", "target": "#f", "paths": ["notes.txt"]})
    with pytest.raises(Denied):
        await agent.batch(steps)
    assert [len(request.steps) for request in person.asked] == [2, 0]
    assert site.asked("/files") == []


# Forms and links

FORMS = {
    "plain": ("<form action=/sent><input name=a value=1><button id=b>B</button></form>", "GET", "/sent", "", ""),
    "post": (
        "<form action=/sent method=POST enctype=multipart/form-data target=_blank><button id=b>B</button></form>",
        "POST", "/sent", "multipart/form-data", "_blank",
    ),
    "of the button": (
        "<form action=/x><button id=b formaction=/sent formmethod=post formenctype=text/plain formtarget=f>B</button>"
        "</form><iframe name=f></iframe>",
        "POST", "/sent", "text/plain", "f",
    ),
    "base": (
        "<base href=/deep/ target=_blank><form action=sent><button id=b>B</button></form>",
        "GET", "/deep/sent", "", "_blank",
    ),
    "outside of the form": ("<form id=o action=/sent></form><button id=b form=o>B</button>", "GET", "/sent", "", ""),
    "no action": (
        "<form method=post><input type=submit id=b></form>", "POST", "/", "application/x-www-form-urlencoded", "",
    ),
    "an image": ("<form action=/sent><input type=image id=b alt=B></form>", "GET", "/sent", "", ""),
    "a label": (
        "<form action=/sent><input type=submit id=s></form><label id=b for=s>Label</label>", "GET", "/sent", "", "",
    ),
    "shadowed names": (
        "<form action=/sent method=post><input name=action value=/no><input name=method><input name=elements>"
        "<button id=b>B</button></form>",
        "POST", "/sent", "application/x-www-form-urlencoded", "",
    ),
}  # fmt: skip


async def test_the_person_sees_where_a_form_goes(agent: Session, person: Person, site: Site) -> None:
    for html, method, path, encoding, target in FORMS.values():
        site.page("/sent", "Sent")
        await agent.navigate(site.page("/", html))
        await agent.click("#b")
        (form,) = of_kind(person.asked[-1], "form")
        assert (form.method, form.url, form.encoding, form.target) == (method, site.url(path), encoding, target), html
        assert f"Sends a form: {method} {site.url(path)}" in card(person.asked[-1])


async def test_the_person_sees_the_fields_of_a_form_without_passwords(
    agent: Session, person: Person, site: Site
) -> None:
    html = (
        "<form action=/sent><input name=to value=Bea><input type=hidden name=amount value=10><input name=off disabled>"
        "<input type=password name=pin value=1234><input type=checkbox name=no>"
        "<input type=radio name=r value=2 checked>"
        "<select name=s><option>x<option selected>y</select><textarea name=t>text</textarea><input value=unnamed>"
        "<button name=go value=1 id=b>B</button><button name=other value=1>C</button></form>"
    )
    await agent.navigate(site.page("/", html))
    await agent.click("#b")
    (form,) = of_kind(person.asked[0], "form")
    fields = {"to": "Bea", "amount": "10", "pin": None, "r": "2", "s": "y", "t": "text", "go": "1"}
    assert {field.name: field.value for field in form.fields} == fields
    assert "1234" not in card(person.asked[0])


KEYS = {
    "enter in a field": ("<form action=/sent><input id=i><button>B</button></form>", "Enter", "/sent"),
    "its first button": (
        "<form action=/x><input id=i><button type=button>A</button><button formaction=/sent>B</button></form>",
        "Enter", "/sent",
    ),
    "the only field": ("<form action=/sent><input id=i></form>", "Enter", "/sent"),
    "two fields without a button": ("<form action=/sent><input id=i><input></form>", "Enter", None),
    "space on a button": ("<form action=/sent><button id=i>B</button></form>", "Space", "/sent"),
    "enter on a link": ("<a id=i href=/sent>A</a>", "Enter", "/sent"),
    "another key": ("<form action=/sent><input id=i><button>B</button></form>", "a", None),
}  # fmt: skip


async def test_the_person_sees_what_a_key_sends(agent: Session, person: Person, site: Site) -> None:
    site.page("/sent", "Sent")
    for html, key, path in KEYS.values():
        await agent.navigate(site.page("/", html))
        await agent.press(key, "#i")
        shown = [each.url for each in of_kind(person.asked[-1], "form", "link")]
        assert shown == ([site.url(path)] if path else []), html
    await agent.navigate(site.page("/", KEYS["the only field"][0]))
    await agent.type("x", "#i", True)
    assert [each.url for each in of_kind(person.asked[-1], "form")] == [site.url("/sent")]


async def test_the_person_sees_where_a_link_leads_and_that_scripts_decide(
    agent: Session, person: Person, site: Site
) -> None:
    site.page("/sent", "Sent")
    await agent.navigate(
        site.page(
            "/", "<a href=/sent><b id=x>Link</b></a><a id=y href='javascript:void 0'>Script</a><button id=z>Go</button>"
        )
    )
    for target in ("#y", "#z", "#x"):
        await agent.click(target)
    script, button, link = person.asked
    assert [each.kind for request in person.asked for each in request.consequences] == ["script", "link"]
    assert of_kind(link, "link")[0].url == site.url("/sent")
    assert "Runs the script of a link: javascript:void 0" in card(script)
    assert "scripts decide what this does: that cannot be known beforehand" in card(button)
    assert "scripts may do more" in card(link)


LATE = {
    "mousedown": "b.onmousedown = () => f.action = evil",
    "mouseup": "b.onmouseup = () => f.action = evil",
    "focus": "b.onfocus = () => f.action = evil",
    "click, captured": "addEventListener('click', () => f.action = evil, true)",
    "submit": "f.onsubmit = () => { f.action = evil }",
    "formaction": "b.onclick = () => b.setAttribute('formaction', evil)",
    "a base": "b.onclick = () => { document.head.innerHTML = `<base href=${evil}>` }",
    "a new tab": "b.onmousedown = () => { f.target = '_blank'; f.action = evil }",
    "a frame": "b.onmousedown = () => { f.target = 'frame'; f.action = evil }",
    "another method": "b.onmousedown = () => { f.method = 'get' }",
    "another encoding": "b.onmousedown = () => { f.enctype = 'text/plain' }",
    "another form": "b.onclick = (event) => { event.preventDefault(); g.submit() }",
    "a navigation": "b.onclick = (event) => { event.preventDefault(); location.href = evil }",
    "a window": "b.onclick = (event) => { event.preventDefault(); open(evil) }",
}


@pytest.mark.parametrize("name", LATE)
async def test_a_form_that_changes_during_the_press_is_stopped_and_asked_about_again(
    agent: Session, person: Person, site: Site, name: str
) -> None:
    async def first_only(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.ONCE if len(person.asked) == 1 else ApprovalAnswer.NO

    person.before_answer = first_only
    html = (
        "<form id=f action=/sent method=post><input name=a value=1><button id=b>B</button></form>"
        f"<iframe name=frame></iframe><form id=g method=post action={elsewhere(site)}></form>"
        f"<script>const evil = '{elsewhere(site)}';{LATE[name]}</script>"
    )
    await agent.navigate(site.page("/", html))
    with pytest.raises(Denied):
        await agent.click("#b")
    assert len(person.asked) == 2
    assert of_kind(person.asked[1], "went")
    assert sent(site) == []


EARLY = {
    "action": "f.action = evil",
    "method": "f.method = 'get'",
    "target": "f.target = '_blank'",
    "a field": "f.a.value = '1000'",
    "a hidden field": "f.insertAdjacentHTML('beforeend', '<input type=hidden name=x value=y>')",
    "another form": "g.append(b)",
}


@pytest.mark.parametrize("name", EARLY)
async def test_a_form_that_changes_before_the_answer_is_asked_about_again(
    agent: Session, person: Person, site: Site, name: str
) -> None:
    async def change(request: ApprovalRequest) -> ApprovalAnswer:
        if len(person.asked) > 1:
            return ApprovalAnswer.NO
        await agent.evaluate(EARLY[name])
        return ApprovalAnswer.ONCE

    person.before_answer = change
    html = (
        "<form id=f action=/sent method=post><input name=a value=1><button id=b>B</button></form>"
        f"<form id=g action=/sent method=get></form><script>const evil = '{elsewhere(site)}'</script>"
    )
    await agent.navigate(site.page("/", html))
    with pytest.raises(Denied):
        await agent.click("#b")
    assert len(person.asked) == 2
    assert sent(site) == []


async def test_a_link_that_changes_during_the_press_is_stopped(agent: Session, person: Person, site: Site) -> None:
    async def first_only(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.ONCE if len(person.asked) == 1 else ApprovalAnswer.NO

    for target in ("", "_blank"):
        person.asked, person.before_answer = [], first_only
        html = f"<a id=b href=/sent target='{target}' onmousedown=\"this.href='{elsewhere(site)}'\">Link</a>"
        await agent.navigate(site.page("/", html))
        with pytest.raises(Denied):
            await agent.click("#b")
        assert len(person.asked) == 2
    assert sent(site) == []


# Acts that show no form or link, or one that opens in another tab.
LED_AWAY: dict[str, tuple[str, Callable[[Session], Awaitable[Any]]]] = {
    "a button": ("<button id=b onclick=\"location = '{evil}'\">B</button>", lambda agent: agent.click("#b")),
    "typing": ("<input id=b oninput=\"location = '{evil}'\">", lambda agent: agent.type("x", "#b")),
    "an upload": (
        "<form method=post enctype=multipart/form-data><input type=file name=f id=b "
        "onchange=\"form.action = '{evil}'; form.submit()\"></form>",
        lambda agent: agent.upload("#b", ("notes.txt",)),
    ),
    "Control": (
        "<a id=b href=/sent onmousedown=\"this.href = '{evil}'\">B</a>",
        lambda agent: agent.click("#b", modifiers=("Control",)),
    ),
    "the middle button": (
        "<a id=b href=/sent onmousedown=\"this.href = '{evil}'\">B</a>",
        lambda agent: agent.click("#b", button="middle"),
    ),
}


@pytest.mark.parametrize("name", LED_AWAY)
async def test_an_act_that_leads_to_another_origin_is_stopped_and_asked_about_again(
    agent: Session, person: Person, site: Site, workspace: Path, name: str
) -> None:
    (workspace / "notes.txt").write_bytes(b"alpha")
    html, act = LED_AWAY[name]

    async def refuse_second(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.ONCE if len(person.asked) == 1 else ApprovalAnswer.NO

    person.before_answer = refuse_second
    await agent.navigate(site.page("/", html.format(evil=elsewhere(site))))
    with pytest.raises(Denied):
        await act(agent)
    assert [each.url for each in of_kind(person.asked[1], "went")] == [elsewhere(site)]
    assert sent(site) == []


async def _refuse_second(person: Person, request: ApprovalRequest) -> ApprovalAnswer:
    return ApprovalAnswer.ONCE if len(person.asked) == 1 else ApprovalAnswer.NO


async def test_a_frame_with_what_was_shown_does_not_let_the_page_go_elsewhere(
    agent: Session, person: Person, site: Site
) -> None:
    person.before_answer = partial(_refuse_second, person)
    site.page("/sent", "Sent")
    html = (
        "<a id=b href=/sent>B</a><iframe name=f></iframe><script>b.onmousedown = () => { f.src = '/sent' };"
        "const [f] = document.getElementsByName('f');"
        f"const leave = () => {{ location = '{elsewhere(site)}' }};"
        "b.onclick = (event) => { event.preventDefault(); f.onload = leave }</script>"
    )
    await agent.navigate(site.page("/", html))
    with pytest.raises(Denied):
        await agent.click("#b")
    assert sent(site) == ["/sent"]


IN_A_NEW_TAB: dict[str, dict[str, Any]] = {"Control": {"modifiers": ("Control",)}, "middle": {"button": "middle"}}


@pytest.mark.parametrize("name", IN_A_NEW_TAB)
async def test_a_tab_that_is_not_the_current_one_is_held_with_the_tabs_that_it_opens(
    agent: Session, person: Person, site: Site, name: str
) -> None:
    person.before_answer = partial(_refuse_second, person)
    link = f"<a id=b href=/sent onmousedown=\"this.href = '{elsewhere(site)}'\">B</a>"
    await agent.navigate(site.page("/", link))
    (first,) = (await agent.tabs()).result.tabs
    await agent.tabs("new")
    with pytest.raises(Denied):
        await agent.using(tab=first.id).click("#b", **IN_A_NEW_TAB[name])
    assert [each.url for each in of_kind(person.asked[1], "went")] == [elsewhere(site)]
    assert sent(site) == []


@pytest.mark.engines("chromium", reason="a browser of the distribution")
@pytest.mark.parametrize("name", IN_A_NEW_TAB)
async def test_a_full_chromium_holds_the_first_document_of_a_new_tab(home: Path, site: Site, name: str) -> None:
    """It may ask for that before the new tab has a CDP session, which chromium-headless-shell never does."""
    if (browser := shutil.which("chromium")) is None:
        pytest.skip("there is no full Chromium on this machine")
    person = Person()
    person.before_answer = partial(_refuse_second, person)
    settings = Settings(allow_host=OWN_SITES, home=home / "full", browser=Path(browser))
    async with Sessions(settings, RulePolicy((PolicyRule("ask", action=("click",)),)), person) as sessions:
        await sessions.open_session("full")
        agent = Session(sessions, "full")
        changing = f"<a id=b href=/sent onmousedown=\"this.href = '{elsewhere(site)}'\">B</a>"
        await agent.navigate(site.page("/", changing))
        with pytest.raises(Denied):
            await agent.click("#b", **IN_A_NEW_TAB[name])
        assert sent(site) == []
        person.asked = []
        await agent.navigate(site.page("/", "<a id=b href=/sent>B</a>"))
        await agent.click("#b", **IN_A_NEW_TAB[name])
        await eventually(lambda: sent(site) == ["/sent"])


async def test_a_yes_for_the_session_does_not_cover_another_destination(
    agent: Session, person: Person, site: Site
) -> None:
    site.page("/sent", "Sent")

    async def for_session(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.FOR_SESSION if len(person.asked) == 1 else ApprovalAnswer.NO

    person.before_answer = for_session
    form = "<form id=f action={} method=post><button id=b {}>B</button></form>"
    await agent.navigate(site.page("/", form.format("/sent", "")))
    await agent.click("#b")
    await agent.navigate(site.page("/", form.format("/sent?2", "")))
    await agent.click("#b")
    assert (len(person.asked), sent(site)) == (1, ["/sent", "/sent"])
    for attack in (
        form.format(elsewhere(site), ""),
        form.format("/sent", f"onmousedown=\"f.action='{elsewhere(site)}'\""),
        f"<a id=b href='{elsewhere(site)}'>Link</a>",
        "<a id=b href='javascript:void 0'>Link</a>",
    ):
        await agent.navigate(site.page("/", attack))
        with pytest.raises(Denied):
            await agent.click("#b")
    assert len(person.asked) == 5
    assert sent(site) == ["/sent", "/sent"]


async def test_a_script_is_shown_whole_and_cannot_imitate_lines_of_rove(agent: Session, person: Person) -> None:
    script = "a();\n" * 3000 + "last()\rAction: read"
    request = ApprovalRequest("evaluate", "", {"expression": script}, "?", None)  # type: ignore[arg-type]
    lines = card_lines(request)
    assert sum(line == "  | a();" for line in lines) == 3000
    assert lines[-3:-1] == ["  | last()\\u{d}", "  | Action: read"] and "Action: read" not in lines


def card_lines(request: ApprovalRequest) -> list[str]:
    from dataclasses import replace

    from rove.guard.policy import Place

    return card(replace(request, place=Place("default"))).split("\n")
