"""Declarations of CSS that hide an element, by themselves or together."""

from __future__ import annotations

import re
from collections.abc import Mapping

_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![\w-])opacity\s*:\s*(?:0+(?:\.0*)?|\.0+)%?(?=[;\s!]|$)"
    r"|(?<![\w-])(?:transform\s*:[^;]*?scale[xy3d]*\(|scale\s*:)\s*(?:0+(?:\.0*)?|\.0+)\s*(?=[,);\s!]|$)"
    r"|font-size\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:[a-z%]*)(?=[;\s!]|$)|content-visibility\s*:\s*hidden"
    r"|(?<![\w-])(?:left|top|right|bottom|text-indent|margin-(?:left|top))\s*:\s*-\d{4,}(?:px|em|rem|pt)?"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?<![\w-])clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?",
    re.IGNORECASE,
)
_ZERO = re.compile(r"(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?")
_SHORT_HEX = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*(?:1|1\.0+|100%)\s*)?\)")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_SIZES = ("height", "max-height", "width", "max-width")


def is_hiding(declarations: str) -> bool:
    """Whether declarations plainly hide an element and all that is in it."""
    if _HIDING.search(declarations):
        return True
    given = _parsed(declarations)
    return _is_flat(given) or _is_on_itself(given)


def _parsed(declarations: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in declarations.split(";"))
    return {name.strip().lower(): value.lower().replace("!important", "").strip() for name, _, value in pairs}


def _is_flat(given: Mapping[str, str]) -> bool:
    """Whether an element has no room and shows nothing outside of it."""
    overflow = f"{given.get('overflow', '')} {given.get('overflow-x', '')} {given.get('overflow-y', '')}"
    is_clipped = "hidden" in overflow or "clip" in overflow
    return is_clipped and any(_ZERO.fullmatch(given.get(name, "")) for name in _SIZES)


def _is_on_itself(given: Mapping[str, str]) -> bool:
    """Whether letters are transparent, or have the colour of what is behind them."""
    colour = _colour(given.get("color", ""))
    if colour == "transparent":
        return "background-clip" not in given and "-webkit-background-clip" not in given
    behind = given.get("background-color") or given.get("background", "")
    return bool(colour) and colour == _colour(behind)


def _colour(written: str) -> str:
    """Return a colour in one of the ways in which it can be written."""
    if found := _SHORT_HEX.fullmatch(written):
        return "#" + "".join(digit * 2 for digit in found.groups())
    if found := _RGB.fullmatch(written):
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in found.groups())
    return _NAMED.get(written, written)
