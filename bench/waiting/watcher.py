"""An independent reader of a page: a connection of its own to the browser, a script that shares nothing with rove's.

It sees text that a person could see: not hidden, not transparent, with a box that no ancestor clips away and that lies
where scrolling reaches. What covers what is not looked at.
"""

from __future__ import annotations

import asyncio
import json
import socket
import stat
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

# Stands in the text of an element for the elements inside of it.
GAP = "\x1f"

READ = r"""(() => {
  self.numbers ??= new WeakMap(); self.last ??= 0;
  const seen = [];
  const options = { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true };
  const isShown = (element) => element.checkVisibility(options);
  const left = (box, element) => {
    let { left, top, right, bottom } = box;
    for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
      const { overflowX, overflowY, position } = getComputedStyle(each);
      const edges = each.getBoundingClientRect();
      if (each !== document.body && each !== document.documentElement) {
        if (/hidden|clip/.test(overflowX)) [left, right] = [Math.max(left, edges.left), Math.min(right, edges.right)];
        if (/hidden|clip/.test(overflowY)) [top, bottom] = [Math.max(top, edges.top), Math.min(bottom, edges.bottom)];
      }
      if (position === 'fixed') {
        return [Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth), Math.min(bottom, innerHeight)];
      }
    }
    return [Math.max(left, -scrollX), Math.max(top, -scrollY), right, bottom];
  };
  const isInSight = (element, boxes) => [...boxes].some((box) => {
    const [x, y, right, bottom] = left(box, element);
    return right - x > 1 && bottom - y > 1;
  });
  const note = (element, text) => {
    if (!numbers.has(element)) numbers.set(element, ++last);
    seen.push([numbers.get(element), text]);
  };
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
      if (['SCRIPT', 'STYLE', 'NOSCRIPT', 'TITLE', 'TEMPLATE'].includes(element.tagName)) continue;
      const framed = element.tagName === 'IFRAME' ? element.contentDocument : null;
      if (framed?.body && isShown(element)) visit(framed);
      let text = '', after = null;
      const range = document.createRange();
      const boxes = [];
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
        // What elements stand between is not one text.
        text += (text && node.previousSibling !== after ? GAP : '') + node.data;
        after = node;
        range.selectNodeContents(node);
        if (element.ownerDocument === document) boxes.push(...range.getClientRects());
      }
      if (/^(INPUT|TEXTAREA)$/.test(element.tagName)) {
        const isBox = element.type === 'checkbox' || element.type === 'radio';
        // The value of a slider is a place, no text.
        const isText = !/^(range|color|file|hidden|image)$/.test(element.type);
        text = isBox ? (element.checked ? 'checked' : '') : isText ? element.value : '';
        boxes.push(...element.getClientRects());
      }
      text = text.replace(/\s+/g, ' ').trim();
      if (!text || !isShown(element)) continue;
      if (element.ownerDocument !== document || isInSight(element, boxes)) note(element, text);
    }
  };
  visit(document);
  return JSON.stringify(seen);
})()""".replace("GAP", json.dumps(GAP))


@dataclass(frozen=True)
class Reading:
    """What could be seen at a moment of `time.perf_counter`: texts by the number of their element."""

    at: float
    texts: dict[int, str]


def browser_with_port(browser: Path, port: int, folder: Path) -> Path:
    """Write a program that starts a browser as it is told, and lets it be watched at a port of this machine."""
    # rove and others look for the name of the headless shell.
    program = folder / f"{browser.name}-watched-{port}"
    program.write_text(f'#!/bin/sh\nexec {browser} "$@" --remote-debugging-port={port}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def free_port() -> int:
    """Return a port of the loopback that nothing listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Watcher:
    """Reads the pages of one browser."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: ClientConnection | None = None
        self._last = 0
        self._session = ""
        self._context = 0
        self._document = ""

    async def read(self, url: str) -> Reading | None:
        """Return what can be seen of the page at an address; None while there is no such page."""
        try:
            if self._document != url:
                await self._attach(url)
            answer = await self._call("Runtime.evaluate", {"expression": READ, "contextId": self._context})
        except (LookupError, OSError):
            self._document = ""
            return None
        return Reading(time.perf_counter(), dict(json.loads(answer["result"]["value"])))

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()
            self._socket = None

    async def _attach(self, url: str) -> None:
        await self._connect()
        targets = (await self._call("Target.getTargets", {}, in_page=False))["targetInfos"]
        target = next((each["targetId"] for each in targets if each["type"] == "page" and each["url"] == url), None)
        if target is None:
            raise LookupError(url)
        attached = await self._call("Target.attachToTarget", {"targetId": target, "flatten": True}, in_page=False)
        self._session = attached["sessionId"]
        tree = await self._call("Page.getFrameTree", {})
        world = await self._call("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
        self._context, self._document = world["executionContextId"], url

    async def _connect(self) -> None:
        if self._socket is not None:
            return
        address = f"http://127.0.0.1:{self._port}/json/version"
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(address, timeout=5).read())
        self._socket = await connect(json.loads(text)["webSocketDebuggerUrl"], max_size=None, proxy=None)

    async def _call(self, method: str, params: dict[str, Any], in_page: bool = True) -> dict[str, Any]:
        if self._socket is None:
            raise LookupError("not connected")
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        await self._socket.send(json.dumps({**message, "sessionId": self._session} if in_page else message))
        while True:
            answer = json.loads(await self._socket.recv())
            if answer.get("id") == self._last:
                break
        if "error" in answer or "exceptionDetails" in answer["result"]:
            raise LookupError(str(answer)[:300])
        result: dict[str, Any] = answer["result"]
        return result
