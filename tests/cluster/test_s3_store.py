"""States of sessions in a store that speaks S3's protocol."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.cluster.ray_nodes import free_port

from rove.cluster.placement import state_store
from rove.cluster.placement.state_store import SessionStateStore, StateSaver
from rove.errors import StateUnusable
from rove.storage.saved_states import StateCipher

pytestmark = pytest.mark.slow
START_SECONDS = 60.0


class S3Server:
    """moto's server in a process of its own, with one bucket."""

    def __init__(self) -> None:
        pytest.importorskip("moto", reason="`make .venv/s3/ready` installs it")
        self.url = f"http://127.0.0.1:{free_port()}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", self.url.rpartition(":")[2]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._has_made_bucket():
            assert self.process.poll() is None and time.monotonic() < deadline, "the server does not start"
            time.sleep(0.05)

    def _has_made_bucket(self) -> bool:
        request = urllib.request.Request(f"{self.url}/bucket", method="PUT")
        try:
            with urllib.request.urlopen(request, timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server() -> Generator[S3Server]:
    started = S3Server()
    yield started
    started.stop()


@pytest.fixture
def store(server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionStateStore:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server.url,
    }.items():
        monkeypatch.setenv(name, value)
    return SessionStateStore("s3://bucket/rove", StateCipher(tmp_path, "file"))


def test_states_are_written_read_replaced_and_deleted(store: SessionStateStore) -> None:
    assert store.read("shop") is None
    for number in range(4):
        store.write("shop", b"%d" % number * 100_000)
    stored = store.read("shop")
    assert stored is not None and stored.content == b"3" * 100_000
    assert store.delete_older(3600) == 0
    store.delete("shop")
    assert store.read("shop") is None


def test_a_bucket_that_is_not_there_is_told_and_not_made(store: SessionStateStore, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(StateUnusable):
            SessionStateStore("s3://no-such-bucket/rove", StateCipher(tmp_path, "file")).write("shop", b"1")


async def test_a_store_that_failed_is_used_again_when_it_works(
    store: SessionStateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_store, "FIRST_PAUSE", 0.1)
    saver = StateSaver(store, 0.1)
    saver.save("shop", b"1")
    async with asyncio.timeout(60):
        while saver.facts.unsaved:
            await asyncio.sleep(0.01)
    assert saver.facts.problem == ""
    monkeypatch.setattr(store, "_address", "s3://no-such-bucket/rove")
    monkeypatch.setattr(store, "_opened", None)
    saver.save("shop", b"2")
    async with asyncio.timeout(60):
        while not saver.facts.problem:
            await asyncio.sleep(0.01)
    assert await saver.latest("shop") == b"2"
    monkeypatch.setattr(store, "_address", "s3://bucket/rove")
    monkeypatch.setattr(store, "_opened", None)
    async with asyncio.timeout(60):
        while saver.facts.unsaved:
            await asyncio.sleep(0.01)
    assert saver.facts.problem == ""
    assert await saver.latest("shop") == b"2"
    await saver.close()
