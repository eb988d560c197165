"""Acts on the pages of widget libraries that the tests drive: those that are a click on something with a name."""

from __future__ import annotations

import json
import re

from tests.widgets.act import Library, Widget
from tests.widgets.acts import LIBRARIES
from tests.widgets.bundles import bundle, document

from bench.told.act import Act

GROUP = "widget libraries"
# Of each library, so that none outweighs the others.
MOST_WIDGETS = 3
# The names in these targets are found in the snapshots of all servers.
_NAMED = re.compile(r'(?:button|tab|link|menuitem|option|combobox|textbox) "([^"]+)"')


def pages() -> dict[str, str]:
    """Return the documents, scripts, style sheets and data by path."""
    found: dict[str, str] = {}
    for library in LIBRARIES:
        made = bundle(library.name)
        found[_path(library)] = document(library.name)
        found[f"{_path(library)}page.js"] = made.script
        found[f"{_path(library)}page.css"] = made.style
        found |= {path: json.dumps(value) for path, value in library.answers.items()}
    return found


def acts() -> list[Act]:
    return [
        act
        for library in LIBRARIES
        for widget in [widget for widget in library.widgets if _clicks(library, widget)][:MOST_WIDGETS]
        for act in _clicks(library, widget)
    ]


def _clicks(library: Library, widget: Widget) -> list[Act]:
    """Return the acts of a widget up to the first that is not a click on something with a name."""
    found: list[Act] = []
    for act in widget.acts:
        named = _NAMED.fullmatch(str(act.step.arguments.get("target", "")))
        if act.step.verb != "click" or len(act.step.arguments) > 1 or named is None:
            break
        name = f"{library.name}: {widget.name} {act.name}"
        found.append(Act(GROUP, name, _path(library), named[1], act.goal, act.appears, act.goes, bool(found)))
    return found


def _path(library: Library) -> str:
    return f"/{library.name}/"
