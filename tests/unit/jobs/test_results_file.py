"""The file of results: what is in it is done, whatever happened to the process that wrote it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from rove.errors import InvalidArguments
from rove.jobs.results_file import ResultsFile, ResultsStream


def record(number: int) -> dict[str, Any]:
    return {"url": f"https://example.com/{number}", "ok": True, "result": "é\ud800\n" * 3}


def test_results_are_appended_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for number in range(2):
        results = ResultsFile(path)
        assert results.repair() is None
        results.append(record(number))
        results.close()
    assert [json.loads(line)["url"] for line in path.read_text().splitlines()] == [record(0)["url"], record(1)["url"]]
    again = ResultsFile(path)
    assert [found["url"] for found in again.records()] == [record(0)["url"], record(1)["url"]]
    # Half of a surrogate pair is no character, and not every program reads it.
    assert [found["result"] for found in again.records()] == ["é\ufffd\n" * 3] * 2
    again.close()


def test_standard_output_gets_ascii_without_halves_of_surrogate_pairs() -> None:
    output = io.StringIO()
    ResultsStream(output).append(record(0))
    assert output.getvalue().isascii()
    assert json.loads(output.getvalue())["result"] == "é\ufffd\n" * 3


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/1",
        "precious text",
        '{"name": "x"}',
        '{"url": "https://example.com/1"}',
        '{"url": "https://example.com/1"}\nmy notes',
        'my notes\n{"url": "https://example.com/1"',
    ],
)
def test_a_file_that_is_not_of_rove_map_is_refused_and_not_changed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    results = ResultsFile(path)
    with pytest.raises(InvalidArguments, match="no result of rove map"):
        results.repair()
    results.close()
    assert path.read_text() == text


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_last_line_that_was_not_written_to_its_end_is_removed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "results.jsonl"
    whole = json.dumps(record(0)) + "\n"
    path.write_text(whole + json.dumps(record(1))[:cut])
    results = ResultsFile(path)
    repaired = results.repair()
    assert repaired is not None
    assert repaired.removed == cut
    results.append(record(2))
    assert [found["url"] for found in results.records()] == [record(0)["url"], record(2)["url"]]
    results.close()


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(record(0)) + "\n" + json.dumps({**record(1), "result": "x" * 200_000}))
    results = ResultsFile(path)
    results.repair()
    results.append(record(2))
    assert len(list(results.records())) == 3
    results.close()


def test_two_processes_cannot_write_to_one_file(tmp_path: Path) -> None:
    first = ResultsFile(tmp_path / "results.jsonl")
    with pytest.raises(InvalidArguments, match="Another rove map"):
        ResultsFile(tmp_path / "results.jsonl")
    first.close()
    ResultsFile(tmp_path / "results.jsonl").close()


def test_what_is_no_file_of_results_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    results = ResultsFile(path)
    with pytest.raises(InvalidArguments, match="Line 1"):
        list(results.records())
    results.close()
    with pytest.raises(InvalidArguments, match="not a regular file"):
        ResultsFile(Path(os.devnull))
    with pytest.raises(InvalidArguments, match="cannot be written"):
        ResultsFile(tmp_path)
