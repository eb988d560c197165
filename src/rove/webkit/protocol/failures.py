"""Failures that a WebDriver server reports, told apart by its error codes and never by its messages."""

from __future__ import annotations

from typing import Any

from rove.browser.failures import BrowserError


class WebDriverError(BrowserError):
    """The driver refused a command, or no longer answers. `code` is WebDriver's, such as `no such window`."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.detail = message


class DriverLost(WebDriverError):
    """The driver, or the browser that it drives, has ended."""


class DocumentGone(WebDriverError):
    """The document, frame or window that a command was for is no longer there."""


class ElementStale(WebDriverError):
    """The element that a command was for is no longer in the document."""


class AlertOpen(WebDriverError):
    """A dialog is open, and the browser answers no other command. `text` is the dialog's message."""

    def __init__(self, code: str, message: str, text: str) -> None:
        super().__init__(code, message)
        self.text = text


class ScriptThrew(WebDriverError):
    """The script has thrown; `detail` is the message of what it threw."""


_LOST = frozenset({"invalid session id", "session not created"})
_GONE = frozenset({"no such window", "no such frame"})
_STALE = frozenset({"stale element reference", "no such element", "detached shadow root", "no such shadow root"})


def failure_of(value: dict[str, Any]) -> WebDriverError:
    """Return the failure that the driver's answer describes."""
    code, message = str(value.get("error", "unknown error")), str(value.get("message", ""))
    if code == "unexpected alert open":
        data = value.get("data")
        return AlertOpen(code, message, str(data.get("text", "")) if isinstance(data, dict) else "")
    if code == "javascript error":
        return ScriptThrew(code, message)
    kinds = ((_LOST, DriverLost), (_GONE, DocumentGone), (_STALE, ElementStale))
    kind = next((kind for codes, kind in kinds if code in codes), WebDriverError)
    return kind(code, message)
