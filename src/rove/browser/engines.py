"""The browser engines, each of which is imported by its name."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from rove.errors import Unsupported
from rove.settings.sections import EngineName

if TYPE_CHECKING:
    from rove.browser.shared.engine import BrowserEngine


def load_engine(name: EngineName) -> BrowserEngine:
    """Import the engine of that name. Layers above import no engine themselves."""
    if find_spec(f"rove.browser.{name}") is None:
        raise Unsupported(f"This rove has no engine {name}.", hint="Use another one of `--engine`.")
    return cast("BrowserEngine", import_module(f"rove.browser.{name}.engine").ENGINE)
