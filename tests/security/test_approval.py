"""G5, G6: Only a person can approve an action, and approval holds for what was shown. Asserts on servers' requests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tests.contract.test_registry import VERBS, example
from tests.reading import ref_of
from tests.shared_sessions import open_names, shared_session
from tests.site import OWN_SITES, Site

from rove import ApprovalAnswer, ApprovalRequest, FormField, PolicyRule, RoveError, RulePolicy, Session, Settings
from rove.action import parse, registry
from rove.engine.sessions import Sessions
from rove.errors import Denied
from rove.guard.policy import Policy
from rove.guard.policy_rules import Word
from rove.settings.tree import Deadlines

PRESSED = "fetch('/pressed')"
PAGE = f'<button id=go onclick="{PRESSED}">Go</button>'
# Sessions that try all actions, so that what one waits for is not waited for by all.
AGENTS = 3
Respond = Callable[[ApprovalRequest], Awaitable[ApprovalAnswer]]


class Person:
    """A person whose answer is computed by a function of the test."""

    def __init__(self, respond: Respond | None = None) -> None:
        self.respond = respond
        self.asked: list[ApprovalRequest] = []

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return await self.respond(request) if self.respond else ApprovalAnswer.ONCE


class AdjustableGate:
    """A policy and an approver that a test can replace while the browser runs."""

    def __init__(self) -> None:
        self.policy: Policy = RulePolicy()
        self.person = Person()

    def decide(self, action: Any, place: Any) -> Any:
        return self.policy.decide(action, place)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return await self.person.answer(request)

    def set_rules(self, *rules: PolicyRule, respond: Respond | None = None) -> Person:
        self.policy, self.person = RulePolicy(rules), Person(respond)
        return self.person


@pytest.fixture(scope="module")
async def shared(home: Path) -> AsyncGenerator[tuple[Sessions, AdjustableGate]]:
    gate = AdjustableGate()
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "approvals"), gate, gate) as sessions:
        yield sessions, gate


@pytest.fixture
async def guarded(shared: tuple[Sessions, AdjustableGate]) -> AsyncGenerator[Session]:
    sessions, gate = shared
    gate.set_rules()
    # Reset the limit on questions per minute, which earlier tests have used up.
    sessions._gate.approvals._asked.clear()
    async with shared_session(sessions, "guarded") as guarded:
        yield guarded
        gate.set_rules()


@pytest.fixture
def gate(shared: tuple[Sessions, AdjustableGate]) -> AdjustableGate:
    return shared[1]


def asking(*actions: str) -> PolicyRule:
    return PolicyRule("ask", action=actions)


async def test_an_agent_cannot_approve_its_own_request_with_any_action(
    shared: tuple[Sessions, AdjustableGate], guarded: Session, site: Site
) -> None:
    sessions, gate = shared
    answer: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
    asked = asyncio.Event()

    async def respond(request: ApprovalRequest) -> ApprovalAnswer:
        asked.set()
        return await answer

    gate.set_rules(
        PolicyRule("ask", action=("navigate",), origin=(site.url("").replace("127.0.0.1", "localhost"),)),
        PolicyRule("allow", action=tuple(VERBS)),  # also what is asked about by default
        respond=respond,
    )
    wanted = asyncio.ensure_future(guarded.navigate(site.page("/secret", "Secret").replace("127.0.0.1", "localhost")))
    await asked.wait()
    (request,) = sessions.pending_approvals

    async def attempt(agent: Session, verb: str, arguments: dict[str, Any]) -> None:
        with contextlib.suppress(RoveError):
            await agent.run(parse(verb, arguments), timeout=1)

    async def attempt_each(name: str, verbs: Sequence[str]) -> None:
        for verb in verbs:
            if name not in open_names(sessions):
                await sessions.open_session(name)
            agent, with_id = Session(sessions, name), _with(example(verb), request.id)
            # All at once: most of them wait for an element that there is not.
            approving = (with_id, {**with_id, "answer": "once"}, {**with_id, "approve": True})
            await asyncio.gather(*(attempt(agent, verb, arguments) for arguments in approving))
            assert [pending.id for pending in sessions.pending_approvals] == [request.id], verb
            assert not wanted.done(), verb
            assert site.asked("/secret") == [], verb

    await asyncio.gather(*(attempt_each(f"agent{number}", VERBS[number::AGENTS]) for number in range(AGENTS)))
    answer.set_result(ApprovalAnswer.NO)
    with pytest.raises(Denied):
        await wanted
    assert site.asked("/secret") == []
    for name in open_names(sessions) - {"guarded"}:
        await sessions.close_session(name)


def _with(value: Any, words: str) -> Any:
    """Return the arguments with every target replaced by these words."""
    if isinstance(value, dict):
        return {key: _with(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_with(item, words) for item in value]
    return words if value == "e12" else value


def test_no_action_or_argument_is_named_after_approval() -> None:
    words = ("approv", "grant", "consent", "permit", "allow", "policy")
    for verb, cls in registry().items():
        for name in (verb, *(field.name for field in fields(cls))):  # type: ignore[arg-type]
            assert not any(word in name for word in words), f"{verb}: {name}"


async def test_an_approval_holds_for_one_click(guarded: Session, gate: AdjustableGate, site: Site) -> None:
    person = gate.set_rules(asking("click"))
    await guarded.navigate(site.page("/", PAGE))
    for times in (1, 2):
        await guarded.click("#go")
        async with asyncio.timeout(30):
            while len(site.asked("/pressed")) < times:
                await guarded.wait(seconds=0.05)
        assert (len(person.asked), len(site.asked("/pressed"))) == (times, times)


async def test_an_approval_holds_for_the_value_that_was_shown(
    guarded: Session, gate: AdjustableGate, site: Site
) -> None:
    values: list[str] = []

    async def respond(request: ApprovalRequest) -> ApprovalAnswer:
        values.append(request.value["value"])
        return ApprovalAnswer.ONCE if request.value == {"value": "10"} else ApprovalAnswer.NO

    gate.set_rules(asking("fill"), respond=respond)
    await guarded.navigate(site.page("/", "<input aria-label=Amount>"))
    await guarded.fill("input", "10")
    with pytest.raises(Denied):
        await guarded.fill("input", "1000")
    assert values == ["10", "1000"]
    assert (await guarded.evaluate("document.querySelector('input').value")).result.value == "10"


async def test_the_person_sees_the_element_as_the_page_shows_it(
    guarded: Session, gate: AdjustableGate, site: Site
) -> None:
    person = gate.set_rules(asking("click", "drag", "fill_form"))
    await guarded.navigate(site.page("/", PAGE + "<input aria-label=Name><input aria-label=Town>"))
    await guarded.click("#go")
    await guarded.fill_form((FormField("[aria-label=Name]", "Bea"), FormField("[aria-label=Town]", "Bath")))
    click, form = person.asked
    assert [(shown.argument, shown.line) for shown in click.elements] == [("target", 'button "Go"')]
    assert click.origins == (site.url(""),)
    assert [(shown.argument, shown.line.split(" (")[0]) for shown in form.elements] == [
        ("fields.0.target", 'textbox "Name"'),
        ("fields.1.target", 'textbox "Town"'),
    ]
    assert (await guarded.evaluate("document.querySelectorAll('input')[1].value")).result.value == "Bath"


CHANGES = {
    "another origin": "location.href = location.href.replace('127.0.0.1', 'localhost')",
    "another name": "go.textContent = 'Pay'",
    "a twin in its place": "go.replaceWith(go.cloneNode(true))",
    "another element that the selector finds": "go.id = ''; document.body.innerHTML += '<button id=go>Pay</button>'",
}


@pytest.mark.parametrize("name", CHANGES)
async def test_a_change_before_the_answer_is_asked_about_again(
    guarded: Session, gate: AdjustableGate, site: Site, name: str
) -> None:
    async def respond(request: ApprovalRequest) -> ApprovalAnswer:
        if len(person.asked) > 1:
            return ApprovalAnswer.NO
        await guarded.evaluate(CHANGES[name])
        await guarded.wait(selector="#go")
        return ApprovalAnswer.ONCE

    person = gate.set_rules(asking("click"), respond=respond)
    await guarded.navigate(site.page("/", PAGE))
    with pytest.raises(Denied):
        await guarded.click("#go")
    assert len(person.asked) == 2
    assert person.asked[0].covers(person.asked[1]) is False
    assert site.asked("/pressed") == []


async def test_a_script_is_asked_about_again_if_the_page_navigates_before_the_answer(
    guarded: Session, gate: AdjustableGate, site: Site
) -> None:
    async def respond(request: ApprovalRequest) -> ApprovalAnswer:
        if len(person.asked) > 1:
            return ApprovalAnswer.NO
        await guarded.click("a")
        return ApprovalAnswer.ONCE

    person = gate.set_rules(asking("evaluate"), respond=respond)
    elsewhere = site.page("/elsewhere", "<h1>Elsewhere</h1>").replace("127.0.0.1", "localhost")
    await guarded.navigate(site.page("/", f'<a href="{elsewhere}">Go</a>'))
    with pytest.raises(Denied):
        await guarded.evaluate(PRESSED)
    assert [request.origins for request in person.asked] == [(site.url(""),), (elsewhere.removesuffix("/elsewhere"),)]
    assert site.asked("/pressed") == []


async def test_an_approval_after_the_deadline_is_a_denial(home: Path, site: Site) -> None:
    late = asyncio.Event()

    class Slow(Person):
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            try:
                await late.wait()
            except asyncio.CancelledError:
                return ApprovalAnswer.ONCE  # a channel that ignores cancellation
            return ApprovalAnswer.ONCE

    settings = Settings(allow_host=OWN_SITES, home=home / "late", deadlines=Deadlines(approval=0.2))
    async with Sessions(settings, RulePolicy((asking("click"),)), Slow()) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", PAGE))
        with pytest.raises(Denied):
            await session.click("#go")
    assert site.asked("/pressed") == []


@pytest.mark.parametrize("target", ["ref", "#inside", 'button "Inside"'])
async def test_an_action_in_a_frame_must_be_allowed_for_the_page_and_for_the_frame(
    guarded: Session, gate: AdjustableGate, site: Site, target: str
) -> None:
    other = site.page("/frame", f'<button id=inside onclick="{PRESSED}">Inside</button>').replace(
        "127.0.0.1", "localhost"
    )
    page = await guarded.navigate(site.page("/", f"{PAGE}<iframe src='{other}' width=300 height=200></iframe>"))
    ref = ref_of((await guarded.snapshot()).result.text, "Inside")
    frame_origin = other.removesuffix("/frame")
    target = ref if target == "ref" else target

    gate.set_rules(PolicyRule("deny", effect=("act",), origin=(frame_origin,)))
    with pytest.raises(Denied):
        await guarded.click(target)
    # Permission to act on the page does not include frames of other sites in it.
    gate.set_rules(PolicyRule("allow", origin=(site.url(""),)), PolicyRule("deny", effect=("act",)))
    with pytest.raises(Denied):
        await guarded.click(target)
    assert site.asked("/pressed") == []
    await guarded.click("#go")
    assert len(site.asked("/pressed")) == 1

    person = gate.set_rules(asking("click"))
    await guarded.click(target)
    assert person.asked[0].origins == (site.url(""), frame_origin)
    assert page.url == site.url("/")


async def test_an_empty_page_has_the_origin_of_its_opener(guarded: Session, gate: AdjustableGate, site: Site) -> None:
    opener = (
        "const page = window.open('').document;"
        "page.body.innerHTML = '<button>Press</button>'; page.body.onclick = () => fetch('/pressed')"
    )
    await guarded.navigate(site.page("/", f'<button onclick="{opener}">Open</button>'))
    await guarded.click('button "Open"')
    await guarded.tabs("switch", (await guarded.tabs()).result.tabs[-1].id)
    gate.set_rules(PolicyRule("deny", effect=("act",), origin=(site.url(""),)))
    with pytest.raises(Denied):
        await guarded.click('button "Press"')
    assert site.asked("/pressed") == []


async def test_the_rules_of_a_page_apply_to_its_dialogs(guarded: Session, gate: AdjustableGate, site: Site) -> None:
    await guarded.navigate(
        site.page("/", "<button onclick=\"if (confirm('Delete all?')) fetch('/pressed')\">Go</button>")
    )
    await guarded.click("button")
    gate.set_rules(PolicyRule("deny", action=("dialog",), origin=(site.url(""),)))
    with pytest.raises(Denied):
        await guarded.dialog(True)
    person = gate.set_rules(asking("dialog"))
    await guarded.dialog(False)
    assert [shown.line for shown in person.asked[0].elements] == ['confirm dialog "Delete all?"']
    assert site.asked("/pressed") == []


async def test_a_file_is_not_sent_before_a_person_approves(guarded: Session, gate: AdjustableGate, site: Site) -> None:
    workspace = guarded._engine.settings.workspace_folder
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / "notes.txt").write_text("private")
    sends = "fetch('/sent', {method: 'POST', body: f.files[0]})"
    await guarded.navigate(site.page("/", f'<input type=file id=f aria-label=Notes onchange="{sends}">'))

    async def no(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.NO

    gate.policy, gate.person = RulePolicy(defaults={"send_file": "ask"}), Person(no)
    with pytest.raises(Denied):
        await guarded.upload("#f", ("notes.txt",))
    assert site.asked("/sent") == []
    assert gate.person.asked[0].value == {"paths": ["notes.txt"]}
    gate.person = Person()
    await guarded.upload("#f", ("notes.txt",))
    await guarded.wait(load="load")
    assert {request.body for request in site.asked("/sent")} == {b"private"}


async def test_steps_that_are_asked_about_together_are_denied_together(
    guarded: Session, gate: AdjustableGate, site: Site
) -> None:
    async def no(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.NO

    person = gate.set_rules(asking("click", "fill"), respond=no)
    await guarded.navigate(site.page("/", f"{PAGE}<input aria-label=Name>"))
    steps = ({"action": "fill", "target": "input", "value": "Bea"}, {"action": "click", "target": "#go"})
    with pytest.raises(Denied):
        await guarded.batch(steps)
    assert [len(request.steps) for request in person.asked] == [2]
    assert (await guarded.evaluate("document.querySelector('input').value")).result.value == ""
    assert site.asked("/pressed") == []


async def test_a_step_whose_element_has_changed_is_asked_about_separately(
    guarded: Session, gate: AdjustableGate, site: Site
) -> None:
    person = gate.set_rules(asking("click", "check"))
    page = f"<input type=checkbox aria-label=All onchange=\"go.textContent = 'Delete all'\">{PAGE}"
    await guarded.navigate(site.page("/", page))
    await guarded.batch(({"action": "check", "target": "input"}, {"action": "click", "target": "#go"}))
    together, alone = person.asked
    assert len(together.steps) == 2
    assert [shown.line for shown in alone.elements] == ['button "Delete all"']
    assert len(site.asked("/pressed")) == 1


@pytest.mark.parametrize("word", ["deny", "ask"])
async def test_no_action_shows_a_page_that_may_not_be_read(
    guarded: Session, gate: AdjustableGate, site: Site, word: Word
) -> None:
    secret = site.page("/secret", "<title>Bank</title><p>Secret").replace("127.0.0.1", "localhost")
    secret_tab = (await guarded.tabs("new", url=secret)).tab
    await guarded.tabs("new", url=site.page("/", f'<a href="{secret}">Go</a>'))
    away = site.page("/away", "", status=302, headers={"Location": secret})
    gate.set_rules(PolicyRule(word, effect=("read",), origin=(secret.removesuffix("/secret"),)))
    for outcome in (
        await guarded.click("a"),
        await guarded.navigate(away),
        await guarded.reload(),
        await guarded.tabs("switch", secret_tab),
        await guarded.batch(({"action": "navigate", "url": away},)),
    ):
        assert "Secret" not in str(outcome)
    assert "not shown" in {event.kind for event in (await guarded.reload()).events}
    gate.set_rules()
    assert "Secret" in (await guarded.snapshot()).result.text
