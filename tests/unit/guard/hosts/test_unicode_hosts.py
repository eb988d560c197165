"""What a person is told of hosts that are not ASCII."""

from __future__ import annotations

import pytest

from rove.guard.network.urls import described_hosts, host_description

MIXED = "one word of it mixes"


@pytest.mark.parametrize(
    ("url", "punycode", "shown", "words"),
    [
        ("https://\u0430pple.com/", "xn--pple-43d.com", "\u0430pple.com", f"{MIXED} Cyrillic and Latin letters"),
        ("https://\u0430\u0440\u0440\u04cf\u0435.com/", "xn--80ak6aa92e.com", "\u0430", "with Cyrillic letters"),
        ("https://g\u03bfogle.test/", "xn--gogle-rce.test", "g\u03bfogle.test", f"{MIXED} Greek and Latin letters"),
        ("https://b\u00fccher.example/", "xn--bcher-kva.example", "b\u00fccher.example", "with Latin letters"),
        ("https://\u65e5\u672ctoky\u30c6.jp/", "xn--", "\u65e5\u672c", "with Han, Katakana and Latin letters"),
        ("https://xn--pple-43d.com:8443/x", "xn--pple-43d.com", "\u0430pple.com", MIXED),
        ("https://pay.\u0440al.test/", "xn--", "pay.\u0440al.test", f"{MIXED} Cyrillic and Latin letters"),
    ],
)  # fmt: skip
def test_a_host_is_told_as_dns_knows_it_and_as_it_looks(url: str, punycode: str, shown: str, words: str) -> None:
    (told,) = described_hosts([url, None, url])
    assert punycode in told and shown in told and words in told
    assert (MIXED in told) == (MIXED in words)


@pytest.mark.parametrize("host", ["example.com", "127.0.0.1", "::1", "xn--", "xn--zzzzzzzzzz99999999999"])
def test_other_hosts_are_not_described_and_odd_ones_do_no_harm(host: str) -> None:
    assert MIXED not in (host_description(host) or "")
    assert described_hosts([f"https://{host}/", "no address", ""]) == []
