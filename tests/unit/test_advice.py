"""Hints that name actions as each surface does: `browser_click` over MCP, `session.click()` in Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rove import Session
from rove.action import registry
from rove.advice import LACKING, Advice, Verbatim, insert_names, insert_names_if_advice
from rove.engine.redaction import redact_error
from rove.engine.sessions import Sessions
from rove.errors import NotOpen, RoveError
from rove.guard.network.refusal import Refusal, RefusalReason
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import Secrets
from rove.page_text import Own
from rove.settings.tree import Settings, resolve
from rove.toolsets.toolset import catalogue_toolset, toolset_from

TOOLS = {"click": "browser_click", "snapshot": "browser_snapshot"}
SOURCE = Path(__file__).parents[2] / "src" / "rove"


@pytest.mark.parametrize(
    ("advice", "told"),
    [
        ("Take a {snapshot}.", "Take a browser_snapshot."),
        ("{click} or {snapshot}", "browser_click or browser_snapshot"),
        ("{fly} to {Click} {} { click }", "{fly} to {Click} {} { click }"),
        ('{"action": "click"}', '{"action": "click"}'),
        ("", ""),
    ],
)
def test_known_names_are_inserted_and_other_text_is_unchanged(advice: str, told: str) -> None:
    assert insert_names(advice, TOOLS) == told


@pytest.mark.parametrize(
    ("advice", "told"),
    [
        ("Take a {snapshot} and use a ref that it shows.", ""),
        ("It is not there. Take a {snapshot}. Call again.", "It is not there. Call again."),
        ("The page has changed: take a new {snapshot}.", "The page has changed."),
        ("{click} it: {snapshot} shows it; then look.", "browser_click it: then look."),
    ],
)
def test_what_names_an_action_that_the_surface_lacks_is_left_out(advice: str, told: str) -> None:
    assert insert_names(advice, {**TOOLS, "snapshot": LACKING}) == told


def test_a_toolset_names_only_actions_that_it_has(tmp_path: Path) -> None:
    settings = resolve({"toolset": "devtools", "home": str(tmp_path)}, {}).settings
    names = toolset_from(settings)["browser_eval"].names
    assert insert_names("Go with {navigate}. Use {check}.", names) == "Go with browser_navigate."
    assert {verb for verb in registry() if verb not in names} == set()


def test_values_in_advice_are_inserted_unchanged() -> None:
    advice = Advice("{snapshot} shows {where}.", where="https://a.example/#{click}")
    assert str(advice) == "{snapshot} shows https://a.example/#{click}."
    assert insert_names(advice, TOOLS) == "browser_snapshot shows https://a.example/#{click}."


def test_names_are_inserted_only_once() -> None:
    told = insert_names(Advice("See {where}.", where="{click}"), TOOLS)
    assert insert_names(told, TOOLS) == "See {click}."
    assert insert_names(Verbatim("{click}"), TOOLS) == "{click}"


def test_names_are_not_inserted_into_plain_text() -> None:
    assert insert_names_if_advice(Own("press {click}"), TOOLS) == "press {click}"
    assert insert_names_if_advice(Advice("press {click}"), TOOLS) == "press browser_click"


def test_names_are_not_inserted_again_after_redaction() -> None:
    secrets = Secrets([Secret("mine", ("https://a.example",), "48151623")])
    error = NotOpen("no", hint=insert_names(Advice("At {where}", where="{click}48151623"), TOOLS))
    redact_error(error, secrets)
    assert insert_names(error.hint, TOOLS) == "At {click}[secret mine]"


def test_a_host_with_braces_in_a_refusal_is_not_replaced() -> None:
    error = Refusal("{click}.example", 443, RefusalReason.NOT_LISTED).error()
    assert "{click}.example" in insert_names(error.hint, TOOLS)


async def test_hints_use_the_names_of_their_surface(home: Path) -> None:
    async with Sessions(Settings(home=home / "advice")) as sessions:
        with pytest.raises(NotOpen) as caught:
            await Session(sessions, "none-such").status()
    assert "session.open_session()" in caught.value.hint
    assert (
        insert_names("Use {open_session}.", catalogue_toolset()["browser_click"].names) == "Use browser_open_session."
    )


def _every_error(root: type[RoveError] = RoveError) -> list[type[RoveError]]:
    return [root, *(each for child in root.__subclasses__() for each in _every_error(child))]


@pytest.mark.parametrize("error", _every_error(), ids=lambda error: error.code)
def test_default_hints_refer_to_actions_that_exist(error: type[RoveError]) -> None:
    bare = insert_names(error.default_hint, {verb: verb for verb in registry()})
    assert "{" not in bare


@pytest.mark.parametrize("folder", ["chromium", "engine", "actions", "guard", "snapshot", "render"])
def test_no_layer_below_the_surfaces_contains_tool_names(folder: str) -> None:
    verbs = "|".join(registry())
    found = subprocess.run(
        ["grep", "-rnE", rf"\bbrowser_({verbs})\b", "--include=*.py", str(SOURCE / folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stdout == ""


def test_only_one_file_contains_the_header_names_of_the_proxy() -> None:
    found = subprocess.run(["grep", "-rlF", "x-rove-", "--include=*.py", str(SOURCE)], capture_output=True, text=True)
    assert [Path(path).name for path in found.stdout.split()] == ["proxy_headers.py"]
