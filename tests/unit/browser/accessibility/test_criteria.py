"""Levels of WCAG, and the tags of axe-core that they stand for."""

from __future__ import annotations

import pytest

from rove.browser.accessibility import chosen_rules, criteria


@pytest.mark.parametrize(
    "tags, named",
    [
        (["cat.color", "wcag2aa", "wcag143", "TTv5"], ("WCAG 2.0 AA", "1.4.3")),
        (["wcag22aa", "wcag258"], ("WCAG 2.2 AA", "2.5.8")),
        (["wcag21a", "wcag1412", "wcag412"], ("WCAG 2.1 A", "1.4.12", "4.1.2")),
        (["cat.semantics", "best-practice"], ("best practice",)),
        (["section508"], ("other standard",)),
    ],
)
def test_a_rule_is_told_by_its_level_and_criteria(tags: list[str], named: tuple[str, ...]) -> None:
    assert criteria(tags) == named


def test_rules_are_chosen_by_level_tag_and_name() -> None:
    assert chosen_rules(None, (), (), ()) == {}
    assert chosen_rules(None, (), ("label",), ("list",)) == {
        "runOnly": {"type": "rule", "values": ["label"]},
        "rules": {"list": {"enabled": False}},
    }
    chosen = chosen_rules("a", ("best-practice",), ("label",), ())
    assert chosen["runOnly"] == {"type": "tag", "values": ["wcag2a", "wcag21a", "wcag22a", "best-practice"]}
    assert chosen["rules"] == {"label": {"enabled": True}}
