"""HAR files that are written entry by entry."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from rove.recordings.har import HarArchive


def new_archive(path: Path, max_bytes: int = 10_000) -> HarArchive:
    return HarArchive(os.open(path, os.O_RDWR | os.O_CREAT), max_bytes)


def read(path: Path) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(path.read_text("utf-8"))["log"]
    return log


def test_a_file_is_whole_after_each_entry(tmp_path: Path) -> None:
    path = tmp_path / "a.har"
    archive = new_archive(path)
    assert read(path) | {"creator": {}} == {"version": "1.2", "creator": {}, "entries": [], "pages": []}
    pages = [{"id": "t1_1"}, {"id": "t1_2", "title": "x" * 100}]
    for count, known in enumerate([pages, pages[:1], pages], 1):  # the end of the file gets shorter, too
        archive.add(json.dumps({"number": count, "word": "thé"}), known)
        log = read(path)
        assert [entry["number"] for entry in log["entries"]] == list(range(1, count + 1)) and log["pages"] == known
    archive.close([])
    assert len(read(path)["entries"]) == 3


def test_a_full_file_takes_no_more_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.har"
    archive = new_archive(path, 1000)
    for _ in range(20):
        archive.add(json.dumps({"text": "x" * 100}), [])
    archive.close([])
    assert archive.is_full and len(read(path)["entries"]) == archive.entries < 10
    assert "largest size" in read(path)["comment"] and path.stat().st_size < 1300
