"""What is told of a request that failed, or that was answered with an error."""

from __future__ import annotations

from rove.browser.failures import credentials_error, host_and_port, navigation_error
from rove.errors import DeadlineExceeded, Denied, HttpError, RoveError
from rove.fetching.http.address import INVALID
from rove.fetching.http.answer import HttpAnswer, HttpFailure, status_text
from rove.fetching.http.charset import text_of
from rove.fetching.http.robots import RobotsRefusal
from rove.fetching.page_facts import page_facts
from rove.fetching.signs.escalation import is_html, retry_after
from rove.outcome import PageText, origin_in

# Chromium's error for each reason for which OpenSSL refuses a certificate.
_CERTIFICATE_ERRORS = {
    "7": "ERR_CERT_AUTHORITY_INVALID",
    "9": "ERR_CERT_DATE_INVALID",
    "10": "ERR_CERT_DATE_INVALID",
    "18": "ERR_CERT_AUTHORITY_INVALID",
    "19": "ERR_CERT_AUTHORITY_INVALID",
    "20": "ERR_CERT_AUTHORITY_INVALID",
    "21": "ERR_CERT_AUTHORITY_INVALID",
    "23": "ERR_CERT_REVOKED",
    "62": "ERR_CERT_COMMON_NAME_INVALID",
    "64": "ERR_CERT_COMMON_NAME_INVALID",
}
_NET_ERRORS = {
    "closed": "ERR_CONNECTION_CLOSED",
    "malformed": "ERR_CONTENT_DECODING_FAILED",
    "unreachable": "ERR_TUNNEL_CONNECTION_FAILED",
}
LONGEST_QUOTE = 500
ROBOTS_HINT = "The owner of rove wants robots.txt respected (`fetching.robots`): use another source."
RETRY_ROBOTS_HINT = (
    "The owner of rove wants robots.txt respected (`fetching.robots`): try again later, or use another source."
)


def failure_error(failure: HttpFailure) -> RoveError:
    """Return the error for a request that has no answer, in the words of a failed navigation."""
    if failure.kind == "timeout":
        return DeadlineExceeded(
            f"{host_and_port(failure.url)} did not send the page within {failure.reason}.",
            hint="Try again later. `timeout` allows more time.",
        )
    if failure.kind == "certificate":
        return navigation_error(f"net::{_CERTIFICATE_ERRORS.get(failure.reason, 'ERR_CERT_INVALID')}", failure.url)
    if failure.reason == "invalid redirect":
        return navigation_error("net::ERR_INVALID_REDIRECT", failure.url)
    if failure.reason == INVALID:
        return navigation_error("net::ERR_INVALID_URL", failure.url)
    return navigation_error(f"net::{_NET_ERRORS[failure.kind]}", failure.url)


def robots_error(url: str, refusal: RobotsRefusal) -> Denied:
    """Return the error for an address that robots.txt forbids, or may forbid."""
    rules = f"The robots.txt of {host_and_port(url)}"
    message = f"{rules} does not let programs read this address."
    if refusal.failure:
        message = f"{rules} could not be read ({refusal.failure}), which counts as a refusal."
    hint = RETRY_ROBOTS_HINT if refusal.failure else ROBOTS_HINT
    return Denied(message, hint=hint, retryable=bool(refusal.failure))


def status_error(answer: HttpAnswer) -> RoveError:
    """Return the error for an answer with an error status, with the beginning of what the server says."""
    if answer.status == 401 and "www-authenticate" in answer.headers:
        return credentials_error(answer.status, answer.url, answer.headers.get("www-authenticate")[:100])
    error = http_error(answer.url, answer.status, _said(answer), retry_after(answer))
    error.notice = answer.cache_note
    return error


def http_error(url: str, status: int, said: str = "", wait: float | None = None) -> HttpError:
    """Return the error for an address that is answered with an error status."""
    quote = (": ", PageText(said[:LONGEST_QUOTE], origin_in(url))) if said else ()
    message = (f"{host_and_port(url)} answered with {status_text(status)}", *quote)
    return HttpError(*message, status=status, retry_after=wait)


def _said(answer: HttpAnswer) -> str:
    """Return the words of an error answer, on one line."""
    if is_html(answer):
        facts = page_facts(text_of(answer), answer.url)
        return facts.title or facts.text[:LONGEST_QUOTE]
    is_text = answer.media_type.startswith("text/") or answer.media_type.endswith("json")
    return " ".join(text_of(answer)[: LONGEST_QUOTE * 2].split()) if is_text else ""
