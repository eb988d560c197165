"""A bare page with the page script in an isolated world: no engine, no sessions."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.faults.recovery_checks import browser_with

from rove.browser.chromium.connection import CdpConnection, CdpSession, PipeTransport
from rove.browser.chromium.discovery import Installation, find
from rove.browser.chromium.launch import BrowserProcess, decide_sandbox
from rove.browser.scripts import page_script
from rove.snapshot import Snapshot, parse, render

# Lets a test ask Chromium's own accessibility tree about one element.
ORACLE = "--enable-blink-features=ComputedAccessibilityInfo"
VIEWPORT = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}


class Page:
    """A page as its own scripts see it."""

    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp

    async def set_content(self, html: str) -> None:
        """Write a document, and wait until it has loaded."""
        await self.evaluate(f"document.open(), document.write({json.dumps(html)}), document.close()")
        await self.evaluate("document.readyState === 'complete' || new Promise(done => addEventListener('load', done))")

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression or, if that is a function, what it returns."""
        called = f"(value => typeof value === 'function' ? value() : value)(eval({json.dumps(expression)}))"
        answer = await self._cdp.send(
            "Runtime.evaluate", {"expression": called, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")


class World:
    """One page, and calls into its isolated world."""

    def __init__(self, cdp: CdpSession) -> None:
        self.page = Page(cdp)
        self._cdp = cdp
        self._context = 0

    async def show(self, html: str) -> None:
        """Load a document and install the page script."""
        await self._cdp.send("Page.navigate", {"url": "about:blank"})
        await self.page.set_content(html)
        await self.install()

    async def install(self) -> None:
        """Create an isolated world for the current document."""
        tree = await self._cdp.send("Page.getFrameTree")
        world = await self._cdp.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "rove"}
        )
        self._context = world["executionContextId"]
        await self.evaluate(page_script())

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the isolated world."""
        return (await self._send(expression, by_value=True)).get("value")

    async def _send(self, expression: str, *, by_value: bool) -> dict[str, Any]:
        answer = await self._cdp.send(
            "Runtime.evaluate", {"expression": expression, "contextId": self._context, "returnByValue": by_value}
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        result: dict[str, Any] = answer["result"]
        return result

    async def snapshot(self, **options: Any) -> Snapshot:
        """Take a snapshot."""
        data = await self.evaluate(f"rove.snapshot({json.dumps(options)})")
        assert "gone" not in data, data
        return parse(data)

    async def text(self, **options: Any) -> str:
        """Return a snapshot as text without a budget."""
        return render(await self.snapshot(**options)).text

    async def adopt_closed_roots(self) -> int:
        """Ask CDP for closed shadow roots of the candidates and pass them to the page script, as rove does."""
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
async def bare_browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[CdpConnection]:
    folder, found = tmp_path_factory.mktemp("bare"), find(None, headless=True)
    assert found is not None
    telling = Installation(str(browser_with(folder, found.path, ORACLE)), "test", headless_only=True)
    process = BrowserProcess(folder / "run", telling, decide_sandbox("auto", found.path), headless=True)
    connection = CdpConnection(PipeTransport(*process.take_pipe()))
    await connection.open()
    yield connection
    connection.close()
    process.release()


@pytest.fixture(scope="module")
async def _tab(bare_browser: CdpConnection) -> AsyncGenerator[CdpSession]:
    """The tab of a module: each new one takes a process of the browser."""
    target = await bare_browser.root.send("Target.createTarget", {"url": "about:blank"})
    attached = await bare_browser.root.send("Target.attachToTarget", {**target, "flatten": True})
    yield bare_browser.cdp_session(attached["sessionId"])
    await bare_browser.root.send("Target.closeTarget", target)


@pytest.fixture
async def world(_tab: CdpSession) -> World:
    """An empty page of the usual size."""
    await _tab.send("Page.navigate", {"url": "about:blank"})
    await _tab.send("Emulation.setDeviceMetricsOverride", VIEWPORT)
    await _tab.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
    return World(_tab)
