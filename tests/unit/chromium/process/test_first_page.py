"""The first words with a browser, whatever the browser makes of them."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from typing import Any

import pytest

from rove.chromium.browser import AUTO_ATTACH
from rove.chromium.process.first_page import COMMANDS_SENT, PAGE_COMMAND, FirstPage

WAY_OUT = "http://127.0.0.1:4321"
MADE = b'{"id":2,"result":{"browserContextId":"C1"}}\0'
ATTACHED_TO = b'{"method":"Target.attachedToTarget","params":{"sessionId":"S1","targetInfo":{}}}\0'


class Far:
    """The browser's ends of the pipe."""

    def __init__(self) -> None:
        self.hears, self.theirs_out = os.pipe()
        self.theirs_in, self.says = os.pipe()
        self.overture = FirstPage(self.theirs_in, self.theirs_out, WAY_OUT)
        self._rest = b""

    def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            os.write(self.says, piece)

    def received(self) -> dict[str, Any]:
        """The next message, for which it may have to wait."""
        while b"\0" not in self._rest:
            self._rest += os.read(self.hears, 65536)
        message, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    def hang_up(self) -> None:
        os.close(self.says)
        self.says = -1

    def close(self) -> None:
        if self.says >= 0:
            self.hang_up()
        self.overture.wait()
        for end in (self.hears, self.theirs_out, self.theirs_in):
            os.close(end)


@pytest.fixture
def far() -> Generator[Far]:
    made = Far()
    yield made
    made.close()


def test_a_context_is_asked_for_then_a_page_in_it_and_both_in_the_words_used_later_on(far: Far) -> None:
    watch, context = far.received(), far.received()
    assert (watch["method"], watch["params"]) == ("Target.setAutoAttach", AUTO_ATTACH)
    assert context["method"] == "Target.createBrowserContext"
    assert context["params"] == {
        "disposeOnDetach": True,
        "proxyServer": WAY_OUT,
        "proxyBypassList": "<-loopback>",
    }
    far.say(MADE)
    page = far.received()
    assert (page["id"], page["method"]) == (PAGE_COMMAND, "Target.createTarget")
    assert page["params"] == {"url": "about:blank", "browserContextId": "C1"}
    far.say(ATTACHED_TO)
    run = far.received()
    assert (run["id"], run["method"], run["sessionId"]) == (COMMANDS_SENT, "Runtime.runIfWaitingForDebugger", "S1")
    far.overture.wait()
    assert far.overture.context == "C1"


def test_whatever_was_read_is_kept_for_whoever_goes_on(far: Far) -> None:
    other = b'{"method":"Target.targetCreated","params":{}}\0'
    far.say(other, MADE[:20], MADE[20:], b'{"id":3,"result":{}}\0', ATTACHED_TO + b'{"half a mess')
    far.overture.wait()
    assert far.overture.received == other + MADE + b'{"id":3,"result":{}}\0' + ATTACHED_TO + b'{"half a mess'


def test_a_browser_that_refuses_is_asked_for_nothing_more(far: Far) -> None:
    far.say(b'{"id":1,"result":{}}\0{"id":2,"error":{"code":-32000,"message":"no"}}\0')
    far.overture.wait()
    assert far.overture.context is None
    assert [far.received()["id"] for _ in range(2)] == [1, 2]


@pytest.mark.parametrize("said", [b"", MADE[:10], MADE], ids=["at once", "in mid-word", "with a context"])
def test_one_that_ends_is_found_out_by_whoever_takes_the_pipe(far: Far, said: bytes) -> None:
    far.say(said)
    far.hang_up()
    far.overture.wait()
    assert far.overture.received == said
