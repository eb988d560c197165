"""The answer of a server to a request, its text, and addresses as browsers write them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal

from rove.records import dataclass

if TYPE_CHECKING:
    import httpx2
    from webencodings import Encoding

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# Why there is no answer.
FailureKind = Literal["timeout", "closed", "malformed", "certificate", "unreachable"]
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16be"), (codecs.BOM_UTF16_LE, "utf-16le"))
_CHARSET = re.compile(r"charset\s*=\s*+[\"']?+\s*+([^\s\"'/>;,]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]*?charset\s*=\s*+[\"']?+\s*+([^\s\"'/>;]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
# Browsers look for a meta element in so many bytes.
LOOKED_AT = 1024
LOOKED_AT_LATE = 200_000
FALLBACK = "windows-1252"
# Encodings that pages without a declaration are written in, by Python's names for them.
CANDIDATES = {
    "cp1252": "windows-1252", "cp1251": "windows-1251", "koi8_r": "koi8-r",
    "cp1253": "windows-1253", "cp1255": "windows-1255", "cp1256": "windows-1256", "shift_jis": "shift_jis",
    "cp932": "shift_jis", "euc_jp": "euc-jp", "gb18030": "gb18030", "gbk": "gbk", "big5": "big5", "euc_kr": "euc-kr",
    "cp949": "euc-kr",
}  # fmt: skip
# Too few letters beyond ASCII say nothing.
FEWEST_FOREIGN = 12
DETECTED_BY = 6_000
_MARKUP = re.compile(rb"<[^<>]*>")
_FOREIGN = re.compile(rb"[\x80-\xff]")

# Longer addresses are not sent. Few servers accept 16 kB.
LONGEST = 60_000
INVALID = "invalid address"


class HttpFailure(Exception):
    """A request that has no answer. `url`: the address that was asked for last, after redirects."""

    def __init__(self, kind: FailureKind, url: str, reason: str = "") -> None:
        super().__init__(f"{kind}: {url} {reason}")
        self.kind: FailureKind = kind
        self.url = url
        self.reason = reason


@dataclass(frozen=True)
class Headers:
    """The headers of a message, in order. Names are in lower case."""

    fields: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str:
        """Return the values of a header, joined by commas; an empty text if there is none."""
        return ", ".join(self.all(name))

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.fields if known == name]

    def __contains__(self, name: str) -> bool:
        return any(known == name for known, _ in self.fields)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.fields)

    def replaced(self, newer: Headers) -> Headers:
        """Return the headers with those that `newer` has too replaced by it."""
        names = {name for name, _ in newer}
        return Headers((*((name, value) for name, value in self if name not in names), *newer))


@dataclass(frozen=True)
class HttpAnswer:
    """What a server answered, unpacked. `is_cut`: this is not all of it; `missing`: why the rest did not arrive.

    `age`: seconds since the server, or a cache, gave it, if it comes from the session's cache; `is_revalidated`: the
    server has just said that it has not changed. `hops`: the addresses that redirected to `url`.
    """

    url: str
    status: int
    headers: Headers
    body: bytes
    is_cut: bool = False
    version: str = ""
    age: float | None = None
    is_revalidated: bool = False
    hops: tuple[str, ...] = ()
    missing: str = ""

    @property
    def cache_note(self) -> str:
        """Say, in rove's words, that it comes from the cache; nothing if it does not."""
        if self.age is None:
            return ""
        fresh = "the server says that it has not changed" if self.is_revalidated else "still fresh"
        return f"From the cache, {self.age:.0f} s old; {fresh}."

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def media_type(self) -> str:
        """The type that the server names, without parameters, in lower case."""
        return self.headers.get("content-type").partition(";")[0].partition(",")[0].strip().lower()

    @property
    def location(self) -> str | None:
        """Where a redirect leads, as the server writes it; None if it is not one."""
        is_redirect = self.status in (301, 302, 303, 307, 308)
        written = next(iter(self.headers.all("location")), None) if is_redirect else None
        # Browsers escape the bytes that are not ASCII one by one, whatever encoding they are in.
        return _NOT_ASCII.sub(lambda byte: f"%{ord(byte[0]):02X}", written) if written is not None else None


def status_text(status: int) -> str:
    """Return a status with its name: `HTTP 404 (Not Found)`."""
    try:
        return f"HTTP {status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return f"HTTP {status}"


def seconds_to_wait(value: str, now: float) -> float | None:
    """Return the seconds of a `Retry-After` header, which may be a date; None if it names none."""
    if is_number(value.strip()):
        return float(value.strip()[:9])
    moment = moment_of(value)
    return max(moment - now, 0.0) if moment is not None else None


def is_number(value: str) -> bool:
    """Whether a value is a number as headers write it. To `isdigit` alone, `²` is one too."""
    return value.isascii() and value.isdigit()


def moment_of(date: str) -> float | None:
    """Return the time that a date in a header names, in seconds since the epoch; None if it is no date."""
    from email.utils import mktime_tz, parsedate_tz

    try:
        parsed = parsedate_tz(date)
        # Without a zone it is a time of UTC, as all times of HTTP are.
        return float(mktime_tz((*parsed[:9], parsed[9] or 0))) if parsed is not None else None
    except (ValueError, OverflowError, IndexError):
        return None


def lower_case(raw: Sequence[tuple[bytes, bytes]]) -> Headers:
    """Return headers as they came, with names in lower case."""
    return Headers(tuple((name.decode("ascii", "replace").lower(), value.decode("latin-1")) for name, value in raw))


def text_of(answer: HttpAnswer) -> str:
    """Return the body of an answer as text. Bytes that are not valid in its encoding are replaced."""
    encoding = encoding_of(answer.body, answer.headers.get("content-type"))
    text, _ = encoding.codec_info.decode(answer.body, "replace")
    return text.removeprefix("\ufeff")


def encoding_of(body: bytes, content_type: str) -> Encoding:
    """Return the encoding of a text."""
    from webencodings import UTF8, lookup

    mark = next((name for start, name in _BOMS if body.startswith(start)), None)
    named = _CHARSET.search(content_type)
    label = mark or (named[1] if named else "")
    return lookup(label) or _declared(body, LOOKED_AT) or lookup(_guess(body)) or UTF8


def _declared(body: bytes, within: int) -> Encoding | None:
    """Return the encoding that a document declares for itself in its first bytes."""
    from webencodings import lookup

    found = _META.search(body[:within]) or _XML.search(body[:within])
    encoding = lookup(found[1].decode("ascii", "replace")) if found else None
    # A declaration that can be read byte by byte is not written in two bytes for each letter.
    return lookup("utf-8") if encoding is not None and encoding.name.startswith("utf-16") else encoding


def _guess(body: bytes) -> str:
    """Return UTF-8 if the bytes are valid in it, as others hardly ever are; else the encoding that they suggest.

    Browsers heed a declaration further on too, and otherwise guess by the letters.
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)  # the end may be cut in the middle of a letter
    except UnicodeDecodeError:
        declared = _declared(body, LOOKED_AT_LATE)
        return declared.name if declared is not None else _detected(body)
    return "utf-8"


def _detected(body: bytes) -> str:
    """Return the encoding that the letters of a text suggest. Markup, which is ASCII, says nothing about it."""
    from charset_normalizer import from_bytes

    words = _MARKUP.sub(b" ", body[:LOOKED_AT_LATE]).split()
    letters = b" ".join(word for word in words if _FOREIGN.search(word))[:DETECTED_BY]
    if len(_FOREIGN.findall(letters)) < FEWEST_FOREIGN:
        return FALLBACK
    best = from_bytes(letters, cp_isolation=[*CANDIDATES], threshold=0.4, language_threshold=0.05).best()
    return CANDIDATES.get(best.encoding, FALLBACK) if best is not None else FALLBACK


def canonical(address: str, base: str | None = None) -> str | None:
    """Return an address in full, as a browser writes it; None if it is not valid or too long."""
    from ada_url import URL  # imported late: it takes 5 ms

    try:
        href = str(URL(address, base).href)
    except ValueError:
        return None
    return href if len(href) <= LONGEST else None


def request_url(url: str) -> httpx2.URL:
    """Return an address for a request. Raises HttpFailure if the HTTP library reads another server in it."""
    import httpx2
    from ada_url import URL

    try:
        read, meant = httpx2.URL(url), URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise HttpFailure("malformed", url, INVALID) from error
    host = read.raw_host.decode("ascii")
    server = (f"{read.scheme}:", f"[{host}]" if ":" in host else host, str(read.port or ""))
    if server != (meant.protocol, meant.hostname, meant.port):
        raise HttpFailure("malformed", url, INVALID)
    return read
