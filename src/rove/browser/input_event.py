"""One event of a person's mouse, wheel, keyboard, touch screen or clipboard."""

from __future__ import annotations

from typing import Literal

from rove.browser.element import Button, Modifier
from rove.fields import Validated, arg
from rove.records import dataclass

InputKind = Literal[
    "mouseMove", "mouseDown", "mouseUp", "wheel", "keyDown", "keyUp", "text",
    "paste", "touchStart", "touchMove", "touchEnd", "dialog",
]  # fmt: skip


@dataclass(frozen=True)
class InputEvent(Validated):
    """What a person did. Points are in CSS pixels of the viewport, as a frame of the live view tells its size."""

    type: InputKind = arg("What happened.")
    x: float = arg("Point of the viewport.", default=0.0)
    y: float = arg("Point of the viewport.", default=0.0)
    button: Button = arg("Mouse button, with mouseDown and mouseUp.", default="left")
    count: int = arg("2 for the second click of a double click.", default=1, ge=1, le=3)
    deltaX: float = arg("Pixels to scroll, with wheel.", default=0.0)  # noqa: N815
    deltaY: float = arg("Pixels to scroll, with wheel.", default=0.0)  # noqa: N815
    key: str = arg("Key as KeyboardEvent.key tells it, with keyDown and keyUp.", default="", max_length=40)
    code: str = arg("Key as KeyboardEvent.code tells it.", default="", max_length=40)
    text: str = arg("With text and paste; the answer to a prompt, with dialog.", default="", max_length=100_000)
    modifiers: tuple[Modifier, ...] = arg("Keys that are held.", default=())
    accept: bool = arg("With dialog: OK, or Cancel.", default=True)
