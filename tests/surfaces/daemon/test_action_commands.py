"""Actions as commands: `rove open`, `rove click e1`. One daemon serves all of them."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.processes import eventually, watchdogs
from tests.site import Site
from tests.surfaces.daemon.commands import Terminal

from rove.action import registry
from rove.surfaces.cli.action_arguments import command_name, parse_command
from rove.surfaces.cli.command_parser import Finished

SHOP = """<title>Shop</title><h1>Shop</h1><label>Name <input></label>
<button onclick="done.textContent = 'Thank you, ' + document.querySelector('input').value">Order</button>
<p id=done></p>"""


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Generator[Terminal]:
    terminal = Terminal(tmp_path_factory.mktemp("t"))
    yield terminal
    terminal.run("stop")


def test_the_loop_open_fill_click(terminal: Terminal, site: Site) -> None:
    opened = terminal.run("open", site.page("/", SHOP))
    assert opened.returncode == 0 and opened.stderr == ""
    assert 'button "Order" [e2]' in opened.stdout and "<untrusted " in opened.stdout
    assert terminal.run("fill", "e1", "Ada").returncode == 0
    assert "Thank you, Ada" in terminal.run("click", "e2").stdout
    assert "Thank you, Ada" in terminal.run("snapshot").stdout


def test_json_for_programs(terminal: Terminal, site: Site) -> None:
    opened = json.loads(terminal.run("open", site.page("/", SHOP), "--json").stdout)
    assert opened["ok"] is True and opened["title"] == "Shop"
    failed = terminal.run("click", "e999", "--json")
    assert failed.returncode == 1
    assert json.loads(failed.stdout)["error"]["code"] == "element_not_found"


def test_batch_from_arguments_a_file_and_a_pipe(terminal: Terminal, site: Site) -> None:
    terminal.run("open", site.page("/", SHOP))
    steps = ['fill \'textbox "Name"\' "Grace Hopper"', "click 'button \"Order\"'"]
    assert "Thank you, Grace Hopper" in terminal.run("batch", *steps).stdout
    (terminal.folder / "steps.txt").write_text("# a comment\nfill 'textbox \"Name\"' File\n" + steps[1])
    assert "Thank you, File" in terminal.run("batch", "--file", "steps.txt").stdout
    piped = [{"action": "fill", "target": 'textbox "Name"', "value": "Pipe"}, {"action": "click", "target": "button"}]
    assert "Thank you, Pipe" in terminal.run("batch", typed=json.dumps(piped)).stdout


def test_a_picture_is_written_where_the_command_says(terminal: Terminal, site: Site) -> None:
    terminal.run("open", site.page("/", SHOP))
    assert terminal.run("screenshot", "--out", "page.png").stdout.endswith("Saved page.png\n")
    assert (terminal.folder / "page.png").read_bytes().startswith(b"\x89PNG")
    failed = terminal.run("screenshot", "--json", "--out", "missing/page.png")
    assert (failed.returncode, json.loads(failed.stdout)["error"]["code"]) == (1, "invalid_arguments")
    refused = terminal.run("screenshot", "--out", "nowhere/page.png")
    assert refused.returncode == 1 and "cannot be written" in refused.stderr
    path = Path(terminal.run("screenshot").stdout.splitlines()[-1].removeprefix("Saved "))
    assert path.parent == terminal.home / "workspace" and path.stat().st_size > 0


def test_out_writes_what_an_action_answers_with(terminal: Terminal, site: Site) -> None:
    file = site.file("/f.csv", b"a,b", "text/csv", {"Content-Disposition": "attachment"})
    terminal.run("open", site.page("/", SHOP + "<a href=/f.csv download>Get</a>"))
    written: dict[str, tuple[list[str], bytes]] = {
        "page.jpg": (["screenshot"], b"\xff\xd8"),
        "page.pdf": (["pdf"], b"%PDF"),
        "page.txt": (["snapshot"], b"<untrusted"),
        "page.json": (["snapshot", "--json"], b'{"ok": true'),
        "opened.csv": (["open", file], b"a,b"),
        "clicked.csv": (["click", 'link "Get"'], b"a,b"),
        "listed.csv": (["downloads", "--wait"], b"a,b"),
    }
    for name, (words, beginning) in written.items():
        saved = terminal.run(*words, "--out", name)
        assert saved.returncode == 0 and name in saved.stdout, (saved.stdout, saved.stderr)
        assert (terminal.folder / name).read_bytes().startswith(beginning), name
    assert "Shop" in terminal.run("snapshot", "--out", "-").stdout
    assert "PNG" in terminal.run("screenshot", "--out", "-").stdout[:8]


def test_exit_codes(terminal: Terminal, site: Site) -> None:
    terminal.run("open", site.page("/", SHOP))
    assert terminal.run("click").returncode == 2
    denied = terminal.run("open", "http://169.254.169.254/")
    assert denied.returncode == 3 and "denied" in denied.stderr
    assert terminal.run("wait", "never shown", "--timeout", "0.2").returncode == 4


def test_sessions_by_name(terminal: Terminal, site: Site) -> None:
    url = site.page("/", SHOP)
    terminal.run("open", url, "--session", "tea")
    assert f"t1   {url}" in terminal.run("sessions").stdout
    assert terminal.run("snapshot", "--session", "coffee").returncode == 1
    refused = terminal.run("snapshot", "--session", "tea", "--deny-host", "example.com")
    assert refused.returncode == 2 and "rove close tea" in refused.stderr
    assert terminal.run("close", "tea").stdout == "Closed session tea.\n"
    assert terminal.run("snapshot", "--session", "tea").returncode == 1


def test_without_an_open_session_a_command_says_how_to_open_one(terminal: Terminal, site: Site) -> None:
    terminal.run("close", "--all")
    for words in (["snapshot"], ["click", "e1"], ["tabs"], ["batch", "click e1"], ["reload"]):
        refused = terminal.run(*words)
        assert refused.returncode == 1 and "not_open" in refused.stderr and "`rove open URL`" in refused.stderr
    terminal.run("open", site.page("/", SHOP), "--session", "tea", "--deny-host", "example.com")
    refused = terminal.run("snapshot", "--session", "milk")
    assert "`rove open URL --session milk`" in refused.stderr and "Open now: tea" in refused.stderr
    assert terminal.run("batch", f"open {site.page('/', SHOP)}", "--session", "milk").returncode == 0
    terminal.run("close", "--all")
    assert terminal.run("emulate", "--locale", "de-DE").returncode == 0


def test_a_command_that_is_not_valid_says_what_was_meant(terminal: Terminal) -> None:
    assert "`rove click`" in terminal.run("clik", "e1").stderr
    assert "did you mean --button?" in terminal.run("click", "e1", "--buton", "left").stderr


@pytest.mark.parametrize("verb", sorted(registry()))
def test_every_action_is_a_command_with_help(verb: str) -> None:
    with pytest.raises(Finished) as shown:
        parse_command([command_name(registry()[verb]), "--help"])
    assert shown.value.code == 0 and f"usage: rove {command_name(registry()[verb])}" in shown.value.output
    assert len(shown.value.output.splitlines()) < 120


def test_a_session_does_not_go_on_with_an_old_policy(terminal: Terminal, site: Site) -> None:
    url = site.page("/", SHOP)
    terminal.run("open", url, "--session", "strict")
    policy = terminal.home / "policy.toml"
    policy.write_text('[[rule]]\ndecide = "deny"\naction = "click"\n')
    try:
        refused = terminal.run("click", "e2", "--session", "strict")
        assert refused.returncode == 2 and "rove close strict" in refused.stderr
        terminal.run("close", "strict")
        terminal.run("open", url, "--session", "strict")
        assert terminal.run("click", "e2", "--session", "strict").returncode == 3
    finally:
        policy.unlink()


def test_a_secret_may_be_in_the_environment_of_the_command(terminal: Terminal, site: Site) -> None:
    url = site.page("/", "<label>Password <input type=password></label>")
    secrets = terminal.home / "secrets.toml"
    secrets.write_text(f'[shop]\nenv = "SHOP_PASSWORD"\norigins = ["{url.rpartition("/")[0]}"]\n')
    secrets.chmod(0o600)
    try:
        assert "SHOP_PASSWORD is not set" in terminal.run("open", url, "--session", "secret").stderr
        assert terminal.run("open", url, "--session", "secret", SHOP_PASSWORD="tea-and-milk").returncode == 0
        filled = terminal.run("fill", "e1", "secret:shop", "--session", "secret")
        assert filled.returncode == 0 and "tea-and-milk" not in filled.stdout
    finally:
        secrets.unlink()


@pytest.mark.slow
def test_a_browser_without_sessions_goes_when_another_one_is_started(terminal: Terminal, site: Site) -> None:
    url = site.page("/", SHOP)
    terminal.run("open", url)
    before = len(watchdogs(terminal.home))
    for number in range(3):
        terminal.run("open", url, "--session", "other", "--deny-host", f"{number}.example")
        terminal.run("close", "other")
    assert eventually(lambda: len(watchdogs(terminal.home)) <= before + 1, 30.0)
