"""`rove record`, `rove replay`, `rove recordings` and `rove export`."""

from __future__ import annotations

import json
from collections.abc import Generator

import pytest
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal
from tests.surfaces.recordings.shop import SHOP, record_order


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Generator[Terminal]:
    terminal = Terminal(tmp_path_factory.mktemp("t"))
    yield terminal
    terminal.run("stop")


def test_what_was_recorded_is_replayed_until_the_page_is_not_as_expected(terminal: Terminal, site: Site) -> None:
    record_order(terminal, site)
    again = terminal.run("replay", "order", "--session", "fresh", "--set", "who=Bob")
    assert again.returncode == 0 and "order: 9 of 9 steps done." in again.stdout
    site.page("/", SHOP.replace("Thank you", "Go away"))
    failed = terminal.run("replay", "order", "--json")
    assert failed.returncode == 1
    told = json.loads(failed.stdout)
    assert told["ok"] is False and told["result"]["stopped"]["number"] == 6


@pytest.mark.slow
def test_what_is_wrong_with_a_command_is_misuse(terminal: Terminal, site: Site) -> None:
    assert terminal.run("record", "order", "--session", "unopened").returncode == 1
    record_order(terminal, site)
    assert "order: 9 steps" in terminal.run("recordings", "list").stdout
    assert terminal.run("replay", "order", "--set", "nobody=1").returncode == 2
    assert terminal.run("replay", "missing").returncode == 2
    assert terminal.run("record", "x", "--steps", "1-2").returncode == 2
    assert terminal.run("record", "x", "--from-journal", "missing").returncode == 2
    assert terminal.run("record", "x", "--import", "missing.json").returncode == 2
    assert terminal.run("record", "../x").returncode == 2
    assert terminal.run("export", "missing", "--as", "python").returncode == 2


@pytest.mark.slow
def test_a_recording_is_made_from_a_journal_and_from_a_flow(terminal: Terminal, site: Site) -> None:
    record_order(terminal, site)
    entries = [json.loads(line) for line in terminal.run("journal", "show", "default", "--json").stdout.splitlines()]
    opened = max(entry["seq"] for entry in entries if entry.get("action") == "navigate")
    last = max(entry["seq"] for entry in entries)
    made = terminal.run(
        "record", "again", "--from-journal", "default", "--steps", f"{opened}-{last}", "--param", "who=Ada"
    )
    assert "Saved again: 9 steps" in made.stdout
    assert terminal.run("export", "order", "--as", "recorder", "--out", "flow.json").returncode == 0
    assert "Saved back: 9 steps" in terminal.run("record", "back", "--import", "flow.json").stdout
    for name in ("again", "back"):
        done = terminal.run("replay", name, "--session", name)
        assert done.returncode == 0, done.stdout + done.stderr
    assert terminal.run("recordings", "param", "back", "buyer=Ada").returncode == 0
    assert "Thank you, Eve" in terminal.run("replay", "back", "--set", "buyer=Eve").stdout
    assert terminal.run("recordings", "delete", "back").returncode == 0
    assert "back" not in terminal.run("recordings", "list").stdout


@pytest.mark.slow
def test_what_is_being_recorded_is_saved_when_the_session_is_closed(terminal: Terminal, site: Site) -> None:
    terminal.run("open", site.page("/", SHOP), "--session", "closing")
    terminal.run("record", "closed", "--session", "closing")
    assert "Recording closed in session closing." in terminal.run("record").stdout
    assert terminal.run("record", "other", "--session", "closing").returncode == 2
    terminal.run("fill", 'textbox "Name"', "Ada", "--session", "closing")
    terminal.run("close", "closing")
    assert "2. fill" in terminal.run("recordings", "show", "closed").stdout
