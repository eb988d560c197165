"""Headers, fit to be shown."""

from __future__ import annotations

import pytest

from rove.browser.header_masking import MAX_HEADERS, MAX_VALUE_LENGTH, limit_headers, mask_headers


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Authorization", "Bearer abc.def", "Bearer ***"),
        ("Authorization", "abcdef", "***"),
        ("Proxy-Authorization", "Basic dXNlcjpwYXNz", "Basic ***"),
        ("Cookie", "sid=1; theme=dark; bare", "sid=***; theme=***; bare=***"),
        ("Set-Cookie", "sid=1; Path=/; HttpOnly\ntheme=dark", "sid=***; Path=/; HttpOnly\ntheme=***"),
        ("X-Api-Key", "k", "***"),
        ("X-CSRF-Token", "t", "***"),
        ("x-amz-security-token", "t", "***"),
        ("WWW-Authenticate", 'Basic realm="x"', 'Basic realm="x"'),
        ("Content-Type", "text/html", "text/html"),
        (":authority", "example.com", "example.com"),
    ],
)
def test_what_would_let_its_reader_act_as_the_user_is_masked(name: str, value: str, shown: str) -> None:
    assert mask_headers({name: value}) == {name: shown}


def test_only_so_much_is_kept() -> None:
    many = {f"X-{number}": "v" * 5000 for number in range(500)}
    assert len(limit_headers(many)) == MAX_HEADERS
    assert {len(value) for value in limit_headers(many).values()} == {MAX_VALUE_LENGTH}
