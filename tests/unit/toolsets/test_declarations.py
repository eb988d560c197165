"""Toolsets that a user declares in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rove import Settings
from rove.action import parse
from rove.actions.extract import Extract
from rove.errors import InvalidArguments, InvalidSettings
from rove.guard.policy import Allow, Ask, Deny, Place
from rove.guard.policy_rules import policy_from
from rove.outcome import Outcome, Result
from rove.page_text import Own, PageText
from rove.records import dataclass
from rove.settings.tree import resolve
from rove.toolsets.tool import Tool
from rove.toolsets.toolset import Toolset, toolset_from

READER = """
summary = "Look things up."
instructions = "Open a page, then read it."
[settings]
"limits.idle" = 300
deadlines.action = 30
[approval]
navigate = "ask"
screenshot = "deny"
[[tools]]
name = "open_page"
action = "navigate"
says = "Opened {url}."
[[tools]]
name = "read"
description = "Read the page."
action = "extract"
needs_session = true
[tools.arguments]
selector = { type = "string", description = "A CSS selector." }
wait = { type = "string", default = "15s", description = "How long." }
all = { }
[tools.pass]
target = "$selector"
timeout = { from = "wait", as = "duration" }
mode = "html"
[[tools]]
name = "browser"
select = "do"
[tools.arguments]
do = { type = "string", required = true, description = "What." }
selector = { type = "string", description = "Where." }
role = { type = "string", description = "Role." }
name = { type = "string", description = "Name." }
text = { type = "string", description = "Words." }
[tools.cases.press_it]
action = "click"
pass = { target = { from = ["selector", "role", "name"], as = "locator" } }
[tools.cases.write]
action = "type"
pass = { target = "$selector" }
required = ["text", "selector"]
says = "Typed {text}."
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "toolsets").mkdir()
    return tmp_path


def settings_of(home: Path, text: str, **flags: Any) -> Settings:
    (home / "toolsets" / "mine.toml").write_text(text)
    return resolve({"home": str(home), "toolset": "mine", **flags}, {}).settings


@pytest.fixture
def tools(home: Path) -> Toolset:
    return toolset_from(settings_of(home, READER))


def refusal(tool: Tool, arguments: dict[str, Any]) -> str:
    with pytest.raises(InvalidArguments) as caught:
        tool.call(arguments)
    return caught.value.message


def test_it_has_the_tools_names_and_words_of_the_file(tools: Toolset) -> None:
    assert [*tools] == ["open_page", "read", "browser"]
    assert tools.instructions == "Open a page, then read it."
    assert tools["read"].description == "Read the page."
    assert tools["open_page"].description.startswith("Go to a URL.")
    assert [name for name in tools if tools[name].needs_session] == ["read"]


def test_an_argument_has_the_schema_of_what_it_is_passed_to_unless_it_says_otherwise(tools: Toolset) -> None:
    properties = tools["read"].schema["properties"]
    assert [*properties] == ["selector", "wait", "all"]
    assert properties["wait"] == {"type": "string", "description": "How long.", "default": "15s"}
    assert properties["all"] == {"type": "boolean", "description": "Every match, not just one."}
    assert tools["open_page"].schema["required"] == ["url"]
    assert tools["browser"].schema["properties"]["do"]["enum"] == ["press_it", "write"]


def test_arguments_are_renamed_converted_and_fixed(tools: Toolset) -> None:
    call = tools["read"].call({"selector": "h1", "wait": "500ms"})
    assert call.action == Extract("h1", "html")
    assert call.timeout == 0.5
    assert tools["read"].call({}).timeout == 15


def test_one_tool_runs_the_action_that_an_argument_chooses(tools: Toolset) -> None:
    browser = tools["browser"]
    assert browser.call({"do": "press_it", "selector": "#a"}).action == parse("click", {"target": "#a"})
    by_name = browser.call({"do": "press_it", "role": "button", "name": 'Say "hi"'}).action
    assert by_name == parse("click", {"target": 'button "Say \\"hi\\""'})
    typed = browser.call({"do": "write", "selector": "#a", "text": "x", "role": ""}).action
    assert typed == parse("type", {"target": "#a", "text": "x"})


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read", {"wait": "soon"}, "`wait`: must be a duration such as 15s, 500ms or 2m, not 'soon'."),
        ("read", {"wait": "0s"}, "`wait`: must be a duration"),
        ("read", {"wait": 15}, "`wait`: must be a duration"),
        ("read", {"selector": 1}, "`selector`: must be a string"),
        ("read", {"target": "h1"}, "`target` is not an argument of read, which takes: selector, wait, all."),
        ("open_page", {}, "`url` is missing."),
        ("browser", {}, "`do`: must be one of press_it, write."),
        ("browser", {"do": "fly"}, "`do`: must be one of press_it, write."),
        ("browser", {"do": "write", "text": "x"}, "`selector` is missing."),
        ("browser", {"do": "press_it", "name": "Save"}, "`selector`: needs a selector, or a role and a name."),
        ("browser", {"do": "press_it"}, "`selector or role` is missing"),
    ],
)
def test_a_bad_argument_is_refused_in_the_words_of_the_tool(
    tools: Toolset, tool: str, arguments: dict[str, Any], said: str
) -> None:
    assert said in refusal(tools[tool], arguments)


@dataclass(frozen=True)
class Said(Result):
    mine: Own
    theirs: PageText


async def test_an_answer_with_words_of_the_page_is_wrapped_as_the_pages(home: Path) -> None:
    file = """[[tools]]
    name = "a"
    action = "back"
    says = "Done: {result.mine}."
    [[tools]]
    name = "b"
    action = "back"
    says = "It says {result.theirs} at {title}."
    """
    shop = PageText("https://shop.example/x", "https://shop.example")
    result = Said(Own("ours"), shop.around("theirs"))
    outcome = Outcome(Own("back"), result, Own("default"), Own("t1"), shop, shop.around("Shop"))
    tools = toolset_from(settings_of(home, file))
    told = {name: (await tools[name].answer(tools[name].request({}), outcome)).text for name in tools}
    assert told["a"] == "Done: ours."
    assert "https://shop.example" in told["b"].splitlines()[0]
    assert "untrusted" in told["b"]
    assert "It says theirs at Shop." in told["b"]


def test_settings_of_a_toolset_are_weaker_than_all_others(home: Path) -> None:
    settings = settings_of(home, READER)
    assert (settings.limits.idle, settings.deadlines.action) == (300, 30)
    assert settings_of(home, READER, **{"limits.idle": 7}).limits.idle == 7
    (home / "config.toml").write_text("[limits]\nidle = 9\n")
    assert settings_of(home, READER).limits.idle == 9


def test_its_approval_holds_where_the_policy_says_nothing(home: Path) -> None:
    def decided(verb: str, **arguments: Any) -> type[object]:
        return type(policy_from(settings_of(home, READER)).decide(parse(verb, arguments), Place("default")))

    assert decided("navigate", url="https://a.example") is Ask
    assert decided("screenshot") is Deny
    assert decided("snapshot") is Allow
    (home / "policy.toml").write_text('[default]\nnavigate = "allow"\n')
    assert decided("navigate", url="https://a.example") is Allow
    assert decided("screenshot") is Deny


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("[[tools]]\naction = 'click'", "`name` is missing"),
        ("[[tools]]\nname = 'a'", "`action` is missing"),
        ("[[tools]]\nname = 'a'\naction = 'fly'", "there is no action `fly`"),
        ("[[tools]]\nname = 'a'\naction = 'click'\nanser = 'x'", "`anser` is not known"),
        ("[[tools]]\nname = 'a'\naction = 'click'\nanswer = 'x'", "There is no form of answers `x`"),
        ("[[tools]]\nname = 'a'\naction = 'click'\npass = { speed = 1 }", "`speed` is not an argument of click"),
        (
            "[[tools]]\nname = 'a'\naction = 'click'\n[tools.arguments]\n[tools.pass]\ntarget = '$x'",
            "`x`, which is pas",
        ),
        ("[[tools]]\nname = 'a'\naction = 'click'\n[tools.arguments]\nx = { kind = 'y' }", "argument x"),
        ("[[tools]]\nname = 'a'\nselect = 'x'", "it has no `cases`"),
        ("tool = 1", "`tool` is not known"),
        ("groups = ['flying']", "There is no group of tools `flying`"),
        ("[", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_is_named(home: Path, file: str, said: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        toolset_from(settings_of(home, file))
    assert said in caught.value.message


def test_mistakes_in_settings_and_approval_are_named(home: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"limits\.idel"):
        settings_of(home, "[settings]\n'limits.idel' = 3")
    with pytest.raises(InvalidSettings, match="flying"):
        policy_from(settings_of(home, "[approval]\nflying = 'ask'"))


def test_an_unknown_toolset_is_refused_with_the_nearest(home: Path) -> None:
    with pytest.raises(InvalidSettings, match="Did you mean batch"):
        resolve({"home": str(home), "toolset": "bath"}, {})


def test_a_path_names_a_toolset_too(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("groups = ['core', 'pdf']")
    settings = resolve({"home": str(tmp_path), "toolset": str(tmp_path / "other.toml")}, {}).settings
    assert {"browser_click", "browser_pdf"} <= {*toolset_from(settings)}


def test_tools_can_be_chosen_and_left_out() -> None:
    assert [*toolset_from(Settings(tools=("browser_click", "browser_back")))] == ["browser_back", "browser_click"]
    assert "browser_evaluate" not in toolset_from(Settings(without=("browser_evaluate",)))
    with pytest.raises(InvalidSettings, match="Did you mean browser_click"):
        toolset_from(Settings(tools=("browser_clik",)))
