"""What is not guarded when rove works in a browser that it did not start, in the words that clients and users read."""

from __future__ import annotations

from rove.outcome import Event, Own
from rove.validation.record import dataclass

# The kind that the journal records for a session without a notice.
GUARDED = "guarded"


@dataclass(frozen=True)
class GuardNotice:
    """Says what is not guarded in a session. `kind` goes into events and the journal."""

    kind: str
    sentence: str

    @property
    def event(self) -> Event:
        """The notice as an event of an outcome."""
        return Event(Own(self.kind), Own("the user's own browser"), advice=Own(self))

    def __str__(self) -> str:
        return f"{self.kind.upper()}: {self.sentence}"


UNGUARDED = GuardNotice(
    "not guarded",
    "this is the user's own browser, with their cookies and tabs, and its pages reach whatever this machine reaches. "
    "rove's address rules are checked only for the addresses that an agent asks for; policy, approvals, secrets and "
    "journal hold as always.",
)
PARTLY_GUARDED = GuardNotice(
    "guarded in part",
    "the requests of this session pass the guard, but in a browser that rove did not start WebRTC bypasses it.",
)
