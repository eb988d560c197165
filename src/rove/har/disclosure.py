"""What of requests and responses may stand in a file that the agent can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rove.browser.network import mask_headers, withheld, withheld_url

WITHHELD = "[withheld]"


@dataclass(frozen=True)
class Disclosure:
    """Removes secrets from texts, and leaves out what was written by origins that the agent may not read.

    `max_body`: the most bytes of a body that is kept; 0 keeps none.
    """

    redact: Callable[[str], str]
    may_read: Callable[[str], bool]
    max_body: int = 0

    def text(self, text: str) -> str:
        return withheld(text, self.redact)

    def url(self, url: str) -> str:
        return withheld_url(url, self.redact)

    def headers(self, headers: Mapping[str, str]) -> list[dict[str, str]]:
        """Return headers in the form of HAR, without credentials, cookies and tokens; a line for each value."""
        masked = mask_headers(headers).items()
        return [
            {"name": self.text(name), "value": self.text(line)} for name, value in masked for line in value.split("\n")
        ]

    def body(self, data: bytes) -> str | bytes:
        """Return a body as text, or as bytes if it is none; a note in its place if it carries a secret."""
        text = data.decode("utf-8", "replace")  # the bytes of a picture or an archive may hold a secret too
        if (shown := self.text(text)) != text:
            return shown
        return data if "\ufffd" in text or "\0" in text else text

    def line(self, entry: Mapping[str, Any]) -> str | None:
        """Return an entry as JSON. None if a secret is spread over it, so that it cannot be shown."""
        text = json.dumps(entry, ensure_ascii=False)
        return text if self.redact(text) == text else None
