"""The journal: one line per action."""

from __future__ import annotations

import asyncio
import json
import os
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.redactor import Redactor

from rove.actions.batch import Batch
from rove.actions.forms import Fill
from rove.actions.input import Click
from rove.engine.journal import REDACTION_FAILED, Journal
from rove.errors import ElementGone, JournalFailed
from rove.outcome import Attachment
from rove.settings.tree import Journaling
from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_verification import verify


def read_lines(folder: Path, name: str = "mine") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


async def test_an_action_is_one_line(tmp_path: Path) -> None:
    async with Journal(tmp_path, "mine").entry(Click("e1", count=2)) as entry:
        entry.tab, entry.url, entry.decision = "t1", "https://example.com/", "allowed"
    (line,) = read_lines(tmp_path)
    assert (line["session"], line["action"], line["arguments"]) == ("mine", "click", {"target": "e1", "count": 2})
    assert (line["tab"], line["url"], line["decision"]) == ("t1", "https://example.com/", "allowed")
    assert (line["outcome"], line["error"]) == ("done", None)
    assert line["seconds"] >= 0
    assert line["began"] > 0


async def test_an_error_is_recorded_by_its_code_and_raised(tmp_path: Path) -> None:
    with pytest.raises(ElementGone):
        async with Journal(tmp_path, "mine").entry(Click("e1")):
            raise ElementGone("e1 is gone.")
    (line,) = read_lines(tmp_path)
    assert (line["outcome"], line["error"]) == ("element_gone", "e1 is gone.")


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), RuntimeError("a bug")])
async def test_an_action_that_is_cancelled_or_has_a_bug_is_recorded_too(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        async with Journal(tmp_path, "mine").entry(Click("e1")):
            raise error
    (line,) = read_lines(tmp_path)
    assert (line["outcome"], line["error"]) == ("broken off", type(error).__name__)


async def test_an_action_without_a_decision_is_undecided(tmp_path: Path) -> None:
    async with Journal(tmp_path, "mine").entry(Click("e1")):
        pass
    assert read_lines(tmp_path)[0]["decision"] == "undecided"


async def test_lines_are_appended_and_never_rewritten(tmp_path: Path) -> None:
    for number in range(3):
        async with Journal(tmp_path, "mine").entry(Click(f"e{number}")):
            pass
    assert [line["arguments"]["target"] for line in read_lines(tmp_path)] == ["e0", "e1", "e2"]


async def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    async with Journal(tmp_path / "sessions", "mine").entry(Click("e1")):
        pass
    assert (tmp_path / "sessions" / "mine.jsonl").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "sessions").stat().st_mode & 0o777 == 0o700


async def test_any_text_stays_on_one_line(tmp_path: Path) -> None:
    async with Journal(tmp_path, "mine").entry(Fill("e1", "two\nlines, an emoji 🫖 and half of one \ud83e")):
        pass
    (line,) = read_lines(tmp_path)
    assert line["arguments"]["value"].startswith("two\nlines, an emoji 🫖")
    assert "\\n" in (tmp_path / "mine.jsonl").read_text(encoding="ascii")


async def test_the_lines_are_chained(tmp_path: Path) -> None:
    for number in range(3):
        async with Journal(tmp_path, "mine").entry(Click(f"e{number}")):
            pass
    verdict = verify(LedgerFiles(tmp_path, "mine"))
    assert (verdict.is_whole, verdict.entries) == (True, 3)


async def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine", Journaling(file_megabytes=1, keep_files=1))
    for _ in range(4):
        async with journal.entry(Fill("e1", "x" * 1_100_000)):
            pass
    await journal.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.head", "mine.jsonl", "mine~3.jsonl"]
    assert verify(LedgerFiles(tmp_path, "mine")).is_whole


async def test_a_journal_that_was_closed_opens_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine")
    for _ in range(2):
        async with journal.entry(Click("e1")):
            await journal.close()
    await journal.close()
    assert len(read_lines(tmp_path)) == 2


# Attachments


async def test_a_small_attachment_is_inside(tmp_path: Path) -> None:
    picture = Attachment("image", "image/png", b"\x89PNG and so on", "screenshot.png")
    async with Journal(tmp_path, "mine").entry(Click("e1")) as entry:
        entry.attachments = (picture,)
    (attachment,) = read_lines(tmp_path)[0]["attachments"]
    assert b64decode(attachment.pop("data")) == picture.data
    assert attachment == {
        "type": "image", "mimeType": "image/png", "name": "screenshot.png", "bytes": 14,
        "sha256": sha256(picture.data).hexdigest(),
    }  # fmt: skip


@pytest.mark.parametrize(("size", "is_inside"), [(2048, True), (2049, False)])
async def test_of_a_large_attachment_only_the_digest_is_kept(tmp_path: Path, size: int, is_inside: bool) -> None:
    async with Journal(tmp_path, "mine", Journaling(attachment_kilobytes=2)).entry(Click("e1")) as entry:
        entry.attachments = (Attachment("file", "text/plain", b"x" * size, "notes.txt"),)
    (attachment,) = read_lines(tmp_path)[0]["attachments"]
    assert ("data" in attachment) is is_inside
    assert (attachment["bytes"], attachment["sha256"]) == (size, sha256(b"x" * size).hexdigest())


# Secrets


async def test_no_secret_is_written(tmp_path: Path) -> None:
    steps = ({"action": "fill", "target": "e1", "value": "hunter2"},)
    with pytest.raises(ElementGone):
        async with Journal(tmp_path, "mine", redactor=Redactor()).entry(Batch(steps)) as entry:
            entry.url = "https://example.com/?key=hunter2"
            entry.attachments = (Attachment("file", "text/plain", b"", "hunter2.txt"),)
            raise ElementGone('textbox "hunter2" is gone.')
    (line,) = read_lines(tmp_path)
    assert "hunter2" not in json.dumps(line)
    assert line["arguments"]["steps"][0] == {"action": "fill", "target": "e1", "value": "***"}
    assert line["error"] == 'textbox "***" is gone.'


async def test_text_from_which_secrets_cannot_be_removed_is_not_written(tmp_path: Path) -> None:
    class Failing(Redactor):
        def redact(self, text: str) -> str:
            raise RuntimeError("a bug")

    async with Journal(tmp_path, "mine", redactor=Failing()).entry(Fill("e1", "hunter2")):
        pass
    (line,) = read_lines(tmp_path)
    assert (line["outcome"], set(line["arguments"].values())) == ("done", {REDACTION_FAILED})


# Journals that cannot be written


async def test_an_action_that_cannot_be_recorded_does_not_begin(tmp_path: Path) -> None:
    (tmp_path / "sessions").touch()
    has_begun = False
    with pytest.raises(JournalFailed) as failed:
        async with Journal(tmp_path / "sessions", "mine").entry(Click("e1")):
            has_begun = True
    assert not has_begun
    assert str(tmp_path / "sessions" / "mine.jsonl") in failed.value.message


async def test_an_entry_that_cannot_be_written_is_an_error_and_is_written_before_the_next_action(
    tmp_path: Path,
) -> None:
    folder, aside = tmp_path / "sessions", tmp_path / "aside"
    journal = Journal(folder, "mine")
    with pytest.raises(JournalFailed):
        async with journal.entry(Click("e1")):
            folder.rename(aside)
            folder.touch()
    has_begun = False
    with pytest.raises(JournalFailed):
        async with journal.entry(Click("e2")):
            has_begun = True
    assert not has_begun
    folder.unlink()
    aside.rename(folder)
    async with journal.entry(Click("e3")):
        pass
    assert [line["arguments"]["target"] for line in read_lines(folder)] == ["e1", "e3"]
    assert verify(LedgerFiles(folder, "mine")).is_whole


async def test_an_entry_that_cannot_be_written_still_names_the_error_of_its_action(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    journal = Journal(folder, "mine")
    with pytest.raises(JournalFailed) as failed:
        async with journal.entry(Click("e1")):
            folder.rename(tmp_path / "aside")
            folder.touch()
            raise ElementGone("e1 is gone.")
    assert ElementGone.code in failed.value.message


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt()])
async def test_a_cancellation_that_cannot_be_recorded_stays_a_cancellation(
    tmp_path: Path, error: BaseException
) -> None:
    folder = tmp_path / "sessions"
    journal = Journal(folder, "mine")
    with pytest.raises(type(error)):
        async with journal.entry(Click("e1")):
            folder.rename(tmp_path / "aside")
            folder.touch()
            raise error
    folder.unlink()
    await journal.close()
    assert read_lines(folder)[0]["outcome"] == "broken off"


async def test_an_action_that_closes_its_own_session_leaves_no_file_open(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine")
    async with journal.entry(Click("e1")):
        await journal.close()
        assert len(_open_files(tmp_path)) == 1, "the file that says what this process has under way stays locked"
    assert _open_files(tmp_path) == []
    assert [line["outcome"] for line in read_lines(tmp_path)] == ["done"]


def _open_files(folder: Path) -> list[str]:
    """Return the files in a folder that this process has open."""
    links = [os.path.realpath(entry) for entry in Path("/proc/self/fd").iterdir()]
    return [link for link in links if link.startswith(str(folder.resolve()))]
