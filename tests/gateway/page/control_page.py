"""The control page in a real browser, driven with rove's own library as a person would use it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.gateway.clients import PATIENCE, RunningGateway

from rove import Session

VIEWS = ("inbox", "sessions", "chat", "timeline", "tools", "guard", "settings")
PHONE = (375, 740)
DESKTOP = (1280, 800)
LIVE_VIEW = """() => {
  const canvas = document.querySelector("canvas");
  canvas.scrollIntoView({ block: "center" });
  const box = canvas.getBoundingClientRect();
  return [box.left, box.top, box.width, box.height];
}"""


class ControlPage:
    """The page of one gateway in one session of a browser."""

    def __init__(self, session: Session, gateway: RunningGateway) -> None:
        self.session = session
        self.gateway = gateway

    async def open(self, token: str | None = None) -> None:
        """Open the link that the gateway prints, and wait until the page is ready."""
        await self.session.navigate(f"{self.gateway.gateway.url}/#token={token or self.gateway.gateway.tokens.owner}")
        await self.session.wait(selector="main h1")
        await self.until("!document.querySelector('rove-sign-in')")

    async def go(self, view: str) -> None:
        """Show a view: `inbox`, or `sessions/NAME`."""
        await self.run(f"location.hash = '#/{view}'")
        await self.session.wait(selector="main h1, main h2")

    async def run(self, expression: str) -> Any:
        """Run JavaScript in the page."""
        return (await self.session.evaluate(expression)).result.value

    async def until(self, condition: str) -> Any:
        """Wait until a JavaScript expression is true, and return its value."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while not (value := await self.run(condition)):
            if asyncio.get_running_loop().time() > end:
                raise AssertionError(f"never true: {condition}\n{await self.text_of('body')}")
            await asyncio.sleep(0.05)
        return value

    async def until_text(self, text: str, selector: str = "body") -> None:
        """Wait until a part of the page has this text."""
        quoted, where = json.dumps(text), json.dumps(selector)
        await self.until(f"[...document.querySelectorAll({where})].some((one) => one.innerText.includes({quoted}))")

    async def text_of(self, selector: str) -> str:
        """Return the text of the first element that matches, as a person sees it."""
        text: str = await self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")
        return text

    async def press_until(self, key: str, condition: str) -> None:
        """Press a key until something holds: the page ignores keys that come before a person can have looked."""
        async with asyncio.timeout(PATIENCE):
            while not await self.run(condition):
                await self.session.press(key)
                await asyncio.sleep(0.1)

    async def click_in_live_view(self, key: str, words: str) -> None:
        """Click, in the live view, what the session's page shows with these words."""
        place = await self._place_of(key, words)
        left, top, width, height = await self.run(LIVE_VIEW)
        x, y = left + place["x"] * width, top + place["y"] * height
        await self.session.click(f"{round(x)},{round(y)}")

    async def _place_of(self, key: str, words: str) -> dict[str, float]:
        """Return where an element is on the session's page, as a part of its width and height."""
        session = self.gateway.gateway.sessions.session(key)
        seen = await session.seen()
        assert seen is not None
        ref = next(row.ref for row in seen.rows if row.ref and words in row.line)
        box = await session.element_box(ref)
        return {
            "x": (box["x"] + box["width"] / 2) / seen.size[0],
            "y": (box["y"] + box["height"] / 2) / seen.size[1],
        }

    async def seen_lines(self, key: str) -> str:
        """Return what the agent of a session saw last."""
        seen = await self.gateway.gateway.sessions.session(key).seen()
        return "\n".join(row.line for row in seen.rows) if seen else ""
