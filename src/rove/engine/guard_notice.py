"""What is not guarded in a browser that rove did not start, or cannot fully control, in the words that users read."""

from __future__ import annotations

from rove.browser.engines import load_engine
from rove.browser.shared import socket_filter
from rove.errors import InvalidSettings
from rove.outcome import Event
from rove.page_text import Own
from rove.records import dataclass
from rove.settings.tree import Settings

# The kind that the journal records for a session without a notice.
GUARDED = "guarded"


@dataclass(frozen=True)
class GuardNotice:
    """Says what is not guarded in a session. `kind` goes into events and the journal."""

    kind: str
    sentence: str
    subject: str = "the user's own browser"
    # Whether the requests of pages pass the proxy, which holds them to the address rules.
    passes_proxy: bool = True

    @property
    def event(self) -> Event:
        """The notice as an event of an outcome."""
        return Event(Own(self.kind), Own(self.subject), advice=Own(self))

    def __str__(self) -> str:
        return f"{self.kind.upper()}: {self.sentence}"


UNGUARDED = GuardNotice(
    "not guarded",
    "this is the user's own browser, with their cookies and tabs, and its pages reach whatever this machine reaches. "
    "rove's address rules are checked only for the addresses that an agent asks for; policy, approvals, secrets and "
    "journal hold as always.",
    passes_proxy=False,
)
PARTLY_GUARDED = GuardNotice(
    "guarded in part",
    "the requests of this session pass the guard, but in a browser that rove did not start WebRTC bypasses it.",
)
WITHOUT_ISOLATION = GuardNotice(
    "guarded in part",
    "WebKit is driven over WebDriver. The requests of its pages pass the guard, but rove's script runs in the page's "
    "own world: a page that looks for it can change what the agent reads and where it clicks. So rove types no secrets "
    "here, and does nothing in a page that a person would have to approve.",
    "WebKit over WebDriver",
)
WITHOUT_PROXY = GuardNotice(
    "not guarded",
    "this is Safari, whose driver takes no proxy: its pages reach whatever this machine reaches. rove's address rules "
    "are checked only for the addresses that an agent asks for. Its script runs in the page's own world: a page that "
    "looks for it can change what the agent reads and where it clicks. So rove types no secrets here, and does nothing "
    "in a page that a person would have to approve; policy and journal hold as always.",
    "Safari",
    passes_proxy=False,
)
WITH_EXTENSIONS = GuardNotice(
    "guarded in part",
    "the profile of this session has extensions. Their requests pass the guard, but on this system WebRTC of their "
    "pages, and of web pages that they frame, bypasses it.",
    "extensions of the profile",
)


def check_guard_of_extensions(settings: Settings) -> None:
    """Raise InvalidSettings if extensions could bypass the guard and the owner has not accepted that."""
    if settings.extension and not settings.unguarded_extensions and not socket_filter.is_supported():
        raise InvalidSettings(
            "`extension`: on this system rove cannot keep WebRTC of extensions from bypassing its proxy.",
            hint="Run rove on Linux (x86_64, aarch64), or set `unguarded_extensions` to accept that.",
        )


def guard_notice_of(settings: Settings, is_default: bool = True, has_extensions: bool = False) -> GuardNotice | None:
    """Return what is not guarded in a session with these settings; None if all is.

    In an attached browser the default session works in the user's own context, others beside it.
    """
    if settings.attach is not None:
        return UNGUARDED if is_default else PARTLY_GUARDED
    if (has_extensions or (is_default and _default_has_extensions(settings))) and not socket_filter.is_supported():
        return WITH_EXTENSIONS
    engine = load_engine(settings.engine)
    if not engine.takes_proxy(settings):
        return WITHOUT_PROXY
    return None if engine.isolates_scripts else WITHOUT_ISOLATION


def _default_has_extensions(settings: Settings) -> bool:
    """Return whether the profile of the default session, which is opened by its first call, has extensions."""
    if not settings.extension or settings.profile is None:
        return False
    from rove.browser.extensions import declared  # few profiles have extensions

    return any(profile == settings.profile for profile, _ in declared(settings))
