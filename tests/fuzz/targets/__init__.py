"""Everything that is fuzzed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tests.fuzz.fuzzer import Target
from tests.fuzz.targets.addresses import Addresses
from tests.fuzz.targets.gateway_messages import GatewayMessages
from tests.fuzz.targets.http_requests import HttpRequests
from tests.fuzz.targets.http_responses import HttpResponses
from tests.fuzz.targets.mcp_http_requests import McpHttpRequests
from tests.fuzz.targets.mcp_messages import McpMessages
from tests.fuzz.targets.owner_files import ConfigFiles, PolicyFiles, SecretsFiles
from tests.fuzz.targets.page_texts import FetchedTexts, PageTargets

TARGETS: dict[str, Callable[[], Target]] = {
    each.name: each
    for each in (
        HttpRequests,
        HttpResponses,
        Addresses,
        PolicyFiles,
        SecretsFiles,
        ConfigFiles,
        McpMessages,
        McpHttpRequests,
        GatewayMessages,
        PageTargets,
        FetchedTexts,
    )
}


@cache
def target_named(name: str) -> Target:
    """Return a target; some start a server, which is kept."""
    return TARGETS[name]()
