"""What people see of the daemon's sessions, in terminals and on the web page, and how they answer approvals."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from rove.engine.journal import StepWatcher
from rove.engine.people import HandoffEnd, HandoffRequest, People
from rove.engine.sessions import Sessions
from rove.errors import DeadlineExceeded, Denied, InvalidSettings
from rove.guard.cleaning import one_line
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver
from rove.settings.extras import INSTALL_SERVE, serve_advice
from rove.surfaces.cli.daemon.answers import Reply
from rove.surfaces.cli.terminal_output import Palette
from rove.surfaces.mcp.request import with_inbox
from rove.surfaces.terminal import answer_of, choice_of
from rove.tasks import Interrupted, race
from rove.toolsets.approval_text import card

if TYPE_CHECKING:
    from rove.surfaces.gateway.gateway import Gateway
    from rove.surfaces.gateway.server import Server

NO_PERSON = "Tell the user to run `rove watch --web`, where a person can take the session over; then run it again."
WAITING = (
    "rove: This needs a person's approval, and waits for it until {until}.\n"
    "      A person answers in a terminal of their own: `rove approve`, or `rove watch`.\n"
)
LONGEST_SUMMARY = 160
STYLES = {"done": "green", "denied": "yellow"}
LOOPBACK = "127.0.0.1"


class Observer(StepWatcher, People, Protocol):
    """Watches sessions, and may know people who can take one over."""


class Observers:
    """Every watcher that there is now. It implements the engine's `StepWatcher` and `People`."""

    def __init__(self) -> None:
        self.watchers: list[StepWatcher] = []
        # The web pages, where people can take over. One for each engine that is shown on one.
        self.pages: list[Observer] = []

    def step_began(self, step: Mapping[str, Any], /) -> None:
        for watcher in self._all:
            watcher.step_began(step)

    def step_ended(self, step: Mapping[str, Any], /) -> None:
        for watcher in self._all:
            watcher.step_ended(step)

    def session_opened(self, session: str, /) -> None:
        for watcher in self._all:
            watcher.session_opened(session)

    def session_closed(self, session: str, /) -> None:
        for watcher in self._all:
            watcher.session_closed(session)

    def session_changed(self, session: str, /) -> None:
        for watcher in self._all:
            watcher.session_changed(session)

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        for watcher in self._all:
            watcher.guard_refused(session, refused)

    async def ask(self, request: HandoffRequest, /) -> None:
        """Show a hand-off on the web page. Raises Denied if no person has opened it."""
        shown = [page for page in self.pages if await _is_shown(page, request)]
        if not shown:
            raise Denied("No person is watching who could take over.", hint=NO_PERSON + serve_advice())

    def end(self, request: HandoffRequest, outcome: HandoffEnd, /) -> None:
        for page in self.pages:
            page.end(request, outcome)

    @property
    def _all(self) -> tuple[StepWatcher, ...]:
        return (*self.watchers, *self.pages)


async def _is_shown(page: People, request: HandoffRequest) -> bool:
    """Show a hand-off on a web page; return whether a person has it open."""
    try:
        await page.ask(request)
    except Denied:
        return False
    return True


class PendingApprovals:
    """The requests that wait, each with the answer that its command waits for."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[ApprovalRequest, asyncio.Future[ApprovalAnswer]]] = {}
        self._added = asyncio.Condition()

    @property
    def all(self) -> tuple[ApprovalRequest, ...]:
        """The requests that wait, oldest first."""
        return tuple(request for request, _ in self._answers.values())

    async def wait(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Wait until a person answers a request."""
        answer: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        self._answers[request.id] = request, answer
        try:
            async with self._added:
                self._added.notify_all()
            return await answer
        finally:
            self._answers.pop(request.id, None)

    async def added(self) -> AsyncIterator[ApprovalRequest]:
        """Yield each request that waits, and each that is added from now on."""
        shown: set[str] = set()
        while True:
            for request in self.all:
                if request.id not in shown:
                    shown.add(request.id)
                    yield request
            async with self._added:
                await self._added.wait_for(lambda: any(request.id not in shown for request in self.all))

    async def ask(self, request: ApprovalRequest, reply: Reply) -> None:
        """Ask the person at a terminal; the question is withdrawn if it is answered elsewhere, or is too old."""
        if request.id not in self._answers:
            return
        _, decided = self._answers[request.id]
        question = f"\nrove asks:\n{card(request)}\n{choice_of(request)}"
        try:
            word = await race(reply.ask(question), asyncio.wait({decided}))
        except Interrupted:
            return
        if not decided.done():
            answer = answer_of(word, request)
            decided.set_result(answer)
            reply.output(f"rove: {'denied' if answer is ApprovalAnswer.NO else 'allowed'}\n")


class CommandApprover:
    """Asks the person who gave a command at a terminal; for any other command, `rove approve` and `rove watch` do."""

    def __init__(self, pending: PendingApprovals, reply: Reply) -> None:
        self._pending = pending
        self._reply = reply

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        answer = asyncio.ensure_future(self._pending.wait(request))
        await asyncio.sleep(0)  # it waits from now on
        asking = asyncio.ensure_future(self._ask(request))
        try:
            return await answer
        finally:
            for task in (answer, asking):
                task.cancel()
            await asyncio.gather(answer, asking, return_exceptions=True)

    async def _ask(self, request: ApprovalRequest) -> None:
        if self._reply.has_person:
            await self._pending.ask(request, self._reply)
        else:
            self._reply.error(WAITING.format(until=time.strftime("%H:%M:%S", time.localtime(request.expires))))


class TimedApprover:
    """Asks another approver, for as long as the command that waits may take."""

    def __init__(self, approver: Approver, seconds: float) -> None:
        self._approver = approver
        self._seconds = seconds
        self._until = time.time() + seconds

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return the person's answer. Raises DeadlineExceeded if there is none in time."""
        request = replace(request, expires=min(request.expires, self._until))
        try:
            async with asyncio.timeout(max(self._until - time.time(), 0)):
                return await self._approver.answer(request)
        except TimeoutError:
            raise DeadlineExceeded(
                f"No person answered within {self._seconds:g} s: {request.question}",
                hint="Nothing was done. Give --timeout more seconds, and tell the person to run `rove approve`.",
            ) from None


class TerminalWatcher:
    """What happens in the sessions, as lines; of one session, or of all."""

    def __init__(self, session: str | None, reply: Reply) -> None:
        self._session = session
        self._palette = Palette(reply.has_colour)
        self._reply = reply
        self._news: asyncio.Queue[str | ApprovalRequest] = asyncio.Queue()

    async def watch(self, observers: Observers, pending: PendingApprovals) -> None:
        """Show what happens until the client goes away. A question is answered before the next line is shown."""
        observers.watchers.append(self)
        collecting = asyncio.create_task(self._collect(pending))
        try:
            while True:
                await self._show(await self._news.get(), pending)
        finally:
            collecting.cancel()
            observers.watchers.remove(self)

    async def _collect(self, pending: PendingApprovals) -> None:
        async for request in pending.added():
            self._news.put_nowait(request)

    async def _show(self, news: str | ApprovalRequest, pending: PendingApprovals) -> None:
        if isinstance(news, str):
            self._reply.output(news)
        elif self._reply.has_person:
            await pending.ask(news, self._reply)
        else:
            question = one_line(news.question, LONGEST_SUMMARY)
            self._reply.output(f"Waits for approval: {question} A person answers with `rove approve`.\n")

    def step_began(self, step: Mapping[str, Any], /) -> None:
        """Tell nothing: the step is told when it ends."""

    def step_ended(self, step: Mapping[str, Any], /) -> None:
        outcome = str(step["outcome"])
        summary = one_line(str(step.get("summary") or step["action"]), LONGEST_SUMMARY)
        mark = self._palette.paint(f"{outcome:<8}", STYLES.get(outcome, "red"))
        spent = self._palette.paint(f"{float(step['seconds'] or 0) * 1000:6.0f} ms", "dim")
        self._say(step["session"], f"{mark} {spent}  {summary}")
        if step.get("error"):
            self._say(step["session"], f"{'':18}  {one_line(str(step['error']), LONGEST_SUMMARY)}")

    def session_opened(self, session: str, /) -> None:
        self._say(session, self._palette.paint("opened", "bold"))

    def session_closed(self, session: str, /) -> None:
        self._say(session, self._palette.paint("closed", "bold"))

    def session_changed(self, session: str, /) -> None:
        """Tell nothing: the step that led there is told."""

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        message = one_line(str(refused["message"]), LONGEST_SUMMARY)
        self._say(session, f"{self._palette.paint('refused', 'yellow')}  {message}")

    def _say(self, session: str, text: str) -> None:
        if self._session in (None, session):
            when = self._palette.paint(time.strftime("%H:%M:%S"), "dim")
            self._news.put_nowait(f"{when}  {one_line(session, 16):<12}  {text}\n")


class WebPages:
    """The web pages that people have opened: one for each engine, on a free port of this machine."""

    def __init__(self, observers: Observers, protect_port: Callable[[str, int], None]) -> None:
        """`protect_port`: lets no page and no agent of any engine reach a port."""
        self._observers = observers
        self._protect_port = protect_port
        self._pages: dict[Sessions, tuple[Gateway, Server, asyncio.Task[None]]] = {}

    async def link(self, engine: Sessions) -> str:
        """Return the address of the page of an engine, with the owner's token; start to serve it if need be."""
        if engine not in self._pages:
            self._pages[engine] = await self._served(engine)
        gateway, *_ = self._pages[engine]
        return gateway.link(gateway.tokens.owner)

    def approver(self, engine: Sessions, approver: Approver) -> Approver:
        """Return an approver that also asks the people at the page of an engine, if there is one."""
        page = self._pages.get(engine)
        return approver if page is None else with_inbox(approver, page[0].approvals)

    async def close(self) -> None:
        for gateway, server, serving in self._pages.values():
            await gateway.close_clients()
            server.should_exit = True
            await serving
            await gateway.__aexit__(None, None, None)
        self._pages.clear()

    async def _served(self, engine: Sessions) -> tuple[Gateway, Server, asyncio.Task[None]]:
        try:
            from rove.surfaces.gateway.gateway import Gateway
            from rove.surfaces.gateway.server import Server, config, open_port
        except ModuleNotFoundError as error:
            raise InvalidSettings(
                f"The web page needs a package that is not installed: {error.name}.",
                hint=f"Install rove's extra `serve`: {INSTALL_SERVE}; then `rove stop`. "
                "Or watch in the terminal: `rove watch`.",
            ) from error
        settings = replace(engine.settings, serve=replace(engine.settings.serve, host=LOOPBACK, port=0))
        gateway = Gateway(settings, sessions=engine)
        listener = open_port(gateway)
        self._protect_port(*listener.getsockname()[:2])
        server = Server(config(gateway))
        await gateway.__aenter__()
        self._observers.pages.append(gateway.observer)
        return gateway, server, asyncio.create_task(server.serve([listener]))
