"""G8: The journal records an action that was running when rove was killed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from rove.actions.navigation import Navigate
from rove.engine.journal import Journal
from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_verification import verify

SCRIPT = """
import asyncio, sys
from pathlib import Path
from rove.actions.navigation import Navigate
from rove.engine.journal import Journal
class Redactor:
    names = ("password",)
    def redact(self, text):
        return text.replace("hunter2", "[secret]")
journal = Journal(Path(sys.argv[1]), "mine", redactor=Redactor())
async def main():
    async with journal.entry(Navigate("https://example.com/done")):
        pass
    async with journal.entry(Navigate("https://example.com/hunter2")):
        print("begun", flush=True)
        sys.stdin.read(1)
asyncio.run(main())
"""


def start_action(folder: Path) -> subprocess.Popen[bytes]:
    """Start a process, and return it when it is in the middle of an action."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def entries(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "mine.jsonl").read_text().splitlines()]


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def record_another(folder: Path) -> None:
    asyncio.run(record_one(Journal(folder, "mine")))


async def record_one(journal: Journal) -> None:
    async with journal.entry(Navigate("https://example.com/after")):
        pass
    await journal.close()


def test_g8_the_next_process_records_the_action_of_a_killed_process(tmp_path: Path) -> None:
    kill(start_action(tmp_path))
    record_another(tmp_path)
    recorded = [(entry["arguments"], entry["outcome"]) for entry in entries(tmp_path)]
    assert recorded == [
        ({"url": "https://example.com/done"}, "done"),
        ({"url": "https://example.com/[secret]"}, "broken off"),
        ({"url": "https://example.com/after"}, "done"),
    ]
    assert verify(LedgerFiles(tmp_path, "mine")).is_whole
    record_another(tmp_path)
    assert len(entries(tmp_path)) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.head", "mine.jsonl"]


def test_g8_verify_reports_the_action_before_it_is_recorded(tmp_path: Path) -> None:
    kill(start_action(tmp_path))
    verdict = verify(LedgerFiles(tmp_path, "mine"))
    assert verdict.is_whole
    assert any("killed in the middle of: navigate" in remark for remark in verdict.remarks)


def test_g8_the_action_of_a_live_process_is_not_recorded_by_another(tmp_path: Path) -> None:
    process = start_action(tmp_path)
    try:
        record_another(tmp_path)
        assert [entry["outcome"] for entry in entries(tmp_path)] == ["done", "done"]
        assert verify(LedgerFiles(tmp_path, "mine")).remarks == ()
    finally:
        kill(process)
    record_another(tmp_path)
    assert [entry["outcome"] for entry in entries(tmp_path)] == ["done", "done", "broken off", "done"]
