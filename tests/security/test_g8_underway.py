"""G8: What was under way when rove was killed is on record."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from rove.actions.navigation import Navigate
from rove.engine.journal import Journal
from rove.ledger.files import LedgerFiles
from rove.ledger.verification import verify

BEGIN = """
import asyncio, sys
from pathlib import Path
from rove.actions.navigation import Navigate
from rove.engine.journal import Journal
journal = Journal(Path(sys.argv[1]), "mine", redact=lambda text: text.replace("hunter2", "[secret]"))
async def main():
    async with journal.entry(Navigate("https://example.com/done")):
        pass
    async with journal.entry(Navigate("https://example.com/hunter2")):
        print("begun", flush=True)
        sys.stdin.read(1)
asyncio.run(main())
"""


def begun(folder: Path) -> subprocess.Popen[bytes]:
    """A process in the middle of an action."""
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def entries(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "mine.jsonl").read_text().splitlines()]


def ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def one_more(folder: Path) -> None:
    asyncio.run(record_one(Journal(folder, "mine")))


async def record_one(journal: Journal) -> None:
    async with journal.entry(Navigate("https://example.com/after")):
        pass
    await journal.close()


def test_g8_what_a_killed_process_had_begun_is_put_on_record_by_the_next(tmp_path: Path) -> None:
    ended(begun(tmp_path))
    one_more(tmp_path)
    told = [(entry["arguments"], entry["outcome"]) for entry in entries(tmp_path)]
    assert told == [
        ({"url": "https://example.com/done"}, "done"),
        ({"url": "https://example.com/[secret]"}, "broken off"),
        ({"url": "https://example.com/after"}, "done"),
    ]
    assert verify(LedgerFiles(tmp_path, "mine")).is_whole
    one_more(tmp_path)
    assert len(entries(tmp_path)) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.head", "mine.jsonl"]


def test_g8_verify_tells_of_it_before_anyone_has_put_it_on_record(tmp_path: Path) -> None:
    ended(begun(tmp_path))
    verdict = verify(LedgerFiles(tmp_path, "mine"))
    assert verdict.is_whole
    assert any("killed in the middle of: navigate" in remark for remark in verdict.remarks)


def test_g8_what_a_living_process_does_is_left_to_it(tmp_path: Path) -> None:
    process = begun(tmp_path)
    try:
        one_more(tmp_path)
        assert [entry["outcome"] for entry in entries(tmp_path)] == ["done", "done"]
        assert verify(LedgerFiles(tmp_path, "mine")).remarks == ()
    finally:
        ended(process)
    one_more(tmp_path)
    assert [entry["outcome"] for entry in entries(tmp_path)] == ["done", "done", "broken off", "done"]
