"""URLs and headers of requests, and what a session changes about them: rules, conditions, own files."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import unquote

from rove.errors import Denied
from rove.outcome import origin_in
from rove.page_text import of_same_author
from rove.patterns import pattern
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.workspace import Workspace

_OPENED = frozenset({"http", "https", "about", "blob", "data", "javascript", "file"})
_EXTENSIONS = frozenset({"chrome-extension", "moz-extension", "safari-web-extension"})
_READABLE = frozenset({"http", "https", "about", "blob", "data", "chrome-error"})
RuleKind = Literal["block", "answer", "change"]
MAX_HEADERS = 60
MAX_VALUE_LENGTH = 1000
MASK = "***"
# A reader of such a value could act as the user, so only the name of the header is shown.
_SECRET = pattern(r"auth|cookie|token|secret|session|password|passwd|credential|signature|api-?key|csrf|xsrf", re.I)
_HARMLESS = frozenset({"www-authenticate", "proxy-authenticate", ":authority"})
_LABEL = re.compile(r"\[secret ([^\]]*)\]")
FILE_SCHEME = "file:"
UNKNOWN_TYPE = "application/octet-stream"
HINT = "Use an http: or https: address, or a file of the workspace."


def is_web(url: str) -> bool:
    """Return whether a browser loads the URL itself instead of handing it to another program."""
    return _scheme(url) in _OPENED


def is_readable_scheme(url: str) -> bool:
    """Return whether a page of an attached browser may be shown: no settings, no extensions, no files."""
    return _scheme(url) in _READABLE


def is_extension_page(url: str) -> bool:
    """Return whether a URL is a page, or the worker, of an extension of the browser."""
    return _scheme(url) in _EXTENSIONS


def scheme_refusal(url: str) -> str:
    """Say why a URL that is not of the web is not opened."""
    return f"{url[:200]} would start another program, which rove does not do"


def _scheme(url: str) -> str:
    return url.partition(":")[0].lower()


@dataclass(frozen=True)
class RequestRule:
    """What is done with the requests whose URL matches `pattern`, in which `*` stands for any text.

    `origin`: the one origin that the pattern names; None for a pattern that names none, which can only block.
    """

    number: int
    kind: RuleKind
    pattern: str
    origin: str | None = None
    method: str | None = None
    type: str | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None

    @property
    def label(self) -> str:
        """How the network log names what it has done to a request."""
        verb = {"block": "blocked", "answer": "answered", "change": "changed"}[self.kind]
        return f"{verb} by rule {self.number}"

    def matches(self, url: str, method: str, kind: str) -> bool:
        return (
            (self.method is None or self.method == method.upper())
            and (self.type is None or self.type == kind.lower())
            # Chromium compares the pattern too; the origin decides who gets headers, so it is compared here as well.
            and (self.origin is None or url.startswith(f"{self.origin}/"))
            and self._expression.fullmatch(url.partition("#")[0]) is not None
        )

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(".*".join(map(re.escape, self.pattern.split("*"))), re.DOTALL)


def decisive_rule(rules: Iterable[RequestRule]) -> RequestRule | None:
    """Return the newest of the rules that match a request which blocks or answers it; None if none does."""
    return next((rule for rule in reversed([*rules]) if rule.kind != "change"), None)


@dataclass(frozen=True)
class Throttling:
    """How much slower a session is than it could be; by default not at all.

    `latency`: milliseconds that are added to each request. `download`, `upload`: kilobits per second; None for no
    limit. `cpu`: how many times slower scripts run.
    """

    latency: float = 0
    download: float | None = None
    upload: float | None = None
    cpu: float = 1


def truncate_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the first headers, with long values cut, so that a page cannot fill memory."""
    return {name: value[:MAX_VALUE_LENGTH] for name, value in list(headers.items())[:MAX_HEADERS]}


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with a mask in place of credentials, cookies and tokens."""
    return {name: _mask(name.lower(), value) for name, value in headers.items()}


def _mask(name: str, value: str) -> str:
    if name in _HARMLESS or not _SECRET.search(name):
        return value
    if name == "cookie":
        return "; ".join(_mask_cookie(cookie) for cookie in value.split(";"))
    if name == "set-cookie":
        return "\n".join(_mask_set_cookie(line) for line in value.split("\n"))
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} {MASK}" if name.endswith("authorization") and blank else MASK


def _mask_set_cookie(line: str) -> str:
    cookie, semicolon, attributes = line.partition(";")
    return _mask_cookie(cookie) + semicolon + attributes


def _mask_cookie(cookie: str) -> str:
    return f"{cookie.partition('=')[0].strip()}={MASK}"


class TextRedactor(Protocol):
    """Removes secrets, and what a person typed, from texts; `names` is empty if there is nothing to remove."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def redact(self, text: str, /) -> str: ...
    def redact_all(self, texts: Sequence[str], /) -> list[str]:
        """Redact texts that are shown together, over which a secret may be spread."""
        ...


class NoRedactor:
    """Removes nothing."""

    names: tuple[str, ...] = ()

    def redact(self, text: str) -> str:
        return text

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        return [*texts]


def withheld(text: str, redact: Callable[[str], str]) -> str:
    """Return the text, or a note in its place if it carries a secret or a part of one."""
    clear = redact(text)
    if clear == text:
        return text
    names = dict.fromkeys(_LABEL.findall(clear))
    return f"[withheld: carries secret {', '.join(names)}]"


def withheld_url(url: str, redact: Callable[[str], str]) -> str:
    """Return the URL; if it carries a secret, only its origin."""
    shown = withheld(url, redact)
    if shown == url:
        return url
    origin = origin_in(url)
    return f"{origin}/{shown}" if redact(origin) == origin and origin != url else shown


def seconds_in(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, which may be given as a date; None if it asks nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    from email.utils import parsedate_to_datetime  # imported late, as few servers send the header

    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None


class WorkspaceFiles:
    """The files that `file:` addresses may open: regular files of one folder, without links on the way."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        self._root = root
        self._max_bytes = max_bytes

    def path_of(self, url: str) -> str:
        """Return the path that an address names. Raises Denied if it leads out of the workspace, as far as it says."""
        path = _path_in(url)
        inside = _below(path, self._root) or _below(path, self._root.resolve())
        if inside is None or ".." in inside.split("/") or "\\" in inside or "\0" in inside:
            raise Denied(of_same_author(url[:200], url), f" lies outside the workspace {self._root}.", hint=HINT)
        return inside

    def check(self, url: str) -> None:
        """Raise Denied or InvalidArguments if an address does not name a file that may be opened."""
        with Workspace(self._root).reading(self.path_of(url)):
            pass

    def read(self, url: str) -> tuple[bytes, str]:
        """Return the bytes and the MIME type of a file. Raises Denied or InvalidArguments."""
        import mimetypes  # not needed to start

        path = self.path_of(url)
        with Workspace(self._root).reading(path) as file:
            if file.size > self._max_bytes:
                raise Denied(f"{path} has {file.size} bytes, and {self._max_bytes} are allowed.", hint=HINT)
            with os.fdopen(os.dup(file.descriptor), "rb") as opened:
                return opened.read(), mimetypes.guess_type(file.name)[0] or UNKNOWN_TYPE


def files_for(settings: Settings) -> WorkspaceFiles | None:
    """Return the files that `file:` addresses may open; None if the settings or the engine refuse these addresses."""
    # Only Chromium lets rove read the files: another browser would show every file in a frame of one that it opens.
    if settings.guard.files == "refuse" or settings.attach is not None or settings.engine != "chromium":
        return None
    return WorkspaceFiles(settings.workspace_folder, settings.limits.page_megabytes * 2**20)


def _path_in(url: str) -> str:
    """Return the path of a file address as a browser reads it, with its escapes resolved once."""
    from ada_url import URL  # imported late: it takes 5 ms, and few agents open files

    try:
        parsed = URL(url)
    except ValueError:
        raise Denied(of_same_author(url[:200], url), " is not a valid address.", hint=HINT) from None
    if parsed.protocol != FILE_SCHEME or parsed.hostname not in ("", "localhost"):
        raise Denied(of_same_author(url[:200], url), " is not a file of this machine.", hint=HINT)
    return unquote(parsed.pathname)


def _below(path: str, root: Path) -> str | None:
    """Return what follows the root in a path; None if it is not below the root."""
    prefix = f"{root}/"
    return path[len(prefix) :] if path.startswith(prefix) and path != prefix else None
