"""The policy file is read strictly, and rove does not start with a broken one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as checking
from hypothesis import strategies as st

from rove import PolicyRule, Settings
from rove.engine.sessions import Sessions
from rove.errors import InvalidSettings
from rove.guard.policy_rules import policy_from, read_policy

COMPLETE_POLICY = """\
# What the shop's agent may do.
[[rule]]
decide = "deny"
effect = "act"
origin = ["https://*.bank.example", "bank.example"]
reason = "Not with money."

[[rule]]
decide = "ask"
action = ["click", "fill"]
session = "shop"
question = "Shall it?"

[[rule]]
decide = "allow"

[default]
send_file = "deny"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_complete_file_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, COMPLETE_POLICY)
    rules = read_policy(path)
    assert rules.rules == (
        PolicyRule(
            "deny", effect=("act",), origin=("https://*.bank.example", "bank.example"), reason="Not with money."
        ),
        PolicyRule("ask", action=("click", "fill"), session=("shop",), question="Shall it?"),
        PolicyRule("allow"),
    )
    assert rules.defaults == {"send_file": "deny"}
    assert (rules.source, rules.lines) == (str(path), (2, 8, 14))


def test_an_empty_file_is_the_default_policy(tmp_path: Path) -> None:
    rules = read_policy(write(tmp_path, ""))
    assert (rules.rules, rules.defaults) == ((), {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('colour = "red"', ["line 1", "`colour`"]),
        ('[rule]\ndecide = "deny"', ["line 1", "`rule`", "[[rule]]"]),
        ("rule = 3", ["line 1", "`rule`"]),
        ("rule = [1]", ["line 1", "`rule`"]),
        ('[[rule]]\n\n[[rule]]\ndecide = "deny"', ["line 1", "rule 1", "`decide`", "is missing"]),
        ('[[rule]]\ndecide = "perhaps"', ["line 2", "`decide`", "allow, deny, ask"]),
        ("[[rule]]\ndecide = true", ["line 2", "`decide`"]),
        ('[[rule]]\ndecide = "deny"\n\n[[rule]]\ndecide = "deny"\nactoin = "click"', ["line 6", "rule 2", "`action`?"]),
        ('[[rule]]\ndecide = "deny"\naction = "clik"', ["line 3", "`clik`", "`click`?"]),
        ('[[rule]]\ndecide = "deny"\naction = ["click", 3]', ["line 3", "`action.1`"]),
        ('[[rule]]\ndecide = "deny"\neffect = "fly"', ["line 3", "`fly`", "read, act, navigate"]),
        ('[[rule]]\ndecide = "deny"\norigin = "https://exa*mple.com"', ["line 3", "exa*mple", "https://*.example.com"]),
        ('[[rule]]\ndecide = "deny"\norigin = []', ["line 3", "`origin`", "empty"]),
        ('[[rule]]\ndecide = "deny"\nsession = ""', ["line 3", "`session`", "empty"]),
        ('[[rule]]\ndecide = "deny"\nsession = {a = 1}', ["line 3", "`session`"]),
        ('[[rule]]\ndecide = "allow"\nreason = "x"', ["line 3", "`reason`"]),
        ('[[rule]]\ndecide = "deny"\naction = "click"\neffect = "read"', ["line 4", "`effect`", "act"]),
        ('[default]\nfly = "deny"', ["line 2", "`fly`", "send_file"]),
        ('[default]\nread = "perhaps"', ["line 2", "`read`"]),
        ("default = 3", ["line 1", "`default`"]),
        ("rule = [", ["cannot be read", "at end of document"]),
        ('[[rule]]\ndecide = "deny"\ndecide = "allow"\n', ["line 3"]),
    ],
)
def test_a_problem_is_reported_with_its_line(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InvalidSettings) as caught:
        read_policy(path)
    assert [text_part for text_part in [str(path), *expected] if text_part not in caught.value.message] == []
    assert caught.value.hint


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, 'x = 1\n[[rule]]\ndecide = "deny"\naction = "clik"\neffect = "fly"\n[default]\ny = "deny"')
    with pytest.raises(InvalidSettings) as caught:
        read_policy(path)
    assert [name for name in ("`x`", "`clik`", "`fly`", "`y`") if name not in caught.value.message] == []


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidSettings):
        read_policy(path)


def test_without_a_file_the_default_policy_names_the_file_that_rules_could_be_in(tmp_path: Path) -> None:
    rules = policy_from(Settings(home=tmp_path))
    assert (rules.rules, rules.source) == ((), str(tmp_path / "policy.toml"))


def test_the_file_in_home_is_read_without_a_setting(tmp_path: Path) -> None:
    write(tmp_path, COMPLETE_POLICY)
    assert len(policy_from(Settings(home=tmp_path)).rules) == 3


def test_the_file_that_the_settings_name_replaces_the_one_in_home(tmp_path: Path) -> None:
    write(tmp_path, COMPLETE_POLICY)
    other = tmp_path / "other.toml"
    other.write_text('[default]\nread = "deny"')
    assert policy_from(Settings(home=tmp_path, policy=other)).defaults == {"read": "deny"}


@pytest.mark.parametrize("kind", ["missing", "folder", "dangling link", "broken"])
def test_a_policy_that_cannot_be_read_stops_the_start(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "policy.toml"
    named = None
    if kind == "missing":
        named = path
    elif kind == "folder":
        path.mkdir()
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.write_text("rule = [")
    with pytest.raises(InvalidSettings):
        Sessions(Settings(home=tmp_path, policy=named))


def test_a_policy_in_the_workspace_is_refused(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    with pytest.raises(InvalidSettings) as caught:
        policy_from(Settings(home=tmp_path, policy=write(workspace, COMPLETE_POLICY)))
    assert "workspace" in caught.value.message
    write(tmp_path, COMPLETE_POLICY)
    with pytest.raises(InvalidSettings):
        policy_from(Settings(home=tmp_path, workspace=tmp_path))


def test_the_samples_in_the_docs_are_valid(tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "docs" / "policy.md").read_text(encoding="utf-8")
    samples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert samples
    for sample in samples:
        assert read_policy(write(tmp_path, sample)).rules


BROKEN = st.sampled_from(COMPLETE_POLICY.split()).map(lambda word: COMPLETE_POLICY.replace(word, "["))


@checking(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(max_size=60), BROKEN))
def test_no_file_is_read_in_part(tmp_path: Path, text: str) -> None:
    """A file is read completely or refused."""
    try:
        rules = read_policy(write(tmp_path, text))
    except InvalidSettings:
        return
    assert len(rules.rules) == text.count("[[rule]]")
