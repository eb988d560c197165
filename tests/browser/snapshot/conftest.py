"""A bare page with the page script in an isolated world: no engine, no sessions."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from playwright.async_api import Browser, CDPSession, Page, async_playwright

from rove.chromium.process.discovery import find
from rove.chromium.scripts import page_script
from rove.snapshot import Snapshot, parse, render

# Lets a test ask Chromium's own accessibility tree about one element.
ORACLE = "--enable-blink-features=ComputedAccessibilityInfo"


class World:
    """One page, and calls into its isolated world."""

    def __init__(self, page: Page, cdp: CDPSession) -> None:
        self.page = page
        self._cdp = cdp
        self._context = 0

    async def show(self, html: str) -> None:
        """Load a document and install the page script."""
        await self.page.goto("about:blank")
        await self.page.set_content(html)
        await self.install()

    async def install(self) -> None:
        """A fresh isolated world for the document of now."""
        tree = await self._cdp.send("Page.getFrameTree")
        world = await self._cdp.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "rove"}
        )
        self._context = world["executionContextId"]
        await self.evaluate(page_script())

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the isolated world."""
        return (await self._send(expression, by_value=True)).get("value")

    async def _send(self, expression: str, *, by_value: bool) -> dict[str, Any]:
        answer = await self._cdp.send(
            "Runtime.evaluate", {"expression": expression, "contextId": self._context, "returnByValue": by_value}
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        result: dict[str, Any] = answer["result"]
        return result

    async def snapshot(self, **options: Any) -> Snapshot:
        """One look."""
        data = await self.evaluate(f"rove.snapshot({json.dumps(options)})")
        assert "gone" not in data, data
        return parse(data)

    async def text(self, **options: Any) -> str:
        """One look, as text without a budget."""
        return render(await self.snapshot(**options)).text

    async def adopt_closed_roots(self) -> int:
        """What the driver does: ask CDP for closed shadow roots of the candidates, and hand them in."""
        listed = await self._send("rove.closedHostCandidates()", by_value=False)
        members = await self._cdp.send("Runtime.getProperties", {"objectId": listed["objectId"], "ownProperties": True})
        adopted = 0
        for member in members["result"]:
            if not member["name"].isdigit():
                continue
            host = member["value"]["objectId"]
            node = await self._cdp.send("DOM.describeNode", {"objectId": host, "pierce": True, "depth": 1})
            for root in node["node"].get("shadowRoots", ()):
                if root.get("shadowRootType") != "closed":
                    continue
                resolved = await self._cdp.send(
                    "DOM.resolveNode", {"backendNodeId": root["backendNodeId"], "executionContextId": self._context}
                )
                await self._cdp.send(
                    "Runtime.callFunctionOn",
                    {
                        "functionDeclaration": "function (root) { rove.adoptShadow(this, root) }",
                        "objectId": host,
                        "arguments": [{"objectId": resolved["object"]["objectId"]}],
                    },
                )
                adopted += 1
        return adopted


@pytest.fixture(scope="session")
async def bare_browser() -> AsyncGenerator[Browser]:
    found = find(None, headless=True)
    assert found is not None
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found.path, args=["--no-sandbox", ORACLE])
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
async def bare_page(bare_browser: Browser) -> Page:
    return await bare_browser.new_page()


@pytest.fixture
async def world(bare_page: Page) -> AsyncGenerator[World]:
    """A document of its own, in a page that the tests share: there are hundreds, and a page takes longer than most."""
    cdp = await bare_page.context.new_cdp_session(bare_page)
    yield World(bare_page, cdp)
    await cdp.detach()
    await bare_page.goto("about:blank")
