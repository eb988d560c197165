"""Code that runs inside pages: JavaScript modules here, linked to one script for each world of a page."""

import os
from functools import cache
from typing import NamedTuple

from rove.browser.scripts.linker import link

_FOLDER = os.path.dirname(__file__)  # importlib.resources would do the same, and takes 5 ms of every start to import
# The nonce is part of the names of events between the main world and the isolated world, and of reports through the
# console of the isolated world: no page can listen for the ones or forge the others.
NONCE = os.urandom(8).hex()


class EngineTraits(NamedTuple):
    """In what engines differ that no script can find out by itself."""

    # Whether hit testing finds the areas of a picture, and not only the picture.
    hits_areas: bool = True
    # Whether styles of a page can move the placeholder of a field.
    moves_placeholders: bool = True


def script_head(traits: EngineTraits) -> str:
    """Return the names that every script has beside those of its modules."""
    known = f"{{ hitsAreas: {_js(traits.hits_areas)}, movesPlaceholders: {_js(traits.moves_placeholders)} }}"
    return f'"use strict";\nconst NONCE = "{NONCE}";\nconst ENGINE_TRAITS = {known};\n'


def _js(value: bool) -> str:
    return "true" if value else "false"


_HEAD = script_head(EngineTraits())


@cache
def main_world_script() -> str:
    """Return the script for a page's main world: refuses passkeys, takes over copying, collects ElementInternals."""
    return f"(() => {{\n{_HEAD}{link(_FOLDER, 'main_world.js')}\n}})();"


@cache
def listener_script() -> str:
    """Return the script for a page's main world that remembers listeners, where the browser does not tell of them."""
    return f"(() => {{\n{_HEAD}{link(_FOLDER, 'listener_world.js')}\n}})();"


@cache
def pressed_elements_script() -> str:
    """Return an expression for the function that finds elements with listeners for presses (`pressed_elements.js`)."""
    code = link(_FOLDER, "main_world/pressed_elements.js")
    return f'(() => {{\n"use strict";\n{code}\nreturn findPressedElements;\n}})()'


@cache
def storage_script() -> str:
    """Return a function that reads or changes what the page's origin stores. It is sent with each call."""
    return f"async (request) => {{\n{_HEAD}{link(_FOLDER, 'origin_storage.js')}\nreturn runOnStorage(request);\n}}"


@cache
def page_script(traits: EngineTraits = EngineTraits()) -> str:  # noqa: B008 - it cannot be changed
    """Return one expression that installs `globalThis.rove` in the world where it is evaluated."""
    present = 'if (globalThis.rove) return "present";\n'
    install = 'globalThis.rove = driverCalls;\nreturn "installed";'
    return f"(() => {{\n{script_head(traits)}{present}{link(_FOLDER, 'isolated_world.js')}\n{install}\n}})()"


_SCHEDULING = ("setTimeout", "clearTimeout", "setInterval", "clearInterval", "requestAnimationFrame",
               "cancelAnimationFrame")  # fmt: skip
# The event by which calls find rove's script in the page's own world (`page_world.js`).
PAGE_WORLD_EVENT = f"called-by-{NONCE}"


@cache
def page_world_script() -> str:
    """Return statements that install rove's script in the page's own world, for engines without an isolated one.

    No property of the page leads to it: it answers only to an event whose name a page cannot guess.
    """
    asking = f'performance.dispatchEvent(new CustomEvent("{PAGE_WORLD_EVENT}", {{ detail: found }}));'
    present = f"const found = {{}};\n{asking}\nif (found.rove) return;\n"
    own = f"(() => {{\n{_HEAD}{link(_FOLDER, 'page_world.js')}\n}})();"
    # The main world's script replaces these functions, to record what the page schedules; rove's own work is not meant.
    given = ", ".join(f"{name}: globalThis.{name}?.bind(globalThis)" for name in _SCHEDULING)
    body = f"{present}{main_world_script()}\n{listener_script()}\n{own}"
    return f"(({{ {', '.join(_SCHEDULING)} }}) => {{\n{body}\n}})({{ {given} }});"


@cache
def state_script() -> str:
    """Return one expression for an object that reads and writes what the page's origin has stored."""
    code = link(_FOLDER, "origin_state.js")
    return f'(() => {{\n"use strict";\n{code}\nreturn {{ readStorage, writeStorage }};\n}})()'


def audit_script(axe: str) -> str:
    """Return a function that installs `globalThis.roveAudit` and the axe-core that it runs, given as source code."""
    # Nothing that an element of the page is called stands in for what axe-core looks for around itself.
    own = (
        f"(function (module, exports, define) {{\n{axe}\n}})();\nconst axe = globalThis.axe;\ndelete globalThis.axe;\n"
    )
    return f"() => {{\n{_HEAD}if (globalThis.roveAudit) return;\n{own}{link(_FOLDER, 'accessibility_audit.js')}\n}}"
