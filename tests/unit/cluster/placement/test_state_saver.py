"""States are saved at a bounded rate, in their order; a store that fails is told, and tried again."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from rove.cluster.placement import state_store
from rove.cluster.placement.state_store import SessionStateStore, StateSaver
from rove.errors import StateUnusable
from rove.storage.saved_states import StateCipher


class Store(SessionStateStore):
    """A store in a folder that counts what is written, and fails when it is told to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder / "shared"), StateCipher(folder / "key", "file"))
        self.written: list[tuple[str, bytes]] = []
        self.is_broken = False

    def write(self, session: str, content: bytes) -> None:
        if self.is_broken:
            raise StateUnusable("The disk is full.")
        super().write(session, content)
        self.written.append((session, content))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


async def until_saved(saver: StateSaver) -> None:
    async with asyncio.timeout(10):
        while saver.facts.unsaved:
            await asyncio.sleep(0.005)


async def test_many_changes_are_few_writes_and_the_last_one_is_kept(store: Store) -> None:
    saver = StateSaver(store, 0.2)
    began = time.monotonic()
    for number in range(200):
        saver.save("shop", b"%d" % number)
        assert await saver.latest("shop") == b"%d" % number
        await asyncio.sleep(0.002)
    await until_saved(saver)
    assert len(store.written) <= (time.monotonic() - began) / 0.2 + 2
    assert store.written[-1] == ("shop", b"199")
    assert await saver.latest("shop") == b"199"
    assert (saver.facts.saved, saver.facts.unsaved, saver.facts.problem) == (1, 0, "")
    await saver.close()


async def test_a_closed_session_is_deleted_at_once_and_its_name_begins_anew(store: Store) -> None:
    saver = StateSaver(store, 60.0)
    saver.save("shop", b"of the first")
    await until_saved(saver)
    saver.save("shop", b"not written within the minute")
    saver.forget("shop")
    assert await saver.latest("shop") is None
    async with asyncio.timeout(10):
        while store.read("shop") is not None:
            await asyncio.sleep(0.005)
    saver.save("shop", b"of the second")
    assert await saver.latest("shop") == b"of the second"
    await saver.close()
    stored = store.read("shop")
    assert stored is not None and stored.content == b"of the second"


async def test_a_name_that_is_used_again_while_its_state_is_deleted(store: Store) -> None:
    saver = StateSaver(store, 0.01)
    for number in range(20):
        saver.save("shop", b"%d" % number)
        await asyncio.sleep(0.003 * (number % 3))
        saver.forget("shop")
        assert await saver.latest("shop") is None
    saver.save("shop", b"last")
    await until_saved(saver)
    assert await saver.latest("shop") == b"last"
    await saver.close()


async def test_a_store_that_fails_is_told_and_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_store, "FIRST_PAUSE", 0.01)
    saver = StateSaver(store, 0.01)
    store.is_broken = True
    saver.save("shop", b"1")
    async with asyncio.timeout(10):
        while not saver.facts.problem:
            await asyncio.sleep(0.005)
    facts = saver.facts
    assert (facts.saved, facts.unsaved, facts.problem) == (0, 1, "The disk is full.")
    assert facts.since == pytest.approx(time.time(), abs=20)
    assert await saver.latest("shop") == b"1"  # which is not lost as long as the server runs
    store.is_broken = False
    await until_saved(saver)
    assert saver.facts.problem == ""
    assert store.written == [("shop", b"1")]
    await saver.close()


async def test_what_is_not_written_yet_is_written_when_the_server_ends(store: Store) -> None:
    saver = StateSaver(store, 60.0)
    saver.save("shop", b"1")
    await until_saved(saver)
    saver.save("shop", b"2")
    await saver.close()
    assert store.written == [("shop", b"1"), ("shop", b"2")]


async def test_a_broken_store_does_not_hold_up_the_end_of_the_server(store: Store) -> None:
    saver = StateSaver(store, 0.01)
    store.is_broken = True
    saver.save("shop", b"1")
    async with asyncio.timeout(4):
        await saver.close()
