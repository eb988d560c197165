"""The formats that an article can be rendered in."""

from typing import Literal, TypeAlias

Format: TypeAlias = Literal["text", "markdown", "html"]
