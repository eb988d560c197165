"""People at terminals: they approve, watch, and see colour only where they want it."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Generator

import pytest
from tests.gateway.clients import GatewayClient
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal
from tests.surfaces.daemon.pseudo_terminal import Person
from websockets.asyncio.client import connect

SHOP = "<title>Shop</title><h1>Caf\u00e9 \u2603</h1><ul><li>Tea<li>Milk</ul><button>Order</button>"
ORDER = ("click", 'button "Order"')
ASK = '[[rule]]\ndecide = "ask"\naction = "click"\n'


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Generator[Terminal]:
    terminal = Terminal(tmp_path_factory.mktemp("t"))
    terminal.home.mkdir()
    (terminal.home / "policy.toml").write_text(ASK)
    yield terminal
    terminal.run("stop")


@pytest.fixture(autouse=True)
def _page(terminal: Terminal, site: Site) -> None:
    terminal.run("open", site.page("/", SHOP))


def test_a_command_at_a_terminal_asks_there(terminal: Terminal) -> None:
    with Person(terminal, *ORDER) as person:
        person.wait_for("anything else is no:")
        person.write("y\n")
        assert person.ended() == 0 and "Clicked" in person.shown
    with Person(terminal, *ORDER) as person:
        person.wait_for("anything else is no:")
        person.write("n\n")
        assert person.ended() == 3


def test_the_command_of_an_agent_waits_for_a_person_elsewhere(terminal: Terminal) -> None:
    waiting = terminal.start(*ORDER)
    assert waiting.stderr is not None
    assert "approval" in waiting.stderr.readline() and "rove approve" in waiting.stderr.readline()
    refused = terminal.run("approve")
    assert refused.returncode == 1 and 'button "Order"' in refused.stdout
    with Person(terminal, "approve", CLAUDECODE="1") as agent:
        assert agent.ended() == 1
    with Person(terminal, "approve") as person:
        person.wait_for("anything else is no:")
        person.write("y\n")
        assert person.ended() == 0
    assert waiting.wait(30) == 0
    assert "Nothing waits" in terminal.run("approve").stdout


def test_a_person_who_watches_sees_each_step_and_is_asked(terminal: Terminal) -> None:
    with Person(terminal, "watch", NO_COLOR="1") as person:
        person.wait_for("Watching")
        terminal.run("snapshot")
        person.wait_for("Snapshot")
        ordering = terminal.start(*ORDER)
        person.wait_for("anything else is no:")
        person.write("y\n")
        assert ordering.wait(30) == 0
        person.wait_for("Click")
        assert "\033" not in person.shown


def test_waiting_for_a_person_ends_with_the_time_of_the_command(terminal: Terminal) -> None:
    done = terminal.run(*ORDER, "--timeout", "0.5")
    assert done.returncode == 4
    assert "No person answered within 0.5 s" in done.stderr
    assert "Nothing waits" in terminal.run("approve").stdout


def test_closing_a_session_ends_the_commands_in_it_and_withdraws_the_question(terminal: Terminal) -> None:
    ordering = terminal.start(*ORDER)
    assert ordering.stderr is not None and "approval" in ordering.stderr.readline()
    waiting = terminal.start("wait", "--text", "Never", "--timeout", "60")
    with Person(terminal, "approve") as person:
        person.wait_for("anything else is no:")
        assert terminal.run("close").returncode == 0
        assert person.ended() == 0 and "allowed" not in person.shown
    for command in (ordering, waiting):
        assert command.wait(10) == 1
        assert command.stderr is not None and "The session was closed" in command.stderr.read()


def test_a_page_as_a_tree(terminal: Terminal) -> None:
    assert '\n\u251c\u2500 "Tea"\n' in terminal.run("snapshot", "--pretty").stdout
    assert '\n|- "Tea"\n' in terminal.run("snapshot", "--pretty", PYTHONIOENCODING="latin-1").stdout
    with Person(terminal, "snapshot", "--pretty") as person:
        assert person.ended() == 0 and "\033[32m[e" in person.shown
    with Person(terminal, "snapshot", "--pretty", NO_COLOR="1") as person:
        assert person.ended() == 0 and "\033" not in person.shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_any_locale(terminal: Terminal, encoding: str) -> None:
    assert "Caf" in terminal.run("snapshot", PYTHONIOENCODING=encoding).stdout
    assert "Caf\\u00e9 \\u2603" in terminal.run("snapshot", "--json", PYTHONIOENCODING=encoding).stdout
    shown = terminal.run("journal", "show", PYTHONIOENCODING=encoding)
    assert shown.returncode == 0 and "snapshot" in shown.stdout


def test_a_slow_command_shows_that_it_goes_on(terminal: Terminal) -> None:
    with Person(terminal, "wait", "never shown", "--timeout", "2.5") as person:
        assert person.ended() == 4
        assert "wait never shown --timeout 2.5  1 s\033[K" in person.shown
    assert "\033" not in terminal.run("wait", "never shown", "--timeout", "1.5").stderr


def test_the_web_page_is_for_a_person(terminal: Terminal) -> None:
    assert terminal.run("watch", "--web").returncode == 1
    opened = terminal.folder / "opened"
    browser = terminal.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    with Person(terminal, "watch", "--web", BROWSER=str(browser)) as person:
        person.wait_for("Watching")
        link = person.shown.partition("The web page: ")[2].split()[0]
        assert opened.read_text().strip() == link
        page, _, token = link.partition("/#token=")
        request = urllib.request.Request(f"{page}/healthz", headers={"Authorization": f"Bearer {token}"})
        assert urllib.request.urlopen(request).status == 200
        # Neither a page nor an agent of the daemon reaches it.
        refused = terminal.run("open", page, "--session", "other", ROVE_ALLOW_HOST="127.0.0.1")
        assert refused.returncode == 3


def test_people_at_the_web_page_approve_and_are_asked_to_take_over(terminal: Terminal) -> None:
    assert "rove watch --web" in terminal.run("handoff", "Log in, please").stderr
    with Person(terminal, "watch", "--web", BROWSER="/bin/true") as person:
        person.wait_for("Watching")
        page, _, token = person.shown.partition("The web page: ")[2].split()[0].partition("/#token=")
        asyncio.run(answer_at_the_page(terminal, page.replace("http", "ws"), token))


async def answer_at_the_page(terminal: Terminal, address: str, token: str) -> None:
    client = GatewayClient(await connect(address, max_size=None))
    await client.send({"type": "auth", "token": token})
    await client.event("hello")
    ordering = terminal.start(*ORDER)
    asked = await client.event("exec.approval_request")
    await client.call("exec.approve", approvalId=asked["approvalId"])
    assert await asyncio.to_thread(ordering.wait, 30) == 0
    handing = terminal.start("handoff", "Log in, please")
    assert (await client.event("handoff.requested"))["reason"] == "Log in, please"
    handing.terminate()
    await client.close()
