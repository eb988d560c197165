"""Creating a first context and page, with browsers that answer, refuse and end."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from typing import Any

import pytest

from rove.browser.chromium.browser import AUTO_ATTACH
from rove.browser.chromium.launch import COMMANDS_SENT, CREATE_PAGE_ID, FirstPage

PROXY_URL = "http://127.0.0.1:4321"
CONTEXT_CREATED = b'{"id":2,"result":{"browserContextId":"C1"}}\0'
ATTACHED_TO_TARGET = b'{"method":"Target.attachedToTarget","params":{"sessionId":"S1","targetInfo":{}}}\0'


class FakeBrowser:
    """The browser's end of the pipe that a `FirstPage` uses."""

    def __init__(self) -> None:
        self._read_fd, self._our_out = os.pipe()
        self._our_in, self._write_fd = os.pipe()
        self.first_page = FirstPage(self._our_in, self._our_out, PROXY_URL)
        self._rest = b""

    def send(self, *data: bytes) -> None:
        for piece in data:
            os.write(self._write_fd, piece)

    def next_command(self) -> dict[str, Any]:
        """Wait for the next command and return it."""
        while b"\0" not in self._rest:
            self._rest += os.read(self._read_fd, 65536)
        message, _, self._rest = self._rest.partition(b"\0")
        command: dict[str, Any] = json.loads(message)
        return command

    def end(self) -> None:
        os.close(self._write_fd)
        self._write_fd = -1

    def close(self) -> None:
        if self._write_fd >= 0:
            self.end()
        self.first_page.wait()
        for descriptor in (self._read_fd, self._our_out, self._our_in):
            os.close(descriptor)


@pytest.fixture
def browser() -> Generator[FakeBrowser]:
    fake = FakeBrowser()
    yield fake
    fake.close()


def test_a_context_and_a_page_are_created_with_the_same_parameters_as_later_ones(browser: FakeBrowser) -> None:
    attach, context = browser.next_command(), browser.next_command()
    assert (attach["method"], attach["params"]) == ("Target.setAutoAttach", AUTO_ATTACH)
    assert context["method"] == "Target.createBrowserContext"
    assert context["params"] == {
        "disposeOnDetach": True,
        "proxyServer": PROXY_URL,
        "proxyBypassList": "<-loopback>",
    }
    browser.send(CONTEXT_CREATED)
    page = browser.next_command()
    assert (page["id"], page["method"]) == (CREATE_PAGE_ID, "Target.createTarget")
    assert page["params"] == {"url": "about:blank", "browserContextId": "C1"}
    browser.send(ATTACHED_TO_TARGET)
    run = browser.next_command()
    assert (run["id"], run["method"], run["sessionId"]) == (COMMANDS_SENT, "Runtime.runIfWaitingForDebugger", "S1")
    browser.first_page.wait()
    assert browser.first_page.context_id == "C1"


def test_all_bytes_that_were_read_are_kept_for_the_next_reader(browser: FakeBrowser) -> None:
    other = b'{"method":"Target.targetCreated","params":{}}\0'
    page_created = b'{"id":3,"result":{}}\0'
    half = b'{"half a mess'
    browser.send(other, CONTEXT_CREATED[:20], CONTEXT_CREATED[20:], page_created, ATTACHED_TO_TARGET + half)
    browser.first_page.wait()
    assert browser.first_page.received == other + CONTEXT_CREATED + page_created + ATTACHED_TO_TARGET + half


def test_a_browser_that_refuses_gets_no_further_command(browser: FakeBrowser) -> None:
    browser.send(b'{"id":1,"result":{}}\0{"id":2,"error":{"code":-32000,"message":"no"}}\0')
    browser.first_page.wait()
    assert browser.first_page.context_id is None
    assert [browser.next_command()["id"] for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    "sent", [b"", CONTEXT_CREATED[:10], CONTEXT_CREATED], ids=["at once", "within a message", "with a context"]
)
def test_waiting_ends_when_the_browser_ends(browser: FakeBrowser, sent: bytes) -> None:
    browser.send(sent)
    browser.end()
    browser.first_page.wait()
    assert browser.first_page.received == sent
