"""The line that shows how far `rove map` is."""

from __future__ import annotations

import pytest

from rove.jobs.scheduler import Progress
from rove.surfaces.cli.map import progress_text

PROGRESS = Progress(done=120, failed=3, skipped=0, running=4, total=2000, rate=12.5)


@pytest.mark.parametrize("columns", [10, 30, 50, 80, 200])
def test_the_line_fits_a_terminal(columns: int) -> None:
    text = progress_text(PROGRESS, columns)
    assert len(text) < columns
    assert text in progress_text(PROGRESS) or "█" not in text


def test_a_wide_terminal_shows_all_of_it() -> None:
    text = progress_text(PROGRESS, 120)
    assert text == progress_text(PROGRESS)
    assert text.endswith("123 of 2000 pages  12.5/s  3 failed  2 min 30 s left")
    assert "█" in text
    assert progress_text(PROGRESS, 30) == "  123 of 2000 pages  12.5/s  "
