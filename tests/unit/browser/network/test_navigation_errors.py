"""Network errors of a browser (`net::ERR_…`) as errors of rove."""

from __future__ import annotations

import pytest

from rove.browser.failures import credentials_error, host_and_port, interrupted_error, navigation_error

DISTINCT = [
    "ERR_CONNECTION_REFUSED", "ERR_NAME_NOT_RESOLVED", "ERR_ADDRESS_UNREACHABLE", "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE", "ERR_PROXY_CONNECTION_FAILED", "ERR_TUNNEL_CONNECTION_FAILED", "ERR_CERT_DATE_INVALID",
    "ERR_CERT_COMMON_NAME_INVALID", "ERR_CERT_AUTHORITY_INVALID", "ERR_CONTENT_DECODING_FAILED",
    "ERR_CONTENT_LENGTH_MISMATCH", "ERR_TOO_MANY_REDIRECTS", "ERR_BAD_SSL_CLIENT_AUTH_CERT",
]  # fmt: skip


def test_the_message_of_a_refused_connection_names_the_reason_and_the_host() -> None:
    error = navigation_error("net::ERR_CONNECTION_REFUSED", "http://localhost:8000/path?query")
    assert error.message == "net::ERR_CONNECTION_REFUSED: Failed to connect to localhost:8000"


def test_every_reason_has_a_message_of_its_own() -> None:
    messages = {navigation_error(f"net::{name}", "https://a.example/x").message.partition(": ")[2] for name in DISTINCT}
    assert len(messages) == len(DISTINCT)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("net::ERR_CONNECTION_RESET", "navigation_failed"),
        ("net::ERR_SOMETHING_NEW", "navigation_failed"),
        ("net::ERR_CERT_DATE_INVALID", "certificate_invalid"),
        ("net::ERR_CERT_SOMETHING_NEW", "certificate_invalid"),
        ("net::ERR_SSL_PROTOCOL_ERROR", "navigation_failed"),
        ("net::ERR_BAD_SSL_CLIENT_AUTH_CERT", "needs_credentials"),
        ("net::ERR_PROXY_AUTH_REQUESTED", "needs_credentials"),
    ],
)
def test_a_reason_has_the_code_that_callers_branch_on(reason: str, code: str) -> None:
    assert navigation_error(reason, "https://a.example/").code == code


def test_only_temporary_failures_are_retryable() -> None:
    assert navigation_error("net::ERR_CONNECTION_REFUSED", "http://a.example/").retryable
    assert not navigation_error("net::ERR_CERT_DATE_INVALID", "https://a.example/").retryable
    assert not navigation_error("net::ERR_PROXY_AUTH_REQUESTED", "https://a.example/").retryable


def test_only_the_first_redirects_of_a_chain_are_shown() -> None:
    hops = [f"http://a.example/{number}" for number in range(20)]
    message = navigation_error("net::ERR_TOO_MANY_REDIRECTS", hops[-1], hops).message
    assert "Redirected 20 times" in message
    assert f"{hops[0]} -> {hops[1]}" in message and hops[-1] not in message


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://a.example/x", "a.example"),
        ("https://a.example:8443?x", "a.example:8443"),
        ("http://user:secret@a.example/", "a.example"),
        ("http://[::1]:80/", "[::1]:80"),
        ("mailto:a@b.example", "b.example"),
        ("http://{host}/{url}", "{host}"),
    ],
)
def test_a_place_is_host_and_port_without_a_password(url: str, place: str) -> None:
    assert host_and_port(url) == place
    assert "secret" not in navigation_error("net::ERR_CONNECTION_REFUSED", url).message


def test_the_hint_of_an_interrupted_page_suggests_a_snapshot() -> None:
    error = interrupted_error("net::ERR_CONNECTION_RESET", "http://a.example/")
    assert error.message == navigation_error("net::ERR_CONNECTION_RESET", "http://a.example/").message
    assert "{snapshot}" in error.hint


def test_the_message_of_a_password_prompt_names_the_challenge() -> None:
    error = credentials_error(401, "http://a.example/x", 'Basic realm="Vault"')
    assert (error.code, error.message) == (
        "needs_credentials",
        'HTTP 401: a.example asks for a password (Basic realm="Vault")',
    )


@pytest.mark.parametrize(
    ("reason", "word", "is_retryable"),
    [
        ("ERR_NAME_NOT_RESOLVED", "spelling", False),
        ("ERR_UNSAFE_PORT", "port", False),
        ("ERR_INTERNET_DISCONNECTED", "network", True),
        ("ERR_CONNECTION_REFUSED", "slow to start", True),
    ],
)
def test_the_hint_fits_the_reason(reason: str, word: str, is_retryable: bool) -> None:
    error = navigation_error(f"net::{reason}", "http://host.example:6000/")
    assert word in error.hint
    assert ("slow to start" in error.hint) == (word == "slow to start")
    assert error.retryable is is_retryable
