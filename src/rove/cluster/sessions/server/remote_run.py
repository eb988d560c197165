"""One action of a session on a node: recorded here before it is sent there, and answered when its line is written."""

from __future__ import annotations

import logging
import time
import uuid
from typing import TYPE_CHECKING, Any, Protocol

from rove.action import AnyAction, Effect
from rove.advice import Names, insert_names
from rove.cluster.sessions.messages import RunAnswer, RunRequest, SessionFacts
from rove.engine.journal import Entry, Journal
from rove.engine.run.options import Report, ignore_progress
from rove.errors import JournalFailed, NodeLost, RoveError
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver, InformedApprover
from rove.outcome import AnyOutcome
from rove.views.page_view import ViewKind

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from rove.cluster.sessions.server.node_links import NodeLinks
    from rove.cluster.sessions.server.session_files import SessionFiles

log = logging.getLogger(__name__)


class CallingSession(Protocol):
    """A session as one run sees it."""

    @property
    def name(self) -> str: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def files(self) -> SessionFiles: ...
    @property
    def links(self) -> NodeLinks: ...
    @property
    def calls(self) -> dict[str, RemoteRun]:
        """The actions that run now, by the ids of their calls."""
        ...

    def calling(self) -> AbstractAsyncContextManager[str]: ...
    def update(self, facts: SessionFacts, /) -> None: ...


class RemoteRun:
    """Runs one action on a node."""

    def __init__(
        self,
        session: CallingSession,
        action: AnyAction,
        tab: str | None,
        timeout: float | None,
        report: Report,
        quiet: bool,
        channel: Approver | None,
        names: Names,
        view: ViewKind | None,
    ) -> None:
        self._session = session
        self._action = action
        self._tab = tab
        self._timeout = timeout
        self.report = report
        self._quiet = quiet
        self._channel = channel
        self._names = names
        self._view: ViewKind | None = view
        self._call = uuid.uuid4().hex
        # The node that it was sent to.
        self._node = ""

    async def run(self) -> AnyOutcome:
        """Return the outcome. An action that cannot be recorded is not sent."""
        journal = self._session.journal
        entry = Entry(self._action.verb, self._action.recorded, self._action.describe())
        number = await journal.begin(entry)
        began = time.monotonic()
        try:
            answer = await self._answered(number)
        except RoveError as error:
            error.hint = insert_names(error.hint, self._names)
            entry.add_error(error)
            await journal.end(number, self._own_line(entry, began))
            raise
        except BaseException as error:
            entry.outcome, entry.error = "broken off", type(error).__name__
            await self._record_if_possible(number, self._own_line(entry, began))
            raise
        await journal.end(number, self._line_of(answer, entry, began))
        if answer.error is not None:
            raise answer.error
        assert answer.outcome is not None, "an answer has an outcome or an error"
        return answer.outcome

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return what the person of the caller answers; without one, no."""
        return ApprovalAnswer.NO if self._channel is None else await self._channel.answer(request)

    async def has_approved(self, request: ApprovalRequest) -> bool:
        """Whether the person of the caller has approved this as a part of the call that they were shown."""
        return isinstance(self._channel, InformedApprover) and await self._channel.has_approved(request)

    async def _answered(self, number: int) -> RunAnswer:
        """Send the action to the session's node, with the files that it may read; fetch those that it has written."""
        session = self._session
        session.calls[self._call] = self
        try:
            async with session.calling() as self._node:
                await session.files.send(self._action.files_read)
                answer = await self._sent(number)
                await session.files.fetch(answer.files)
            return session.files.from_node(answer)
        finally:
            del session.calls[self._call]

    async def _sent(self, number: int) -> RunAnswer:
        session = self._session
        try:
            answer: RunAnswer = await session.links.call(self._node, "run", session.name, self._request(number))
        except NodeLost as error:
            raise _lost(self._node, self._action) from error
        if answer.facts is not None:
            session.update(answer.facts)
        return answer

    def _request(self, number: int) -> RunRequest:
        return RunRequest(
            self._call,
            self._action.verb,
            self._session.files.to_node(self._action.arguments),
            number,
            self._tab,
            self._timeout,
            self._quiet,
            dict(self._names),
            self._view,
            self._channel is not None,
            self.report is not ignore_progress,
        )

    def _line_of(self, answer: RunAnswer, entry: Entry, began: float) -> dict[str, Any]:
        """Return the node's line, as that of the entry which was opened here."""
        if answer.line is None:  # the node refused it before it had an entry
            entry.add_error(answer.error)
            return self._own_line(entry, began)
        return {**answer.line, "step": entry.step, "began": entry.began, "node": self._node}

    def _own_line(self, entry: Entry, began: float) -> dict[str, Any]:
        entry.seconds = round(time.monotonic() - began, 4)
        node = {"node": self._node} if self._node else {}
        return {**self._session.journal.data_of(entry), **node}

    async def _record_if_possible(self, number: int, line: dict[str, Any]) -> None:
        """Record an action that was broken off. What broke it off, such as a cancellation, must reach the caller."""
        try:
            await self._session.journal.end(number, line)
        except JournalFailed as failed:
            log.error("%s", failed.message)


def _lost(node: str, action: AnyAction) -> NodeLost:
    """Return the error for an action whose node was lost, or could not be heard any more, while it ran."""
    hint = "Call again: the session is opened on another node, with its logins and at its last pages."
    only_reads = action.effects == (Effect.READ,)
    said = "" if only_reads else " It may be half done."
    more = "" if only_reads else " Look at the page with {snapshot} before you do it again."
    return NodeLost(
        f"The node {node} was lost while this ran.{said}", hint=hint + more, retryable=only_reads, retry_after=None
    )
