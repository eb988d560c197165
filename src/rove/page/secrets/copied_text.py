"""Text that was copied, with what was around it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.element import SecretSource


@dataclass(frozen=True)
class CopiedText:
    """A selected text, and the text before and after it: a selection may be a part of a secret."""

    text: str
    before: str = ""
    after: str = ""

    @classmethod
    def parse(cls, answer: dict[str, Any] | str | None) -> CopiedText:
        """Return what rove's script has reported."""
        data = json.loads(answer) if isinstance(answer, str) else answer or {}
        return cls(data.get("text", ""), data.get("before", ""), data.get("after", ""))

    def carried(self, secrets: SecretSource) -> dict[str, bool]:
        """Return the names of the secrets that the text is or has a part of, each with whether it has all of it."""
        start, end = len(self.before), len(self.before) + len(self.text)
        found = secrets.find(self.before + self.text + self.after)
        return {
            each.name: each.is_whole and start <= each.start and each.end <= end
            for each in found
            if each.start < end and start < each.end
        }
