"""Settings of the server: what is written, what is refused, what turns the browser off."""

from __future__ import annotations

import pytest
from tests.gateway.clients import running_gateway

from rove.errors import InvalidSettings
from rove.settings.tree import Settings, load
from rove.toolsets.toolset import toolset_from


async def test_a_setting_is_checked_written_and_kept_with_comments() -> None:
    async with running_gateway() as gateway, gateway.client() as client:
        file = gateway.gateway.settings.config_file
        file.write_text("# mine\n[limits]\ntabs = 7 # few\n")
        await client.call("settings.set", key="limits.sessions", value=3)
        assert file.read_text() == "# mine\n[limits]\ntabs = 7 # few\nsessions = 3\n"
        error = await client.refused("settings.set", key="limits.tabs", value="abc")
        assert error["code"] == "invalid_settings" and "config.toml" in error["message"] and "/" not in error["message"]
        assert (await client.refused("settings.set", key="limits.tab", value=1))["code"] == "invalid_settings"
        told = {each["key"]: each["value"] for each in (await client.call("settings.get"))["settings"]}
        assert told["limits.sessions"] == 3 and told["limits.tabs"] == 7


async def test_without_a_browser_no_browser_tool_is_registered() -> None:
    assert not toolset_from(Settings(browser_enabled=False)) and toolset_from(Settings())
    async with running_gateway(browser_enabled=False) as gateway, gateway.client() as client:
        assert (await client.call("tools.list"))["tools"] == []


@pytest.mark.parametrize("model", ["foo", "openai:", ":gpt"])
async def test_a_model_that_cannot_be_is_refused_at_the_start(model: str) -> None:
    with pytest.raises(InvalidSettings, match="names no model"):
        async with running_gateway(serve__model=model):
            pass
    assert load().serve.model is None
