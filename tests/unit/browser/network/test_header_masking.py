"""Masking and truncating headers."""

from __future__ import annotations

import pytest

from rove.browser.network import MAX_HEADERS, MAX_VALUE_LENGTH, mask_headers, truncate_headers


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
def test_values_that_would_let_a_reader_act_as_the_user_are_masked(name: str, value: str, shown: str) -> None:
    assert mask_headers({name: value}) == {name: shown}


def test_headers_are_limited_in_number_and_length() -> None:
    many = {f"X-{number}": "v" * 5000 for number in range(500)}
    assert len(truncate_headers(many)) == MAX_HEADERS
    assert {len(value) for value in truncate_headers(many).values()} == {MAX_VALUE_LENGTH}
