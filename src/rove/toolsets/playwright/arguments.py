"""How the arguments of Playwright MCP's tools become those of actions."""

from __future__ import annotations

import time
from pathlib import PurePosixPath
from typing import Any

from rove.outcome import moment
from rove.toolsets.conversions import NULL, conversion
from rove.toolsets.playwright.javascript import as_target, image_kind

FOLDER = ".playwright-mcp"
LONGEST_WAIT = 30
FEATURES = ("color_scheme", "reduced_motion", "forced_colors", "contrast", "media")
MOST_CHARACTERS = 50_000_000
NOT_RUN = (
    "is not run: rove has no Playwright in it. Run JavaScript in the page with browser_evaluate, "
    "and act with the other tools"
)


@conversion("playwright_target")
def target(value: object) -> str:
    """Return a target: a ref of an aria snapshot, a selector or a locator."""
    return as_target(value)


@conversion("playwright_fields")
def fields(value: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the fields of a form: a checkbox has a state, all others a text."""
    for each in value:
        if not {"target", "type", "value"} <= {*each}:
            raise ValueError("each field needs a target, a name, a type and a value")
    return [{"target": as_target(each["target"]), "value": _value(each)} for each in value]


def _value(field: dict[str, Any]) -> object:
    return field["value"] == "true" if field["type"] in ("checkbox", "radio") else field["value"]


@conversion("playwright_texts")
def texts(value: dict[str, str]) -> list[dict[str, str]]:
    """Return the texts of a drop, of which each has a MIME type."""
    return [{"type": kind, "text": text} for kind, text in value.items()]


@conversion("playwright_count")
def count(is_double: object) -> int:
    return 2 if is_double else 1


@conversion("playwright_modifiers")
def modifiers(value: list[str]) -> list[str]:
    return ["Control" if each == "ControlOrMeta" else each for each in value]


@conversion("playwright_not")
def negated(value: object) -> bool:
    return not value


@conversion("playwright_view")
def view(*values: object) -> str:
    """Return which view an answer has: with a snapshot if one of the values says so."""
    return "aria" if any(value is True or value == "Enter" for value in values) else "page"


@conversion("playwright_full_page")
def full_page(value: object, element: object) -> bool:
    if value and element:
        raise ValueError("fullPage cannot be used with element screenshots")
    return bool(value)


@conversion("playwright_image")
def image(kind: object, filename: object) -> str:
    return image_kind({"type": kind, "filename": filename or ""})


@conversion("playwright_path")
def path(filename: object, kind: object, element: object, scale: object) -> str:
    """Return the file that a screenshot is saved to. Every call has a scale, so that each is saved."""
    if filename:
        name = str(filename)
        return name if "/" in name else f"./{name}"
    stamp = moment(time.time()).removesuffix("+00:00").replace(":", "-").replace(".", "-")
    return f"{FOLDER}/{'element' if element else 'page'}-{stamp}Z.{kind or 'png'}"


@conversion("playwright_output")
def output(filename: object) -> str:
    """Return the path of the file, below the output folder, that text of pages is saved to."""
    name = str(filename)
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0].startswith("/") or ".." in parts:
        raise ValueError(f"must be a name below {FOLDER}/, not {name!r}")
    return "/".join((FOLDER, *(parts[1:] if parts[0] == FOLDER else parts)))


@conversion("playwright_characters")
def characters(filename: object) -> int:
    """Return how long a list or a body may be that goes to a file instead of the answer."""
    return MOST_CHARACTERS


@conversion("playwright_seconds")
def seconds(value: float) -> float:
    return min(float(value), LONGEST_WAIT)


@conversion("playwright_motion")
def motion(value: object) -> bool | None:
    return None if value is NULL else value == "reduce"


@conversion("playwright_cleared")
def cleared(*values: object) -> list[str]:
    """Return the media features that a call ends with null; they come in the order of `FEATURES`."""
    return [feature for feature, value in zip(FEATURES, values, strict=True) if value is NULL]


@conversion("playwright_whole")
def whole(value: float) -> int:
    return round(value)


@conversion("playwright_body")
def body(part: object) -> bool:
    return str(part).endswith("body")


@conversion("playwright_code")
def code(value: object, filename: object = None) -> str:
    raise ValueError(NOT_RUN)


@conversion("playwright_view_of_address")
def view_of_address(url: object) -> str:
    return "aria" if url else "page"
