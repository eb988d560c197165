"""G8: The journal when processes are killed, write at the same time, or run out of disk space."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from rove import Session
from rove.actions.input import Click
from rove.engine import journal as journal_module
from rove.engine.journal import Journal
from rove.engine.sessions import Sessions
from rove.errors import JournalFailed
from rove.storage.ledger import PATIENCE, LedgerFiles
from rove.storage.ledger_verification import verify
from rove.storage.ledger_writer import interrupted

# Short and long lines in turn. With a limit on the file size, the kernel kills the process in
# the middle of a write.
ENDLESS = """
import asyncio, resource, signal, sys
from pathlib import Path
from rove.actions.forms import Fill
from rove.engine.journal import Journal
journal = Journal(Path(sys.argv[1]), "mine")
if most := int(sys.argv[2]):
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
async def main():
    while True:
        for size in (10, 1_000_000):
            async with journal.entry(Fill("e1", "x" * size)):
                pass
asyncio.run(main())
"""

MANY = """
import sys
from pathlib import Path
from rove.storage.ledger_writer import Ledger
from rove.storage.ledger import LedgerFiles
ledger = Ledger(LedgerFiles(Path(sys.argv[1]), "mine"), largest=4000)
sys.stdin.readline()
for number in range(300):
    ledger.append({"session": "mine", "writer": sys.argv[2], "number": number})
"""

# Disk space for some entries until the limit is lifted; each action that ran is printed.
FULL = """
import asyncio, resource, sys
from pathlib import Path
from rove.actions.input import Click
from rove.engine.journal import Journal
from rove.errors import JournalFailed
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
journal = Journal(Path(sys.argv[1]), "mine")
async def main():
    refused = 0
    for number in range(20):
        try:
            async with journal.entry(Click(f"e{number}")):
                print(f"e{number}")
        except JournalFailed:
            refused += 1
    assert refused > 5, refused
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    async with journal.entry(Click("e99")):
        print("e99")
asyncio.run(main())
"""


def run(code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


async def test_after_a_process_is_killed_while_writing_the_journal_can_be_continued(tmp_path: Path) -> None:
    torn = 0
    for _ in range(3):
        assert await kill_one(tmp_path, in_the_middle=True) == torn + 1
        torn = await kill_one(tmp_path, in_the_middle=False)


async def kill_one(folder: Path, *, in_the_middle: bool) -> int:
    """Kill a process that writes; return how many lines are incomplete so far."""
    files = LedgerFiles(folder, "mine")
    entries = verify(files).entries
    most = size_of(files.current) + 1_500_000 if in_the_middle else 0
    with run(ENDLESS, str(folder), str(most)) as process:
        if in_the_middle:
            assert process.wait(60) == -signal.SIGXFSZ
        else:
            kill_while_it_grows(process, files.current)
    verdict = verify(files)
    assert verdict.is_whole, verdict.broken
    assert verdict.entries > entries
    killed = len(interrupted(files))
    async with Journal(folder, "mine").entry(Click("e1")):
        pass
    after = verify(files)
    assert after.is_whole, after.broken
    # The interrupted action is recorded too, and not reported again.
    assert (after.entries, len(after.torn)) == (verdict.entries + 1 + killed, len(verdict.torn))
    assert after.remarks == ()
    return len(after.torn)


async def test_a_note_that_was_cut_off_by_a_kill_is_recorded_in_the_journal_that_it_lies_beside(tmp_path: Path) -> None:
    files = LedgerFiles(tmp_path, "mine")
    note = tmp_path / f"{files.open_entries_prefix}1-0"
    note.write_text('[{"action": "fill", "arguments": {"value": "xxxx')
    async with Journal(tmp_path, "mine").entry(Click("e1")):
        pass
    verdict = verify(files)
    assert verdict.is_whole, verdict.broken
    assert (verdict.entries, note.exists()) == (2, False)


def kill_while_it_grows(process: subprocess.Popen[str], path: Path) -> None:
    """Kill the process as soon as the file has the beginning of a long line."""
    before, give_up = size_of(path), time.monotonic() + 60
    while (size := size_of(path)) < before + 500_000:
        before = min(before, size)  # the journal may continue in a new file
        assert time.monotonic() < give_up
        assert process.poll() is None
    process.kill()


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def test_processes_that_write_at_the_same_time_make_one_hash_chain(tmp_path: Path) -> None:
    processes = [run(MANY, str(tmp_path), name) for name in "ab"]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60)[0] for process in processes] == ["", ""]
    assert [process.returncode for process in processes] == [0, 0]
    files = LedgerFiles(tmp_path, "mine")
    verdict = verify(files)
    assert verdict.is_whole, verdict.broken
    assert (verdict.entries, verdict.torn, verdict.remarks) == (600, (), ())
    assert len(verdict.files) > 10


def test_without_disk_space_no_action_runs_and_no_entry_is_lost(tmp_path: Path) -> None:
    with run(FULL, str(tmp_path)) as process:
        ran = process.communicate(timeout=60)[0].split()
    assert process.returncode == 0
    files = LedgerFiles(tmp_path, "mine")
    verdict = verify(files)
    assert verdict.is_whole, verdict.broken
    # The action that could not be recorded did run; none ran after it until there was space.
    assert verdict.entries == len(ran)
    assert (2 < len(ran) < 15, ran[-1]) == (True, "e99")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Generator[Path]:
    """A disk of 64 kB, on machines where tests may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(folder)], check=False
    ).returncode:
        pytest.skip("only root can make a disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


async def test_on_a_full_disk_no_action_begins(tiny_disk: Path) -> None:
    begun = False
    with pytest.raises(JournalFailed) as failed:
        async with Journal(tiny_disk, "mine").entry(Click("e1")):
            begun = True
    assert not begun
    assert isinstance(failed.value.__cause__, OSError)
    assert failed.value.__cause__.errno == errno.ENOSPC


# Holds a journal's lock from the word "lock_held" until its input ends.
HOLDING = """
import fcntl, sys
file = open(sys.argv[1], "ab")
fcntl.flock(file, fcntl.LOCK_EX)
print("lock_held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def lock_held(path: Path) -> Generator[subprocess.Popen[str]]:
    """Start another process that holds the lock of a journal."""
    with run(HOLDING, str(path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "lock_held\n"
        yield process


async def record(journal: Journal, target: str) -> None:
    async with journal.entry(Click(target)):
        pass


async def count_while(pending: asyncio.Task[None], journal: Journal) -> int:
    """Count the entries that another session records while a task is pending."""
    recorded = 0
    while not pending.done():
        await record(journal, f"e{recorded}")
        recorded += 1
        await asyncio.sleep(0)
    return recorded


async def test_a_locked_journal_delays_no_other_session_and_the_entry_is_written_in_the_end(
    tmp_path: Path,
) -> None:
    mine, other = Journal(tmp_path, "mine"), Journal(tmp_path, "other")
    await record(mine, "e1")
    with lock_held(LedgerFiles(tmp_path, "mine").current) as holder:
        waiting = asyncio.ensure_future(record(mine, "e2"))
        began = time.monotonic()
        await asyncio.wait({waiting}, timeout=0.1)
        for number in range(20):
            await record(other, f"e{number}")
        assert not waiting.done()
        assert time.monotonic() - began < PATIENCE / 2
        assert holder.stdin is not None
        holder.stdin.close()
        await waiting
    assert [entry["arguments"]["target"] for entry in lines(tmp_path)] == ["e1", "e2"]
    await mine.close()
    assert verify(LedgerFiles(tmp_path, "mine")).remarks == ()


async def test_a_journal_that_stays_locked_fails_only_its_own_session(tmp_path: Path) -> None:
    mine, other = Journal(tmp_path, "mine"), Journal(tmp_path, "other")
    await record(mine, "e1")
    with lock_held(LedgerFiles(tmp_path, "mine").current):
        waiting = asyncio.ensure_future(record(mine, "e2"))
        assert await count_while(waiting, other) > 20
        with pytest.raises(JournalFailed):
            await waiting
        begun = False
        with pytest.raises(JournalFailed):  # the entry that is not written yet comes first
            async with mine.entry(Click("e3")):
                begun = True
        assert not begun
    await record(mine, "e4")
    assert [entry["arguments"]["target"] for entry in lines(tmp_path)] == ["e1", "e2", "e4"]
    await mine.close()
    assert not list(tmp_path.glob("mine~underway*"))


async def test_a_call_that_is_cancelled_while_its_journal_is_locked_is_recorded_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine")
    await record(journal, "e1")
    with lock_held(LedgerFiles(tmp_path, "mine").current) as holder:
        waiting = asyncio.ensure_future(record(journal, "e2"))
        await asyncio.wait({waiting}, timeout=0.1)
        waiting.cancel()
        assert holder.stdin is not None
        holder.stdin.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    await record(journal, "e3")
    await journal.close()
    assert [entry["arguments"]["target"] for entry in lines(tmp_path)] == ["e1", "e2", "e3"]


async def test_entries_of_one_session_are_written_in_order_when_the_lock_is_free_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine")
    await record(journal, "e0")
    with lock_held(LedgerFiles(tmp_path, "mine").current) as holder:
        entries = [journal.entry(Click(f"e{number}")) for number in range(1, 6)]
        for entry in entries:
            await entry.__aenter__()
        ending = [asyncio.ensure_future(entry.__aexit__(None, None, None)) for entry in entries]
        assert holder.stdin is not None
        holder.stdin.close()
        await asyncio.gather(*ending)
    await journal.close()
    assert [entry["arguments"]["target"] for entry in lines(tmp_path)] == [f"e{number}" for number in range(6)]
    assert not list(tmp_path.glob("mine~underway*"))


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "mine.jsonl").read_text(encoding="utf-8").splitlines()]


async def test_calls_of_another_session_are_answered_while_a_journal_is_locked(
    sessions: Sessions, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "PATIENCE", 60)  # the machine may be busy
    other = Session(sessions, await sessions.open_session("beside-the-locked"))
    await session.evaluate("1")
    await other.evaluate("1")
    with lock_held(LedgerFiles(sessions.settings.journal_folder, session.name).current) as holder:
        waiting = asyncio.ensure_future(session.evaluate("2"))
        assert (await other.evaluate("3")).result.value == 3
        assert not waiting.done()
        assert holder.stdin is not None
        holder.stdin.close()
        assert (await waiting).result.value == 2
