"""One named secret: its value, and where it may be typed."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from rove.validation.record import dataclass


@dataclass(frozen=True)
class Secret:
    """A value with a name, the origins that it is bound to, and the kind of field that it may be typed into."""

    name: str
    origins: tuple[str, ...]
    value: str = field(repr=False)
    fields: Literal["password", "any"] = "password"
    # Whether it may be used as the password of a document, such as a PDF.
    opens_documents: bool = False

    @property
    def goes_anywhere(self) -> bool:
        return self.fields == "any"
