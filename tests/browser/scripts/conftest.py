"""Modules of the page scripts by themselves, linked and run in a real page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

import rove.browser.scripts
from rove import Session
from rove.browser.scripts import EngineTraits, script_head
from rove.browser.scripts.linker import link

SCRIPTS = str(Path(rove.browser.scripts.__file__).parent)

Run = Callable[..., Awaitable[Any]]


@pytest.fixture
def run(session: Session, site: Site) -> Run:
    """Return the value of an expression that uses the names of a module, on a page with the given body.

    A test that gives no body stays on the page of its call before.
    """
    is_shown = False

    async def run(module: str, expression: str, *, body: str = "") -> Any:
        nonlocal is_shown
        if body or not is_shown:
            await session.navigate(site.page("/", body or "<p>Page</p>"))
            is_shown = True
        linked = f"(() => {{ {script_head(EngineTraits())}{link(SCRIPTS, module)}\nreturn {expression};\n}})()"
        return (await session.evaluate(linked)).result.value

    return run
