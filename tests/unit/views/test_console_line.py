"""Console messages as Playwright writes them."""

from __future__ import annotations

from rove.outcome import console_line


def test_lines_are_counted_from_0_and_the_browsers_own_messages_told_by_their_level() -> None:
    assert console_line("log", "info", "a", "http://x/:5:2") == "[LOG] a @ http://x/:4"
    assert console_line("network", "error", "404", "http://x/a.png") == "[ERROR] 404 @ http://x/a.png:0"
    assert console_line("exception", "error", "Uncaught Error: a\n  at b", "http://x/:1:1") == "Error: a\\n  at b"
