"""Settings of what an agent is shown of a page: how much text, how large pictures."""

from __future__ import annotations

from rove.validation.fields import Validated, arg
from rove.validation.record import dataclass


@dataclass(frozen=True)
class Observing(Validated):
    budget: int = arg("Most tokens of a page's first look.", default=4000, ge=200)
    picture: int = arg("Longest side of a picture, in pixels; a larger one is scaled down.", default=1568, ge=64)
    changes: int = arg("Most tokens of what an act changed.", default=1500, ge=100)
    output: int = arg(
        "Most bytes of a value or a log that are returned as text; more is written to a file in the workspace.",
        default=20_000,
        ge=200,
    )
