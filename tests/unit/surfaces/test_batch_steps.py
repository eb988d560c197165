"""The steps of `rove batch`, as a person or a coding agent writes them."""

from __future__ import annotations

import pytest

from rove.surfaces.cli.action_arguments import parse_command, steps_in
from rove.surfaces.cli.command_parser import MISUSE, Finished

FLAGS = ["--session x", "--tab t2", "--timeout 3", "--out f.png", "--allow-host localhost", "--json", "--quiet"]


def refusal(*steps: str) -> str:
    with pytest.raises(Finished) as refused:
        parse_command(["batch", *steps])
    assert refused.value.code == MISUSE
    return refused.value.error


@pytest.mark.parametrize("flag", FLAGS)
def test_a_step_does_not_ignore_a_flag_of_the_whole_batch(flag: str) -> None:
    told = refusal("click e1", f"click e2 {flag}")
    assert "Step 2" in told and f"{flag.split()[0]} holds for the whole batch" in told


def test_an_argument_of_the_action_itself_is_kept() -> None:
    steps = parse_command(["batch", "tabs switch --tab t2"]).arguments["steps"]
    assert steps == [{"action": "tabs", "operation": "switch", "tab": "t2"}]


@pytest.mark.parametrize("step", ["clik e1", "click", "click 'e1", "{bad", "sessions", "batch x", "click --help", ""])
def test_a_step_that_cannot_be_read_is_named(step: str) -> None:
    assert refusal("click e1", step).startswith(f"rove: Step 2 of the batch, `{step}`: ")


def test_a_command_line_may_be_a_step_as_it_is() -> None:
    assert parse_command(["batch", "rove click e1"]).arguments["steps"] == [{"action": "click", "target": "e1"}]


def test_json_names_an_action_as_its_command_is_named() -> None:
    for text in ('[{"action": "open", "url": "example.com"}]', '{"action": "open", "url": "example.com"}'):
        assert steps_in(text) == [{"action": "navigate", "url": "example.com"}]
