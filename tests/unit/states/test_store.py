"""Saved states are encrypted, private, written as a whole, and bound to their names and their key."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import keyring
import pytest
from keyring.backend import KeyringBackend

from rove.errors import InvalidArguments, StateUnusable
from rove.storage.saved_states import KEY_FILE, KEY_LOCK, KeyPlace, StateCipher, StateStore
from rove.storage.state import BrowserState, OriginState

STATE = BrowserState(
    [{"name": "id", "value": "very-secret", "domain": "shop.example"}],
    {"https://shop.example": OriginState(local=[{"name": "a", "value": "also-secret"}])},
)


def store_in(folder: Path, key: KeyPlace = "file") -> StateStore:
    return StateStore(folder, StateCipher(folder, key))


def test_a_state_is_read_as_it_was_written_and_no_value_is_in_the_file(tmp_path: Path) -> None:
    store = store_in(tmp_path / "states")
    store.write("shop", STATE, "work", owner="client")
    saved = store_in(tmp_path / "states").read("shop")
    assert (saved.state, saved.session, saved.owner) == (STATE, "work", "client")
    written = b"".join(path.read_bytes() for path in (tmp_path / "states").iterdir())
    for text in (b"secret", b"shop.example", b"work"):
        assert text not in written


def test_folder_and_files_are_private_also_if_the_folder_was_not(tmp_path: Path) -> None:
    folder = tmp_path / "states"
    folder.mkdir(mode=0o755)
    store_in(folder).write("shop", STATE, "work")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_write_that_fails_keeps_what_was_saved_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_in(tmp_path)
    store.write("shop", STATE, "work")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(StateUnusable, match="No space left"):
        store.write("shop", BrowserState(), "work")
    monkeypatch.undo()
    assert store.read("shop").state == STATE
    assert sorted(path.name for path in tmp_path.iterdir()) == [KEY_FILE, KEY_LOCK, "shop.state"]


def test_a_file_that_was_changed_copied_or_encrypted_with_another_key_is_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path / "a")
    store.write("shop", STATE, "work")
    path = tmp_path / "a" / "shop.state"
    (tmp_path / "a" / "other.state").write_bytes(path.read_bytes())
    (tmp_path / "a" / "other.state").chmod(0o600)
    with pytest.raises(StateUnusable, match="decrypted"):
        store.read("other")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(StateUnusable, match="decrypted"):
        store.read("shop")
    store.write("shop", STATE, "work")
    store_in(tmp_path / "b").write("x", STATE, "work")
    (tmp_path / "a" / KEY_FILE).write_bytes((tmp_path / "b" / KEY_FILE).read_bytes())
    with pytest.raises(StateUnusable, match="decrypted"):
        store.read("shop")
    (tmp_path / "a" / KEY_FILE).unlink()
    with pytest.raises(StateUnusable, match="gone"):
        store.read("shop")


@pytest.mark.parametrize("readable", ["key", "shop.state"])
def test_a_file_that_other_users_can_read_is_not_used(tmp_path: Path, readable: str) -> None:
    store = store_in(tmp_path)
    store.write("shop", STATE, "work")
    (tmp_path / readable).chmod(0o644)
    with pytest.raises(StateUnusable, match="owner alone"):
        store.read("shop")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\0", ".key", "x" * 65, "ü"])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    store = store_in(tmp_path / "states")
    for attempt in (lambda: store.write(name, STATE, "s"), lambda: store.read(name), lambda: store.delete(name)):
        with pytest.raises(InvalidArguments):
            attempt()
    assert not (tmp_path / "states").exists()


def test_all_threads_and_processes_agree_on_one_key(tmp_path: Path) -> None:
    stores = [store_in(tmp_path) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda pair: pair[1].write(f"s{pair[0]}", STATE, "s"), enumerate(stores)))
    assert all(stores[0].read(f"s{number}").state == STATE for number in range(8))


def test_names_lists_states_alone_and_a_deleted_one_is_gone(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert store.names() == []
    store.write("b", STATE, "s")
    store.write("a", STATE, "s")
    assert store.names() == ["a", "b"]
    store.delete("a")
    assert store.names() == ["b"]
    with pytest.raises(InvalidArguments, match="no state a"):
        store.read("a")


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority: ClassVar[float] = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise keyring.errors.KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture
def ring() -> Generator[Ring]:
    before, ring = keyring.get_keyring(), Ring()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


def test_the_key_is_in_the_keyring_if_there_is_one_and_then_only_there(tmp_path: Path, ring: Ring) -> None:
    store = store_in(tmp_path, "auto")
    store.write("shop", STATE, "work")
    (key,) = ring.kept.values()
    assert key.encode() not in (tmp_path / KEY_FILE).read_bytes()
    assert store.read("shop").state == STATE
    ring.is_locked = True
    with pytest.raises(StateUnusable, match="keyring"):
        store.read("shop")
    with pytest.raises(StateUnusable, match="keyring"):  # and no other key is made, which would part the states
        store.write("other", STATE, "work")
    assert store.names() == ["shop"]


def test_without_a_keyring_the_key_is_in_a_file_unless_the_keyring_is_required(tmp_path: Path) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    try:
        store_in(tmp_path / "auto", "auto").write("shop", STATE, "work")
        assert len((tmp_path / "auto" / KEY_FILE).read_bytes()) > 40
        with pytest.raises(StateUnusable, match="keyring"):
            store_in(tmp_path / "ring", "keyring").write("shop", STATE, "work")
    finally:
        keyring.set_keyring(before)


def test_json_of_a_state_leaves_out_origins_that_have_stored_nothing() -> None:
    state = BrowserState([], {"https://a.example": OriginState(), "https://b.example": OriginState(local=[{}])})
    assert list(json.loads(state.to_json())["origins"]) == ["https://b.example"]


def test_no_second_key_is_made_while_states_of_the_first_exist(tmp_path: Path) -> None:
    folder = tmp_path / "states"
    store = StateStore(folder, StateCipher(folder, "file"))
    store.write("shop", STATE, "work")
    before, key = (folder / "shop.state").read_bytes(), (folder / "key").read_bytes()
    (folder / "key").unlink()
    for name in ("shop", "other"):
        with pytest.raises(StateUnusable, match="is gone"):
            store.write(name, STATE, "work")
    assert (folder / "shop.state").read_bytes() == before and not (folder / "key").exists()
    (folder / "key").write_bytes(key)
    (folder / "key").chmod(0o600)
    assert store.read("shop").state == STATE
    (folder / "key").unlink()
    store.delete("shop")
    store.write("other", STATE, "work")
