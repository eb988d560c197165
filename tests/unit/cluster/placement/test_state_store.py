"""States of sessions in a folder and in memory: whole, encrypted, the newest, and gone when a session is closed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from rove.cluster.placement.state_store import SessionStateStore
from rove.errors import InvalidSettings, StateUnusable
from rove.settings.sections import Clustering
from rove.settings.tree import Settings
from rove.storage.saved_states import StateCipher

SECRET = b'{"cookies": "of the shop"}'


@pytest.fixture(params=["folder", "memory"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "shared") if request.param == "folder" else f"memory://{tmp_path}"


def store_at(address: str, tmp_path: Path, key: str = "key") -> SessionStateStore:
    return SessionStateStore(address, StateCipher(tmp_path / key, "file"))


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_newest_state_is_read_by_another_process(address: str, tmp_path: Path) -> None:
    store = store_at(address, tmp_path)
    assert store.read("shop") is None
    for number in range(5):
        store.write("shop", b"%d" % number)
    other = store_at(address, tmp_path)
    stored = other.read("shop")
    assert stored is not None
    assert (stored.session, stored.content) == ("shop", b"4")
    other.write("shop", b"5")
    newest = store.read("shop")
    assert newest is not None and newest.content == b"5"


def test_a_closed_session_leaves_nothing(address: str, tmp_path: Path) -> None:
    store = store_at(address, tmp_path)
    for _ in range(3):
        store.write("shop", SECRET)
    store.write("other", b"1")
    store.delete("shop")
    store.delete("never saved")
    assert store.read("shop") is None
    other = store.read("other")
    assert other is not None and other.content == b"1"
    store.delete("other")
    assert not files_in(tmp_path / "shared")


def test_another_key_reads_nothing_and_replaces_nothing(address: str, tmp_path: Path) -> None:
    store_at(address, tmp_path).write("shop", SECRET)
    other = store_at(address, tmp_path, key="another key")
    assert other.read("shop") is None
    other.write("shop", b"2")
    stored = store_at(address, tmp_path).read("shop")
    assert stored is not None and stored.content == SECRET


def test_neither_names_nor_contents_can_be_read_in_the_store(tmp_path: Path) -> None:
    store = store_at(str(tmp_path / "shared"), tmp_path)
    store.write("bank-of-anna", SECRET)
    [file] = files_in(tmp_path / "shared")
    assert "anna" not in str(file) and b"anna" not in file.read_bytes() and b"shop" not in file.read_bytes()
    assert file.parent.stat().st_mode & 0o077 == 0


def test_a_write_that_broke_off_leaves_the_state_before(tmp_path: Path) -> None:
    store = store_at(str(tmp_path / "shared"), tmp_path)
    store.write("shop", b"1")
    [first] = files_in(tmp_path / "shared")
    store.write("shop", b"2")
    [second] = {*files_in(tmp_path / "shared")} - {first}
    second.write_bytes(second.read_bytes()[:-5])
    stored = store_at(str(tmp_path / "shared"), tmp_path).read("shop")
    assert stored is not None and stored.content == b"1"
    first.write_bytes(b"")
    with pytest.raises(StateUnusable):
        store.read("shop")


def test_a_file_copied_over_that_of_another_session_is_not_its_state(tmp_path: Path) -> None:
    store = store_at(str(tmp_path / "shared"), tmp_path)
    store.write("shop", SECRET)
    [of_shop] = files_in(tmp_path / "shared")
    store.write("other", b"1")
    [of_other] = {*files_in(tmp_path / "shared")} - {of_shop}
    of_other.write_bytes(of_shop.read_bytes())
    with pytest.raises(StateUnusable):
        store.read("other")


def test_what_killed_servers_left_is_deleted_when_it_is_old(tmp_path: Path) -> None:
    store = store_at(str(tmp_path / "shared"), tmp_path)
    store.write("old", b"1")
    [old] = files_in(tmp_path / "shared")
    week_ago = time.time() - 7 * 24 * 3600
    os.utime(old, (week_ago, week_ago))
    store.write("new", b"1")
    assert store.delete_older(24 * 3600) == 1
    assert store.read("old") is None and store.read("new") is not None


def test_a_store_that_cannot_be_written_is_told_without_its_password(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StateUnusable):
        store_at(f"file://{tmp_path}/file/folder", tmp_path).write("shop", SECRET)
    assert store_at("s3://key:password@host/bucket?token=1", tmp_path).address == "s3://host/bucket"


def test_an_address_that_is_not_known_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings):
        store_at("nonsense://here", tmp_path).write("shop", SECRET)


def test_the_store_is_in_the_home_of_the_server_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    assert SessionStateStore.of(Settings(home=tmp_path)).address == str(tmp_path / "cluster")
    elsewhere = Settings(home=tmp_path, cluster=Clustering(store="s3://bucket/rove"))
    assert SessionStateStore.of(elsewhere).address == "s3://bucket/rove"
