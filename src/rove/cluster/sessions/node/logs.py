"""Log lines of a node, sent to the server with the session that they are about."""

from __future__ import annotations

import contextvars
import logging

from rove.cluster.sessions.node.outbox import Outbox

# The session whose call runs in the current task.
SESSION: contextvars.ContextVar[str] = contextvars.ContextVar("rove_session", default="")
LONGEST_LINE = 20_000


class RelayedLog(logging.Handler):
    """Sends what rove logs on the node."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__(logging.INFO)
        self._outbox = outbox

    def emit(self, record: logging.LogRecord) -> None:
        if hasattr(record, "node"):  # told by another node, where both are in one process
            return
        self._outbox.tell("log", record.name, record.levelno, self.format(record)[:LONGEST_LINE], SESSION.get())
