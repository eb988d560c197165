"""What is not guarded when rove works in a browser that it did not start, in the words that everyone is told."""

from __future__ import annotations

from rove.outcome import Event
from rove.record import dataclass

# Of a session to which none of this applies.
GUARDED = "guarded"


@dataclass(frozen=True)
class GuardNotice:
    """How far the guard of a session does not hold; `kind` goes into events and the journal."""

    kind: str
    sentence: str

    @property
    def event(self) -> Event:
        return Event(self.kind, "somebody's own browser", advice=str(self))

    def __str__(self) -> str:
        return f"{self.kind.upper()}: {self.sentence}"


UNGUARDED = GuardNotice(
    "not guarded",
    "this is somebody's own browser, with their cookies and tabs, and its pages reach whatever this machine reaches. "
    "rove's address rules are checked only for the addresses that an agent asks for; policy, approvals, secrets and "
    "journal hold as always.",
)
PARTLY_GUARDED = GuardNotice(
    "guarded in part",
    "this session has the guard as its way out, but in a browser that rove did not start WebRTC goes round it.",
)
