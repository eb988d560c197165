"""A person who drives a session in tests, with the mouse and the keyboard."""

from __future__ import annotations

from rove.browser.input_event import InputEvent
from rove.engine.people import Lease
from rove.engine.session import Session


class DrivingPerson:
    """Has the lease of a session, and clicks and types in it."""

    def __init__(self, session: Session, lease: Lease) -> None:
        self.session = session
        self.lease = lease

    @classmethod
    async def at(cls, session: Session, name: str = "Ada") -> DrivingPerson:
        """Take a session over."""
        return cls(session, await session.driver.take(name))

    async def send(self, event: InputEvent) -> None:
        await self.session.drive(self.lease, event)

    async def click(self, ref: str) -> None:
        """Click the middle of an element that is in view."""
        box = await self.session.element_box(ref)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for event in (InputEvent("mouseMove", x, y), InputEvent("mouseDown", x, y), InputEvent("mouseUp", x, y)):
            await self.send(event)

    async def type(self, text: str) -> None:
        for letter in text:
            await self.press(letter, f"Key{letter.upper()}" if letter.isalpha() else "")

    async def press(self, key: str, code: str = "") -> None:
        for event in (InputEvent("keyDown", key=key, code=code or key), InputEvent("keyUp", key=key, code=code or key)):
            await self.send(event)

    def hand_back(self) -> None:
        self.session.driver.release(self.lease)
