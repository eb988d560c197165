"""What an address is, before anything is sent to it."""

from __future__ import annotations

import pytest

from rove.guard.urls import scheme_of


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("https://example.com", "https"),
        ("HTTP://example.com", "http"),
        ("fi\tle:///etc/passwd", "file"),
        ("fi\nle:///etc/passwd", "file"),
        ("\x00\x1f file:///etc/passwd", "file"),
        ("java\r\nscript:alert(1)", "javascript"),
        ("view-source:https://example.com", "view-source"),
        ("example.com", None),
        ("//example.com", None),
        ("1http://example.com", None),
        ("", None),
    ],
)
def test_the_scheme_is_the_one_that_a_browser_would_read(url: str, scheme: str | None) -> None:
    assert scheme_of(url) == scheme
