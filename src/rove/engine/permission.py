"""The permission of one action: what it touches, asked of a person if need be, and checked again after a yes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from rove.action import Action, AnyAction, Effect, TabAction
from rove.advice import Verbatim
from rove.browser.consequences import Consequence, NotAsShown
from rove.browser.failures import BrowserError
from rove.engine.gate import Gate
from rove.engine.journal import Entry
from rove.errors import Denied, RoveError, Unsupported
from rove.guard.network.urls import WEB_SCHEMES, origin_text, scheme_of
from rove.guard.policy import Allow, ApprovalRequest, Approver, Ask, Deny, Place, ShownElement
from rove.outcome import Result
from rove.records import dataclass
from rove.target import Point, Ref, parse_target, retargeted, targets_in

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.page_data import Box
    from rove.browser.shared.element import Element
    from rove.browser.shared.frames import World
    from rove.browser.shared.tab import Tab

R = TypeVar("R", bound=Result)
SCRIPTS_MAY = "The page's scripts may do more than this, or something else: that cannot be known beforehand."
_NOTES = {
    Effect.ACT: "The page's scripts decide what this does: that cannot be known beforehand.",
    Effect.SEND_FILE: "The page's scripts decide when and where the files are sent: that cannot be known beforehand.",
    Effect.SCRIPT: "The script can do whatever the page can, such as sending what it reads to other sites.",
}
# After this many questions about one action, each because the page had changed, the action is denied.
MAX_QUESTIONS = 3
MAX_LISTED = 5
# Seconds to find where an element is, for the record.
BOX_SECONDS = 0.5
T = TypeVar("T")


@dataclass(frozen=True)
class Shown:
    """What a person is shown of an action besides its arguments: its elements, and what it would send or open."""

    elements: tuple[ShownElement, ...] = ()
    consequences: tuple[Consequence, ...] = ()


FindShown = Callable[[], Awaitable[Shown]]


async def nothing_shown() -> Shown:
    """Find nothing, for actions that touch no page."""
    return Shown()


@dataclass(frozen=True)
class Grant:
    """A person's yes to one request. It is used up by one action, and valid until the moment `until`."""

    request: ApprovalRequest
    until: float


class PermissionCheck(Generic[R]):
    """Checks whether one action may run, as often as needed: after a person's answer the page may have changed.

    `advance_grants`: the answers that a person gave for the steps of a batch together.
    """

    def __init__(
        self, gate: Gate, action: Action[R], entry: Entry, channel: Approver | None, advance_grants: list[Grant]
    ) -> None:
        self._gate = gate
        self._entry = entry
        self._approver = gate.approvals.approver(channel)
        self._advance_grants = advance_grants
        self._own_grants: list[Grant] = []
        self._questions = 0
        # Where the page went instead of where it had said, and was stopped.
        self._went: tuple[Consequence, ...] = ()
        self.action = action
        # What the person was shown that the action sends or opens; empty if no person was asked.
        self.bound: tuple[Consequence, ...] = ()

    async def check(self, places: Sequence[Place], find_shown: FindShown = nothing_shown) -> ApprovalRequest | None:
        """Return None if the action may run now, or the request to put to a person first. Raises Denied."""
        decision = self._gate.decide(self.action, places)
        if isinstance(decision, Allow):
            self._entry.decision = "allowed"
            return None
        self._entry.decision = "denied"
        if isinstance(decision, Deny):
            raise Denied(decision.reason, hint=_verbatim(decision.hint))
        if self._approver is None:
            raise Denied(f"There is no approver to ask: {decision.question}", hint=_verbatim(decision.hint))
        request = self._with_went(approval_request(self.action, decision, places, await find_shown()))
        if self._gate.approvals.remembers(request):
            self._entry.decision = "remembered"
            self.bound = _sites(request.destinations) or _sites(request.origins)
        elif self._use_grant(request) or await self._gate.approvals.has_answer(request, self._approver):
            self._entry.decision = "approved"
            self.bound = request.consequences
            if not any(each.url for each in self.bound):  # no form or link was shown
                self.bound = (*self.bound, *_sites(request.origins))
        else:
            return request
        self._bind_to_elements(request)
        return None

    def note_went(self, went: tuple[Consequence, ...]) -> None:
        """Note where the page went instead, for the person to see in the next question."""
        self._went = tuple(dict.fromkeys((*self._went, *went)))

    def _with_went(self, request: ApprovalRequest) -> ApprovalRequest:
        return replace(request, consequences=(*request.consequences, *self._went)) if self._went else request

    async def ask(self, request: ApprovalRequest) -> None:
        """Put the request to a person. A yes counts only if the next check finds exactly the same request."""
        assert self._approver is not None
        self._questions += 1
        if self._questions > MAX_QUESTIONS:
            raise Denied(
                f"What was approved had changed each time before it could be done: {request.summary}",
                hint="Wait until the page has come to rest, look with {snapshot}, then call again.",
            )
        self._own_grants = await ask_person(self._gate, request, self._approver)

    def _use_grant(self, request: ApprovalRequest) -> bool:
        """Use up the grant for exactly this request; return whether there was one."""
        for grants in (self._own_grants, self._advance_grants):
            for grant in grants:
                if grant.until > time.monotonic() and grant.request.covers(request):
                    grants.remove(grant)
                    return True
        return False

    def _bind_to_elements(self, request: ApprovalRequest) -> None:
        """Replace targets by the refs of the elements that were shown, as a selector may match others by now."""
        self.action = retargeted(self.action, {shown.argument: shown.ref for shown in request.elements if shown.ref})


async def ask_person(gate: Gate, request: ApprovalRequest, approver: Approver) -> list[Grant]:
    """Ask a person; return one grant, or one for each step of a batch. Raises Denied if the answer is no."""
    await gate.approvals.ask(request, approver)
    return granted(gate, request.steps or (request,))


def granted(gate: Gate, requests: Sequence[ApprovalRequest]) -> list[Grant]:
    """Return the grants for requests that a person has just approved."""
    until = time.monotonic() + gate.approvals.timeout
    return [Grant(request, until) for request in requests]


def approval_request(action: AnyAction, ask: Ask, places: Sequence[Place], shown: Shown) -> ApprovalRequest:
    """Return the request that shows a person what an action would do, where and to which elements."""
    urls = [action.destination] if action.destination else [place.url for place in places]
    origins = tuple(dict.fromkeys(origin_text(url) if url else None for url in urls))
    if origins == (None,) and not any(urls):
        origins = ()  # there is no page
    return ApprovalRequest(
        action.verb,
        action.describe(),
        action.arguments,
        ask.question,
        places[0],
        origins,
        shown.elements,
        shown.consequences,
        action.secrets,
        _note(action, shown),
    )


def _sites(origins: Sequence[str | None]) -> tuple[Consequence, ...]:
    """Return what holds a page to documents of some origins."""
    return tuple(Consequence("site", url=origin) for origin in origins if origin)


def _note(action: AnyAction, shown: Shown) -> str:
    """Return one sentence about what cannot be known of an action beforehand, and so is not approved or refused."""
    if not isinstance(action, TabAction) or type(action).effect not in _NOTES:
        return ""
    if type(action).effect is Effect.ACT and shown.consequences:
        return SCRIPTS_MAY
    return _NOTES[type(action).effect]


def _verbatim(hint: str | None) -> str | None:
    """Keep a policy's hint as it is: it may contain the URL of a page, whose braces name no action."""
    return None if hint is None else Verbatim(hint)


def place_of(session: str, tab: TabInfo | None) -> Place:
    """Return the place that the policy decides on: the page of a tab, or the session alone."""
    return Place.of_page(session, tab.id, tab.url) if tab else Place(session)


async def find_places(action: AnyAction, session: str, tab: Tab, wait: bool = True) -> tuple[Place, ...]:
    """Return the page, and each frame of another origin that contains an element which the action touches.

    `wait`: whether to wait for an element that does not exist yet.
    """
    page = place_of(session, tab)
    if action.destination is not None:
        return (page,)
    if scheme_of(page.url or "") not in WEB_SCHEMES:
        page = Place(session, tab.id, await tab.main_frame.origin() or tab.url)
    # A frame of another origin is a place of its own; so is a sandboxed one, whose origin is opaque.
    origins = [origin for frame in await _find_frames(action, tab, wait) for origin in await frame.origins()]
    return (page, *(Place(session, tab.id, origin) for origin in dict.fromkeys(origins)))


async def _find_elements(action: AnyAction, tab: Tab, wait: bool = True) -> tuple[ShownElement, ...]:
    """Return the elements that the action touches, as a snapshot shows them."""
    elements = [await _find_element(argument, target, tab, wait) for argument, target in targets_in(action).items()]
    if action.uses_focus and (focused := await tab.element_with_focus()):
        elements.append(ShownElement("focus", "", f"{focused.line} [{focused.ref}]"))
    return tuple(elements)


async def find_box(action: AnyAction, tab: Tab) -> Box | None:
    """Return where the element is that the action targets; None if there is none, or it is not found at once."""
    target = next(iter(targets_in(action).values()), None)
    if target is None:
        return None
    with contextlib.suppress(RoveError, BrowserError, TimeoutError):  # the action itself says what is wrong
        async with asyncio.timeout(BOX_SECONDS):
            (element, *_) = await tab.resolve_ahead(target, wait=False)
            return await tab.box_of(element.ref)
    return None


async def find_dialog(tab: TabInfo | None) -> Shown:
    """Return the dialog that is open in the tab, if there is one."""
    dialog = tab.open_dialog if tab is not None else None
    return Shown((ShownElement("dialog", "", dialog.told),) if dialog else ())


async def find_shown(action: AnyAction, tab: Tab, wait: bool = True) -> Shown:
    """Return what a person is shown of an action: its elements, and what it would send or open."""
    elements = await _find_elements(action, tab, wait)
    return Shown(elements, await _find_consequences(action, tab, wait))


async def _find_consequences(action: AnyAction, tab: Tab, wait: bool) -> tuple[Consequence, ...]:
    found = list(await tab.consequences.of_files(action.files)) if action.files else []
    if (cause := action.activates) is None:
        return tuple(found)
    for argument, element in await _activated(action, tab, wait):
        if consequence := await tab.consequences.of_element(element, argument, cause):
            found.append(consequence)
    return tuple(found)


async def _activated(action: AnyAction, tab: Tab, wait: bool) -> list[tuple[str, Element]]:
    """Return the elements that an action activates, with the names of its arguments for them."""
    found: list[tuple[str, Element]] = []
    for argument, text in targets_in(action).items():
        if isinstance(target := parse_target(text), Point):
            elements = (await tab.elements_at(target.x, target.y))[-1:]
        else:
            elements = (await tab.resolve_ahead(text, wait=wait))[:1]
        found += [(argument, element) for element in elements]
    if action.uses_focus and (focused := await tab.element_with_focus()):
        found.append(("focus", focused))
    return found


async def _find_frames(action: AnyAction, tab: Tab, wait: bool) -> list[World]:
    """Return the frames that the action touches, each once, without the page itself."""
    frames: dict[str, World] = {}
    for target in targets_in(action).values():
        frames.update({frame.frame_id: frame for frame in await _find_target_frames(target, tab, wait)})
    if action.uses_focus and await tab.has_frames() and (focused := await tab.element_with_focus()):
        frames[focused.frame.frame_id] = focused.frame
    frames.pop(tab.main_frame.frame_id, None)
    return list(frames.values())


async def _find_target_frames(text: str, tab: Tab, wait: bool) -> list[World]:
    target = parse_target(text)
    if isinstance(target, Ref) and target.frame:
        tab.require_frame(target.frame)
    if not await tab.has_frames():  # most pages have none, and the browser need not be asked for elements then
        return []
    if isinstance(target, Point):
        return [element.frame for element in await tab.elements_at(target.x, target.y)]
    elements = await tab.resolve_ahead(text, wait=wait)
    return [frame for element in elements for frame in (element.frame, *await element.frames_within())]


async def _find_element(argument: str, text: str, tab: Tab, wait: bool) -> ShownElement:
    if isinstance(target := parse_target(text), Point):
        # Without a ref, so that the action still clicks the point, on a canvas or a map; but if another element is
        # there by then, the line differs and the person is asked again.
        under = (await tab.elements_at(target.x, target.y))[-1:]
        return ShownElement(
            argument, "", f"the point {text}" + "".join(f", on {element.line} [{element.ref}]" for element in under)
        )
    elements = await tab.resolve_ahead(text, wait=wait)
    lines = [await element.describe() for element in elements[:MAX_LISTED]]
    if len(elements) == 1:
        return ShownElement(argument, elements[0].ref, lines[0], await elements[0].identity())
    more = f" and {len(elements) - MAX_LISTED} more" if len(elements) > MAX_LISTED else ""
    return ShownElement(argument, "", f"{len(elements)} elements: {', '.join(lines)}{more}")


async def step_requests(
    actions: Sequence[AnyAction], gate: Gate, session: str, tab: Tab
) -> tuple[ApprovalRequest, ...]:
    """Return the requests for the steps that the policy asks about on this page; none if there are fewer than two.

    Each step is bound to the elements that the page shows now. If they have changed by the time a step runs, the
    person is asked about that step alone.
    """
    page = place_of(session, tab)
    steps = [action for action in _steps_on_page(actions) if isinstance(gate.decide(action, (page,)), Ask)]
    if len(steps) < 2:
        return ()
    return tuple([request for action in steps if (request := await _step_request(action, gate, session, tab))])


def _steps_on_page(actions: Sequence[AnyAction]) -> list[AnyAction]:
    """Return the steps before the first that leaves the page."""
    steps: list[AnyAction] = []
    for action in actions:
        if not isinstance(action, TabAction) or action.effect is Effect.NAVIGATE:
            break
        steps.append(action)
    return steps


async def _step_request(action: AnyAction, gate: Gate, session: str, tab: Tab) -> ApprovalRequest | None:
    try:
        places = await find_places(action, session, tab, wait=False)
        decision = gate.decide(action, places)
        if not isinstance(decision, Ask):
            return None
        request = approval_request(action, decision, places, await find_shown(action, tab, wait=False))
    except RoveError:
        return None  # its element may appear only after the steps before it
    return None if gate.approvals.remembers(request) else request


def combined(requests: Sequence[ApprovalRequest]) -> ApprovalRequest:
    """Return one request for all of these."""
    return ApprovalRequest(
        "batch",
        f"{len(requests)} browser action(s) — first: {requests[0].summary}",
        {"steps": [{"action": request.action, **request.arguments} for request in requests]},
        f"May the agent do these {len(requests)} things?",
        requests[0].place,
        tuple(dict.fromkeys(origin for request in requests for origin in request.origins)),
        steps=tuple(requests),
    )


def refuse_unheld(permission: PermissionCheck[Any], question: ApprovalRequest | None, tab: Tab) -> None:
    """Raise Unsupported if the page could do something else than a person has approved, or would: none is asked then.

    A page has no say in which address rove itself asks for.
    """
    concerns_a_person = question is not None or permission.bound
    if concerns_a_person and not tab.consequences.can_hold and permission.action.destination is None:
        raise Unsupported(
            "This browser cannot hold a page to what a person approves, so that no person is asked.",
            hint="Use a session with another engine for this.",
        )


async def hold_to_shown(permission: PermissionCheck[Any], tab: Tab, act: Awaitable[T]) -> T | None:
    """Perform an action while the page is held to what the person was shown; return None if it was about to differ."""
    if not permission.bound or not tab.consequences.can_hold:
        return await act
    outcome: T | None = None
    error: RoveError | None = None
    async with tab.consequences.hold_to(permission.bound) as hold:
        try:
            outcome = await act
        except NotAsShown:
            return None
        except RoveError as caught:  # a page whose document was refused may let the action fail
            error = caught
    if hold.went:
        permission.note_went(hold.went)
        return None
    if error is not None:
        raise error
    return outcome


def refuse_changed(action: AnyAction) -> NoReturn:
    """Raise Denied for an action that differs from what was shown, if there is no question to ask about it."""
    raise Denied(
        f"The page was about to do something else than was approved: {action.describe()}",
        hint="Look with {snapshot}, then call again.",
    )
