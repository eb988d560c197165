"""Everything that can go wrong, in one tree.

RoveError
├── InvalidArguments      invalid_arguments     an argument is unknown, missing or not valid
├── InvalidSettings       invalid_settings      a setting is unknown or not valid
├── MissingKey            model_key_missing     the chat's model needs a key that is not set
├── InvalidMessage        invalid_message       a client of the gateway sent what is no request
├── UnknownMethod         unknown_method        the gateway has no such method
├── Forbidden             forbidden             the client's token does not allow it
├── RateLimited           rate_limited          a client of the gateway sends too much
├── Denied                denied                the policy, or the person it asked, refused
├── HeldByPerson          held_by_person        a person drives the session, or has paused or stopped it
├── JournalFailed         journal_failed        the journal cannot be written
├── NotOpen               not_open              there is no session or tab of that name
├── LimitReached          limit_reached         no more sessions, tabs, questions or memory are allowed
├── StateUnusable         state_unusable        a saved state cannot be read, restored or written
├── ProfileInUse          profile_in_use        another session uses the profile
├── BrowserUnavailable    browser_unavailable   no browser was found, or it has ended
├── ClusterUnavailable    cluster_unavailable   the cluster cannot be reached, or has no node that may be used
├── NodeLost              node_lost             the node of the cluster that was asked has gone
├── Unsupported           unsupported           the browser engine in use cannot do this
├── NavigationFailed      navigation_failed     the address could not be loaded
├── CertificateInvalid    certificate_invalid   the server's certificate is not valid
├── NeedsCredentials      needs_credentials     the server asks for a password or a certificate
├── HttpError             http_error            the server answered with an error, such as 404
├── Blocked               blocked               a site shows a check for robots instead of the page
├── PageCrashed           page_crashed          the page's process died
├── DialogOpen            dialog_open           a dialog blocks the page until it is answered
├── DeadlineExceeded      deadline_exceeded     no answer in the time allowed
├── ScriptFailed          script_failed         the page's JavaScript threw
├── DocumentLocked        document_locked       a PDF needs a password, or another one
├── DocumentDamaged       document_damaged      a file is no PDF, or cannot be read
├── ElementNotFound       element_not_found     nothing matches the target
├── ElementGone           element_gone          the ref's element has left the page
├── AmbiguousTarget       ambiguous_target      more than one element matches
├── ExpectationFailed     expectation_failed    the page is not as it was expected to be
└── ElementNotReady       element_not_ready     covered, disabled, moving or out of sight

Callers branch on `code`, which never changes. `hint` tells a model what to try next. `retry_after`, if it is known, is
the number of seconds after which the same call is likely to succeed.

A message is made of parts. What a page wrote is a `PageText` with its own origin; all other parts are rove's own words.
"""

from __future__ import annotations

from rove.page_text import Own, PageText

TYPE_CHECKING = False  # importing `typing` takes as long as everything else that is needed to start a browser
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, ClassVar


class RoveError(Exception):
    """An error with a stable code, a plain sentence and the next thing to try."""

    code: ClassVar[str] = "internal"
    default_hint: ClassVar[str] = "This is a fault in rove itself; please report it with the message above."
    # Whether the same call may succeed later. What a class says holds unless an error says otherwise.
    retryable: bool = False

    def __init__(
        self,
        *message: str,
        hint: str | None = None,
        retry_after: float | None = None,
        retryable: bool | None = None,
    ) -> None:
        self.parts = message
        if retryable is not None:
            self.retryable = retryable
        # Whether the arguments must stay out of the journal, as they may hold a password.
        self.conceals = False
        # What happened before the call that the caller must know, in rove's words: that the browser crashed.
        self.notice = ""
        # In Python, the outcome of the batch that this error stopped: what its steps did before.
        self.outcome: Any = None
        # What the page waits for, for callers that are shown all of a page (`rove.outcome.PageView`).
        self.view: Any = None
        # The HTTP status, where that is what went wrong.
        self.status: int | None = None
        self.hint = self.default_hint if hint is None else hint
        self.retry_after = retry_after

    @property
    def parts(self) -> tuple[Own | PageText, ...]:
        """The message in parts: rove's own words, and quotes of pages with their origins."""
        return self._parts

    @parts.setter
    def parts(self, parts: tuple[str, ...]) -> None:
        self._parts = tuple(_merged(parts))
        self.args = (self.message,)

    @property
    def message(self) -> str:
        """The whole message as plain text."""
        return "".join(self._parts)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins that the message quotes, each once."""
        return tuple(dict.fromkeys(part.origin for part in self._parts if isinstance(part, PageText)))

    def say_more(self, *words: str) -> None:
        """Add a sentence to the message."""
        self.parts = (*self._parts, " ", *words)

    def as_dict(self) -> dict[str, object]:
        may_try = self.retryable or self.retry_after is not None
        when = {} if self.retry_after is None else {"retry_after": self.retry_after}
        return {"code": self.code, "message": self.message, "hint": self.hint, "retryable": may_try, **when}


def _merged(parts: Iterable[str]) -> list[Own | PageText]:
    """Return the parts of a message, with each run of rove's own words as one, so that it is shown as one sentence."""
    merged: list[Own | PageText] = []
    for part in filter(None, parts):
        if isinstance(part, PageText):
            merged.append(part)
        elif merged and isinstance(merged[-1], Own):
            merged[-1] = Own(merged[-1] + part)
        else:
            merged.append(Own(part))
    return merged


class InvalidArguments(RoveError):
    code = "invalid_arguments"
    default_hint = "Correct the named field and call again."


class InvalidSettings(RoveError):
    code = "invalid_settings"
    default_hint = "Correct the setting; docs/settings.md lists every setting and its values."


class MissingKey(RoveError):
    code = "model_key_missing"
    default_hint = "Set the key in the environment of `rove serve`, or choose another model with --serve-model."


class InvalidMessage(RoveError):
    code = "invalid_message"
    default_hint = "Send an object with `id`, `method` and `params`."


class UnknownMethod(RoveError):
    code = "unknown_method"
    default_hint = "The methods are in docs/gateway.md."


class Forbidden(RoveError):
    code = "forbidden"
    default_hint = "Use a token with that scope; the owner can make one with tokens.create."


class RateLimited(RoveError):
    code = "rate_limited"
    default_hint = "Send fewer requests a second."
    retryable = True


class Denied(RoveError):
    code = "denied"
    default_hint = "Only the person who runs rove can allow this: do not try to get around it."


class HeldByPerson(RoveError):
    code = "held_by_person"
    default_hint = "Call again later: a person hands the session back, or resumes it."
    retryable = True


class JournalFailed(RoveError):
    code = "journal_failed"
    default_hint = (
        "No action runs until the journal can be written: the owner must free disk space or repair the folder."
    )


class NotOpen(RoveError):
    code = "not_open"
    default_hint = "Call {status} to see what is open."


class LimitReached(RoveError):
    code = "limit_reached"
    default_hint = "Close something first, then call again."
    retryable = True


class StateUnusable(RoveError):
    code = "state_unusable"
    default_hint = "Open the session without it, log in again and save it anew; what was saved is kept until then."


class ProfileInUse(RoveError):
    code = "profile_in_use"
    default_hint = "Close the session that uses it, or use another profile."
    retryable = True


class BrowserUnavailable(RoveError):
    code = "browser_unavailable"
    default_hint = "Run `rove doctor` to see what is wrong and how to fix it."


def unwritable(folder: object, error: OSError) -> BrowserUnavailable:
    """Return the error for a folder that rove needs and cannot write to."""
    return BrowserUnavailable(
        f"{folder} cannot be written: {error.strerror}.", hint="Set ROVE_HOME, or pass --home, to a folder that can be."
    )


class ClusterUnavailable(RoveError):
    code = "cluster_unavailable"
    default_hint = "Start the head of the cluster again, then call again."
    retryable = True


class NodeLost(RoveError):
    code = "node_lost"
    default_hint = "Call again: another node takes over."
    retryable = True


class Unsupported(RoveError):
    """The browser engine in use cannot do this."""

    code = "unsupported"
    default_hint = "Use another browser engine, or another way to do it."


class NavigationFailed(RoveError):
    code = "navigation_failed"
    default_hint = "Check the address, or try again if the server may be slow to start."
    retryable = True


class CertificateInvalid(RoveError):
    code = "certificate_invalid"
    default_hint = "Do not try to get round it: the owner of the server must renew its certificate."


class NeedsCredentials(RoveError):
    code = "needs_credentials"
    default_hint = "Tell the user what it asks for. If the owner has defined a secret for it, use {credentials}."


class HttpError(RoveError):
    """The server answered with an error status."""

    code = "http_error"
    default_hint = "Check the address; if it is right, use another source."

    def __init__(self, *message: str, status: int = 400, retry_after: float | None = None) -> None:
        is_passing = status in (408, 425, 429) or status >= 500
        hint = "Try again later, or use another source." if is_passing else None
        super().__init__(*message, hint=hint, retry_after=retry_after, retryable=is_passing)
        self.status = status


class Blocked(RoveError):
    """A site shows a check for robots instead of the page."""

    code = "blocked"
    default_hint = "Ask a person to pass it with {handoff}, then call again."


class PageCrashed(RoveError):
    code = "page_crashed"
    default_hint = "Call again: the page is loaded anew. If it crashes again, leave it with {navigate}."
    retryable = True


class DialogOpen(RoveError):
    code = "dialog_open"
    default_hint = "Answer it with {dialog}, then call again."
    retryable = True


class DeadlineExceeded(RoveError):
    code = "deadline_exceeded"
    default_hint = "Look at the page with {snapshot}. `timeout` allows more time."
    retryable = True


class ScriptFailed(RoveError):
    code = "script_failed"
    default_hint = "Correct the expression and call again."


class DocumentLocked(RoveError):
    code = "document_locked"
    default_hint = "Call {read_pdf} with `password`, as secret:NAME if the owner has defined one, or ask the user."


class DocumentDamaged(RoveError):
    code = "document_damaged"
    default_hint = "Download it again; if it stays damaged, look for the same document elsewhere."


class ElementNotFound(RoveError):
    code = "element_not_found"
    default_hint = "Take a {snapshot} and use a ref that it shows."


class ElementGone(RoveError):
    code = "element_gone"
    default_hint = "The page has changed: take a new {snapshot} and use a ref that it shows."


class AmbiguousTarget(RoveError):
    code = "ambiguous_target"
    default_hint = "Use the ref of the one you mean."


class ExpectationFailed(RoveError):
    code = "expectation_failed"
    default_hint = "Look at the page with {snapshot}: it, or what was expected of it, is wrong."


class ElementNotReady(RoveError):
    code = "element_not_ready"
    default_hint = "Remove what is in the way, or wait for the element with {wait}, then call again."
    retryable = True
