"""Where redirects lead."""

from __future__ import annotations

from rove.browser.failures import navigation_error
from rove.content.http.answer import HttpAnswer, lower_case


def test_bytes_of_a_location_are_escaped_as_browsers_do() -> None:
    for written, read in ((b"/caf\xc3\xa9", "/caf%C3%A9"), (b"/caf\xe9", "/caf%E9"), (b"/a%20b", "/a%20b")):
        answer = HttpAnswer("https://example.com/", 302, lower_case([(b"Location", written)]), b"")
        assert answer.location == read


def test_a_chain_of_different_addresses_is_no_loop() -> None:
    chain = navigation_error("net::ERR_TOO_MANY_REDIRECTS", "http://a/9", [f"http://a/{number}" for number in range(9)])
    loop = navigation_error("net::ERR_TOO_MANY_REDIRECTS", "http://a/", ["http://a/"] * 9)
    assert "loop" in loop.hint and "loop" not in chain.hint and "too often" in chain.hint
