"""How the browser of a session is shown."""

from __future__ import annotations

from rove.settings.sections import EngineName
from rove.validation.fields import Validated, arg
from rove.validation.record import dataclass


@dataclass(frozen=True)
class ViewportSize(Validated):
    """The size of the viewport of each tab of a session."""

    width: int = arg("CSS pixels.", ge=1, le=10_000)
    height: int = arg("CSS pixels.", ge=1, le=10_000)


@dataclass(frozen=True)
class WindowChoice:
    """What a session has instead of what the settings say: a window or none, the size of viewports, the engine."""

    headless: bool | None = None
    viewport: ViewportSize | None = None
    # Whether its browser is started at once, not with the first call that needs it.
    starts_now: bool = False
    engine: EngineName | None = None
    # Whether all of it is recorded as a video, and as HAR, also if the settings do not say so.
    video: bool = False
    har: bool = False


AS_SET = WindowChoice()
