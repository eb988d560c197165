"""Code that runs inside pages: JavaScript modules here, linked to one script for each world of a page."""

import os
from functools import cache

from rove.browser.scripts.linker import link

_FOLDER = os.path.dirname(__file__)  # importlib.resources would do the same, and takes 5 ms of every start to import
# Part of the names of events between our scripts in a page's main world and those in ours: no page can listen for them.
_NONCE = os.urandom(8).hex()


@cache
def main_world_script() -> str:
    """Return the script for a page's main world: refuses passkeys, takes over copying, collects ElementInternals."""
    return f'(() => {{\n"use strict";\n{_linked("main_world.js")}\n}})();'


@cache
def page_script() -> str:
    """Return one expression that installs `globalThis.rove` in the world where it is evaluated."""
    return (
        '(() => {\n"use strict";\nif (globalThis.rove) return "present";\n'
        f'{_linked("isolated_world.js")}\nreturn "installed";\n}})()'
    )


def _linked(entry: str) -> str:
    return link(_FOLDER, entry).replace("NONCE", _NONCE)
