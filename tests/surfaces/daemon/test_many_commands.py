"""Two hundred commands from four shells at once, with and without a daemon that is killed in between."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.processes import eventually, marked, watchdogs
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal

pytestmark = pytest.mark.slow
SHELLS, EACH = 4, 50
PATIENCE = 60.0
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def terminal(tmp_path: Path) -> Generator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.run("stop")
    assert eventually(lambda: not marked(terminal.home) and not watchdogs(terminal.home), PATIENCE)


def commands_of_a_shell(terminal: Terminal, url: str, shell: int, done: list[Done]) -> None:
    session = f"s{shell}"
    for number in range(EACH):
        words = ["open", url] if number % 10 == 0 else [["snapshot"], ["tabs"], ["evaluate", "6*7"]][number % 3]
        form = ["--json"] if number % 2 else []
        done.append(terminal.run(*words, *form, "--session", session))


def run_shells(terminal: Terminal, url: str) -> list[Done]:
    done: list[Done] = []
    shells = [threading.Thread(target=commands_of_a_shell, args=(terminal, url, n, done)) for n in range(SHELLS)]
    for shell in shells:
        shell.start()
    for shell in shells:
        shell.join()
    return done


def test_two_hundred_commands_from_four_shells(terminal: Terminal, site: Site) -> None:
    done = run_shells(terminal, site.page("/", "<h1>Shop</h1>"))
    assert [each for each in done if each.returncode] == []
    assert len(done) == SHELLS * EACH
    assert (terminal.home / "daemon/log").read_text().count("started as process") == 1


def test_a_daemon_that_is_killed_at_random(terminal: Terminal, site: Site) -> None:
    url = site.page("/", "<h1>Shop</h1>")
    terminal.run("open", url)
    stopped, chance = threading.Event(), random.Random(17)

    def kill() -> None:
        while not stopped.wait(chance.uniform(0.5, 4)):
            try:
                os.kill(terminal.daemon, signal.SIGKILL)
            except ProcessLookupError:
                continue

    killer = threading.Thread(target=kill)
    killer.start()
    done = run_shells(terminal, url)
    stopped.set()
    killer.join()
    # A command that the daemon had begun fails, and says so; one that finds no session says which are open.
    assert {each.returncode for each in done} <= {0, 1}
    failed = [each for each in done if each.returncode]
    assert all(each.stderr for each in failed if "--json" not in each.args)
    told = [json.loads(each.stdout) for each in done if "--json" in each.args]
    assert {each["error"]["code"] for each in told if not each["ok"]} <= {"browser_unavailable", "not_open"}
    assert not any("Traceback" in each.stderr for each in done)
    assert 'heading "Shop"' in terminal.run("open", url).stdout
