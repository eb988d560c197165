"""Code that runs inside pages, in an isolated world: files here, one expression to the browser."""

import os
from functools import cache
from pathlib import Path

# Later files use names declared in earlier ones: all share one function scope.
READING = (
    "dom",
    "attributes",
    "text",
    "semantics",
    "refs",
    "tables",
    "roles",
    "labels",
    "embedded",
    "counters",
    "generated",
    "names",
    "descriptions",
    "passwords",
    "states",
    "sheets",
    "styles",
    "clipping",
    "visibility",
    "pressable",
    "guesses",
    "lines",
    "rows",
    "areas",
    "hosts",
    "walk",
    "emit",
    "overlays",
    "snapshot",
    "search",
    "api",
)
# A scope of their own within that one: they see its names and may reuse them for themselves.
ACTING = ("reach", "typing", "hands", "quiet", "clipboard", "modes")


# Part of the names of events between our scripts in a page's world and those in ours: no page can listen for them.
_NONCE = os.urandom(8).hex()


def _joined(names: tuple[str, ...]) -> str:
    folder = Path(__file__).parent  # importlib.resources would do the same, and takes 5 ms of every start to import
    texts = ((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return "\n".join(texts).replace("NONCE", _NONCE)


@cache
def refusing_script() -> str:
    """What runs among a page's own scripts: refuses what a person is asked for, copies for the session, remembers."""
    return _joined(("credentials", "copying", "internals"))


@cache
def page_script() -> str:
    """One expression that installs `globalThis.rove` in the world where it is evaluated."""
    return (
        '(() => {\n"use strict";\nif (globalThis.rove) return "present";\n'
        f'{_joined(READING)}\n{{\n{_joined(ACTING)}\n}}\nreturn "installed";\n}})()'
    )
