"""What people do at sessions: live views, driving, hand-offs, holding the agent, snapshots, approvals."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal

from rove.browser.input_event import InputEvent, InputKind
from rove.engine.session_interface import ServedSession
from rove.errors import Denied, NotOpen
from rove.guard.policy import ApprovalAnswer
from rove.snapshot.budget import indented, line_of
from rove.snapshot.tree import Flag, Row
from rove.surfaces.gateway.approvals import Decision, no_request
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope

MAX_LINES = 3000

# The methods that decide on a request; they wait for nothing.
DECISIONS = frozenset({"exec.approve", "exec.deny"})


@method("live.start", Scope.VIEW)
class StartLive(Method):
    """Send frames of a session to this client: the event live.frame, which it acknowledges with live.ack."""

    session_key: str = arg("The session.")
    tab: str | None = arg("A tab; by default the current one, whichever that is.", default=None)
    max_width: int = arg("Widest picture, in pixels.", default=1280, ge=64, le=3840)
    quality: int = arg("Quality of the JPEG.", default=60, ge=1, le=100)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.live.start(client, self.session_key, self.tab, self.max_width, self.quality)
        return {}


@method("live.ack", Scope.VIEW)
class AcknowledgeFrame(Method):
    """Say that a frame was shown: the newest one is sent next."""

    session_key: str = arg("The session.")
    frame_id: int = arg("The frame.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.live.acknowledge(client, self.session_key, self.frame_id)
        return {}


@method("live.stop", Scope.VIEW)
class StopLive(Method):
    """Send no more frames of a session."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.live.stop(client, self.session_key)
        return {}


@method("live.take", Scope.APPROVE, returns="{driver}")
class TakeOver(Method):
    """Take a session over: from now on the person drives, and the agent waits."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        control = gateway.sessions.session(self.session_key).control
        await control.take(client.person)
        return {"driver": control.state.as_dict()}


@method("live.release", Scope.APPROVE, returns="{driver}")
class HandBack(Method):
    """Hand a session back to the agent."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        control = gateway.sessions.session(self.session_key).control
        # The owner may end what another person has left open.
        if (lease := control.lease) and (lease.person == client.person or client.token.allows(Scope.OWN)):
            await control.release(lease)
        return {"driver": control.state.as_dict()}


@method("live.input", Scope.APPROVE)
class SendInput(Method):
    """Send what a person does with mouse, keyboard, touch or clipboard to a session that they have taken over."""

    session_key: str = arg("The session.")
    type: InputKind = arg("What happened.")
    tab: str | None = arg("A tab; by default the current one.", default=None)
    x: float = arg("Point of the viewport, in CSS pixels.", default=0.0)
    y: float = arg("Point of the viewport, in CSS pixels.", default=0.0)
    button: Literal["left", "right", "middle"] = arg("Mouse button.", default="left")
    count: int = arg("2 for the second click of a double click.", default=1, ge=1, le=3)
    delta_x: float = arg("Pixels to scroll, with wheel.", default=0.0)
    delta_y: float = arg("Pixels to scroll, with wheel.", default=0.0)
    key: str = arg("As KeyboardEvent.key.", default="", max_length=40)
    code: str = arg("As KeyboardEvent.code.", default="", max_length=40)
    text: str = arg("With text and paste, and the answer to a prompt.", default="", max_length=100_000)
    modifiers: tuple[Literal["Alt", "Control", "Meta", "Shift"], ...] = arg("Keys that are held.", default=())
    accept: bool = arg("With dialog: OK, or Cancel.", default=True)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        session = gateway.sessions.session(self.session_key)
        lease = session.control.lease
        if lease is None or lease.person != client.person:
            raise Denied("You do not drive this session.", hint="Take it over first, with live.take.")
        await session.drive(lease, self._event, self.tab)
        return {}

    @property
    def _event(self) -> InputEvent:
        return InputEvent(
            self.type, self.x, self.y, self.button, self.count, self.delta_x, self.delta_y,
            self.key, self.code, self.text, self.modifiers, self.accept,
        )  # fmt: skip


@method("handoff.decline", Scope.ACT, Scope.APPROVE)
class DeclineHandoff(Method):
    """Refuse a hand-off that an agent asks for. The model is told the reason."""

    session_key: str = arg("The session.")
    handoff_id: str = arg("The hand-off.")
    reason: str = arg("Why not.", default="", max_length=500)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        control = gateway.sessions.session(self.session_key).control
        if not await control.decline(self.handoff_id, self.reason):
            raise NotOpen("There is no such hand-off: it is over.")
        return {}


@method("session.pause", Scope.ACT, Scope.APPROVE, returns="{sessions: [sessionKey]}", reach="sessions")
class PauseSession(Method):
    """Let no further action of the agent begin; one that runs ends by itself."""

    session_key: str | None = arg("The session; all that the token reaches if not given.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        sessions = _chosen(gateway, client, self)
        for session in sessions:
            await session.control.pause(client.person)
        return {"sessions": [session.name for session in sessions]}


@method("session.resume", Scope.APPROVE, returns="{sessions: [sessionKey]}", reach="sessions")
class ResumeSession(Method):
    """Let the agent go on."""

    session_key: str | None = arg("The session; all that the token reaches if not given.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        sessions = _chosen(gateway, client, self)
        for session in sessions:
            await session.control.resume(client.person)
        return {"sessions": [session.name for session in sessions]}


@method("session.step", Scope.APPROVE, returns="{sessions: [sessionKey]}", reach="sessions")
class StepSession(Method):
    """Let exactly one action of the agent run, and pause after it."""

    session_key: str | None = arg("The session; all that the token reaches if not given.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        sessions = _chosen(gateway, client, self)
        for session in sessions:
            await session.control.step(client.person)
        return {"sessions": [session.name for session in sessions]}


@method("session.stop", Scope.ACT, Scope.APPROVE, returns="{sessions: [sessionKey]}", reach="sessions")
class StopSession(Method):
    """End what the agent does now, its chat included, and let nothing else begin until it is resumed."""

    session_key: str | None = arg("The session; all that the token reaches if not given.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        sessions = _chosen(gateway, client, self)
        for session in sessions:
            await session.control.stop(client.person)
            await gateway.chats.abort(None, session.name)
        return {"sessions": [session.name for session in sessions]}


@method("session.picture", Scope.VIEW, returns="{mimeType, data}")
class SessionPicture(Method):
    """Return a picture of a tab now, or the one that was kept of a step."""

    session_key: str = arg("The session.")
    tab: str | None = arg("A tab; by default the current one.", default=None)
    step_id: str | None = arg("A step of the record.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        if self.step_id is not None:
            data = await gateway.pictures.read(self.session_key, self.step_id)
        else:
            data = await gateway.sessions.session(self.session_key).picture(self.tab)
        return {"mimeType": "image/jpeg", "data": b64encode(data).decode("ascii")}


@method("session.box", Scope.VIEW, returns="{x, y, width, height}")
class ElementBox(Method):
    """Return where an element is in the viewport now, to outline it."""

    session_key: str = arg("The session.")
    ref: str = arg("The element, such as e12.", max_length=40)
    tab: str | None = arg("A tab; by default the current one.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return dict(await gateway.sessions.session(self.session_key).element_box(self.ref, self.tab))


def _chosen(gateway: Gateway, client: Client, method: Method) -> list[ServedSession]:
    """Return the session that is named, or all that the client's token reaches."""
    if (name := method.given_session) is not None:
        return [gateway.sessions.session(name)]
    names = [str(facts["session"]) for facts in gateway.sessions.sessions()]
    return [gateway.sessions.session(name) for name in names if client.token.reaches(name, *method.needs)]


@method("session.snapshot", Scope.VIEW, returns="{url, lines: [{text, ref, isUnseen}], picture: {mimeType, data}}")
class SessionSnapshot(Method):
    """Return what the agent was last shown of a page, and a picture of it now.

    `isUnseen`: a person who looks at the page does not see this text. Looking does not change what the agent is told.
    """

    session_key: str = arg("The session.")
    tab: str | None = arg("A tab; by default the current one.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        session = gateway.sessions.session(self.session_key)
        seen = await session.seen(self.tab)
        if seen is None:
            raise NotOpen("The agent has not looked at this page yet.", hint="Wait for its first step.")
        picture = await _picture(session, self.tab)
        return {"url": seen.url, "lines": [_line(row) for row in seen.rows[:MAX_LINES]], "picture": picture}


def _line(row: Row) -> dict[str, Any]:
    is_unseen = bool(row.flags & Flag.UNSEEN)
    return {"text": indented(row, line_of(row)), "ref": row.ref or None, "isUnseen": is_unseen}


async def _picture(session: ServedSession, tab: str | None) -> dict[str, str] | None:
    try:
        data = await session.picture(tab)
    except NotOpen:
        return None
    return {"mimeType": "image/jpeg", "data": b64encode(data).decode("ascii")}


@method("approvals.list", Scope.VIEW, returns="{approvals: [data of exec.approval_request]}", reach="sessions")
class ListApprovals(Method):
    """List the requests that wait for a decision, oldest first."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {
            "approvals": [
                request
                for request in gateway.approvals.pending
                if client.token.reaches(request["sessionKey"], Scope.VIEW)
            ]
        }


@method("exec.approve", Scope.APPROVE, reach="sessions")
class Approve(Method):
    """Approve a request. The first decision of any client counts."""

    approval_id: str = arg("The request.")
    remember: Literal["once", "session"] = arg(
        "`session` also approves the same action at the same origin until the session is closed.", default="once"
    )

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        answer = ApprovalAnswer.FOR_SESSION if self.remember == "session" else ApprovalAnswer.ONCE
        _decide(gateway, client, self.approval_id, Decision(answer, client.person))
        return {}


@method("exec.deny", Scope.APPROVE, reach="sessions")
class Deny(Method):
    """Deny a request. The model is told the reason."""

    approval_id: str = arg("The request.")
    reason: str = arg("Why not, and what to do instead.", default="", max_length=500)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        _decide(gateway, client, self.approval_id, Decision(ApprovalAnswer.NO, client.person, self.reason))
        return {}


def _decide(gateway: Gateway, client: Client, name: str, decision: Decision) -> None:
    """Decide on a request. One of a session that the token may not approve in counts as none at all."""
    session = gateway.approvals.session_of(name)
    if session is None or not client.token.reaches(session, Scope.APPROVE):
        raise no_request(name)
    gateway.approvals.decide(name, decision)
