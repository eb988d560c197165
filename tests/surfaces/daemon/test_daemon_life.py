"""The life of the daemon: one for each user, replaced when it is old, and gone without a trace."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.processes import eventually, marked, watchdogs
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal

PATIENCE = 30.0


@pytest.fixture
def terminal(tmp_path: Path) -> Generator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.run("stop")
    assert eventually(lambda: not marked(terminal.home) and not watchdogs(terminal.home), PATIENCE)


def test_commands_at_once_share_one_daemon(terminal: Terminal, site: Site) -> None:
    url = site.page("/", "<h1>Shop</h1>")
    commands = [terminal.start("open", url, "--session", f"s{number}") for number in range(6)]
    for command in commands:
        output, _ = command.communicate(timeout=100)
        assert 'heading "Shop"' in output
    assert (terminal.home / "daemon/log").read_text().count("started as process") == 1


def test_a_killed_daemon_leaves_nothing_and_the_next_command_starts_another(terminal: Terminal, site: Site) -> None:
    url = site.page("/", "<h1>Shop</h1>")
    terminal.run("open", url)
    os.kill(terminal.daemon, signal.SIGKILL)
    assert eventually(lambda: not marked(terminal.home), PATIENCE)
    assert (terminal.home / "daemon/socket").exists()
    assert 'heading "Shop"' in terminal.run("open", url).stdout


def test_a_daemon_that_is_killed_while_it_starts_is_started_again(terminal: Terminal, site: Site) -> None:
    killed = terminal.folder / "killed"
    (terminal.folder / "sitecustomize.py").write_text(
        "import os, sys\n"
        f"if 'rove.surfaces.cli.daemon' in sys.orig_argv and not os.path.exists({str(killed)!r}):\n"
        f"    open({str(killed)!r}, 'w').close()\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    opened = terminal.run("open", site.page("/", "<h1>Shop</h1>"), PYTHONPATH=str(terminal.folder))
    assert killed.exists() and 'heading "Shop"' in opened.stdout


def test_a_daemon_of_another_version_is_replaced(terminal: Terminal, site: Site) -> None:
    url = site.page("/", "<h1>Shop</h1>")
    terminal.run("open", url)
    first = terminal.daemon
    (terminal.folder / "sitecustomize.py").write_text("import rove.version; rove.version.VERSION = '99.0'")
    newer = terminal.run("open", url, PYTHONPATH=str(terminal.folder))
    assert 'heading "Shop"' in newer.stdout
    assert terminal.daemon != first
    assert terminal.run("stop", PYTHONPATH=str(terminal.folder)).returncode == 0


def test_an_interrupted_command_is_cancelled(terminal: Terminal, site: Site) -> None:
    terminal.run("open", site.page("/", "<h1>Shop</h1>"))
    waiting = terminal.start("wait", "never shown", "--timeout", "90")
    journals = terminal.home / "sessions"
    assert eventually(
        lambda: any("never shown" in file.read_text() for file in journals.glob("*~underway-*")), PATIENCE
    )
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(PATIENCE) == 130
    # The tab is free again at once.
    assert 'heading "Shop"' in terminal.run("snapshot", "--timeout", "20").stdout


def test_a_folder_that_others_can_write_is_refused(terminal: Terminal) -> None:
    (terminal.home / "daemon").mkdir(parents=True)
    (terminal.home / "daemon").chmod(0o777)
    refused = terminal.run("open", "https://example.com")
    assert refused.returncode == 1 and "chmod 700" in refused.stderr
    (terminal.home / "daemon").chmod(0o700)


def test_stop_and_sessions_start_no_daemon(terminal: Terminal) -> None:
    assert "no daemon runs" in terminal.run("sessions").stdout
    assert terminal.run("stop").returncode == 0
    assert not (terminal.home / "daemon").exists()
