"""G6: An action that a policy denies in a frame is also denied through a point, the focus or the frame element."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.site import OWN_SITES, Site

from rove import ApprovalAnswer, ApprovalRequest, PolicyRule, RulePolicy, Session, Settings
from rove.engine.sessions import Sessions
from rove.errors import Denied, ElementNotReady
from rove.guard.policy import Policy
from rove.toolsets.outcome_text import as_text

BANK = (
    "<title>Savings</title><style>* { margin: 0 }</style><p>Balance 7</p>"
    "<button id=pay style='position: absolute; inset: 0; width: 200px; height: 50px' onclick=\"fetch('/paid')\">Pay"
    "</button><input id=sum style='position: absolute; top: 60px' oninput=\"fetch('/typed')\">"
)
FRAME = "<style>* { margin: 0 }</style><iframe id=bank style='height: 200px; border: 0' src='%s'></iframe>"


class AdjustableGate:
    """A policy and an approver that a test can replace while the browser runs."""

    def __init__(self) -> None:
        self.policy: Policy = RulePolicy()
        self.asked: list[ApprovalRequest] = []
        self.before_answer: Any = None

    def decide(self, action: Any, place: Any) -> Any:
        return self.policy.decide(action, place)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        if self.before_answer:
            await self.before_answer()
        return ApprovalAnswer.ONCE


@pytest.fixture(scope="module")
async def shared(home: Path) -> AsyncGenerator[tuple[Session, AdjustableGate]]:
    gate = AdjustableGate()
    async with Sessions(Settings(allow_host=OWN_SITES, home=home), gate, gate) as sessions:
        yield Session(sessions, None), gate


@pytest.fixture
def gate(shared: tuple[Session, AdjustableGate]) -> AdjustableGate:
    shared[1].__init__()  # type: ignore[misc]
    return shared[1]


@pytest.fixture
def agent(shared: tuple[Session, AdjustableGate], gate: AdjustableGate) -> Session:
    return shared[0]


def bank_of(site: Site) -> str:
    site.page("/bank", BANK)
    return site.url("/bank", host="localhost")


def done_at(site: Site) -> list[str]:
    return [request.path for request in site.requests if request.path in ("/paid", "/typed")]


def denying(site: Site, effect: str) -> RulePolicy:
    return RulePolicy((PolicyRule("deny", effect=(effect,), origin=(f"http://localhost:{site.port}",)),))


async def in_a_frame(agent: Session, site: Site, attributes: str = "", beside: str = "") -> None:
    await agent.navigate(site.page("/", FRAME % bank_of(site).replace("'", f"' {attributes}") + beside))
    await agent.wait(text="Balance")


@pytest.mark.parametrize("sandbox", ["", "sandbox='allow-scripts'"])
async def test_g6_a_point_in_a_denied_frame_is_denied(
    agent: Session, gate: AdjustableGate, site: Site, sandbox: str
) -> None:
    page = f"<style>* {{ margin: 0 }}</style><iframe {sandbox} style='border: 0' src='{bank_of(site)}'></iframe>"
    await agent.navigate(site.page("/", page))
    await agent.wait(text="Balance")
    gate.policy = denying(site, "act")
    with pytest.raises(Denied):
        await agent.click("50,20")
    with pytest.raises(Denied):
        await agent.drag("50,20", "60,30")
    assert done_at(site) == []


async def test_g6_keys_do_not_go_into_a_denied_frame(agent: Session, gate: AdjustableGate, site: Site) -> None:
    await in_a_frame(agent, site)
    await agent.click("#sum")
    gate.policy = denying(site, "act")
    for denied in (agent.type("5"), agent.press("5"), agent.type("5", "#bank"), agent.click("#bank")):
        with pytest.raises(Denied):
            await denied
    assert done_at(site) == []


async def test_g6_a_field_that_moves_the_focus_to_a_denied_frame_takes_no_keys(
    agent: Session, gate: AdjustableGate, site: Site
) -> None:
    await in_a_frame(agent, site, beside="<input id=own onfocus=\"document.getElementById('bank').focus()\">")
    await agent.click("#sum")
    gate.policy = denying(site, "act")
    with pytest.raises(ElementNotReady):
        await agent.type("5", "#own")
    assert done_at(site) == []


async def test_g6_a_frame_that_may_not_be_read_is_left_out_of_its_page(
    agent: Session, gate: AdjustableGate, site: Site
) -> None:
    await in_a_frame(agent, site)
    gate.policy = denying(site, "read")
    assert "Balance" not in as_text(await agent.snapshot())
    assert "Balance" not in as_text(await agent.find(text="Balance"))
    assert "Balance" not in as_text(await agent.reload())
    gate.policy = RulePolicy()
    assert "Balance" in as_text(await agent.snapshot())


async def test_g6_lists_show_only_the_origin_of_a_page_that_may_not_be_read(
    agent: Session, gate: AdjustableGate, site: Site
) -> None:
    await agent.navigate(bank_of(site) + "?account=77")
    assert "account=77" in as_text(await agent.tabs())
    gate.policy = denying(site, "read")
    for text in (as_text(await agent.tabs()), as_text(await agent.status())):
        assert f"http://localhost:{site.port}" in text
        assert "account=77" not in text
        assert "Savings" not in text


async def test_g6_a_point_is_asked_about_again_if_another_element_is_there(
    agent: Session, gate: AdjustableGate, site: Site
) -> None:
    spot = "position: absolute; left: 0; width: 200px; height: 60px; top: "
    await agent.navigate(
        site.page("/", f"<button id=a style='{spot} 0'>Keep</button><button id=b style='{spot} 300px'>Pay</button>")
    )
    gate.policy = RulePolicy((PolicyRule("ask", action=("click",)),))

    async def swap() -> None:
        gate.before_answer = None
        await agent.evaluate("a.style.top = '300px', b.style.top = 0")

    gate.before_answer = swap
    await agent.click("50,30")
    assert ["Keep" in request.elements[0].line for request in gate.asked] == [True, False]
    assert "Pay" in gate.asked[1].elements[0].line


async def test_g6_a_question_about_a_key_shows_the_focused_element(
    agent: Session, gate: AdjustableGate, site: Site
) -> None:
    await agent.navigate(site.page("/", "<button autofocus>Delete all</button>"))
    gate.policy = RulePolicy((PolicyRule("ask", action=("press",)),))
    await agent.press("Enter")
    assert "Delete all" in gate.asked[0].elements[0].line
