"""Addresses as browsers read and write them, so that policy, guard, journal and request see the same host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.fetching.http.answer import HttpFailure

if TYPE_CHECKING:
    import httpx2

# Longer addresses are not sent. Few servers accept 16 kB.
LONGEST = 60_000
INVALID = "invalid address"


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
