"""Elements by what they are to a reader."""

from __future__ import annotations

from rove.reading.blocks import Position, Style

_NO_TEXT = """
    script style noscript template head iframe frame frameset object embed applet canvas audio video source track svg
    input textarea select option datalist progress meter map area link meta base title dialog
"""
_IN_A_LINE = """
    a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math mi mn mo mrow ms msub
    msup mtext nobr picture q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr
"""
LEFT_OUT = frozenset(_NO_TEXT.split())
INLINE = frozenset(_IN_A_LINE.split())
STYLES: dict[str, Style] = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em"), "emphasis"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
POSITIONS: dict[str, Position] = {"sup": "sup", "sub": "sub"}
STRUCK = frozenset(["del", "s", "strike"])
