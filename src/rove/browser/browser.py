"""What is told while a browser is found and started, and what it is started with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rove.browser.extensions import Extension
from rove.records import dataclass

Progress = Callable[[str], None]
# Called with the bytes received and the size of the whole, if that is known.
Meter = Callable[[int, int | None], None]
State = Literal["good", "worth knowing", "broken"]


@dataclass(frozen=True)
class Finding:
    """The result of one check of `rove doctor`, and how to fix what is broken."""

    subject: str
    state: State
    detail: str
    fix: str = ""


@dataclass(frozen=True)
class ProfileLaunch:
    """The folder in which a browser keeps its profile, the proxy of the one session that uses it, and extensions.

    The extensions are loaded before `launch` returns; the browser does not start without one of them.
    """

    folder: str
    proxy: str
    extensions: tuple[Extension, ...] = ()
