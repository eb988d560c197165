"""An address that no browser could load is refused as an invalid argument, before Chromium or the proxy sees it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session, Settings
from rove.action import parse
from rove.errors import InvalidArguments, InvalidSettings, NavigationFailed
from rove.guard.network.host_rules import HostRules
from rove.jobs.addresses import Address
from rove.surfaces.cli.policy import explain

INVALID = [
    "http://exa mple.com/", "http://exa%20mple.com/", "http://exa%00mple.com/", "http://a<b/", "http://a|b/",
    "http://a^b/", "http:// example.com", "http://", "https:///", "http://?x", "http://[::1", "http://[1.2.3.4]/",
    "http://256.1.1.1/", "http://1.2.3.4.5/", "http://0x100000000/", "http://a:99999/", "http://a:b/", "http://a:0/",
    "http://a..b/", "http://.", "http://..", "http://a\"b/", "http://a`b/", "http://{a}/", "http://user@/",
    "http://%zz/", "http:\\\\exa mple.com", "HTTP://EXA MPLE.COM", "http://\u2100/",
    "http://\ufdd0zyx.com/", "http://a\x7fb/", "https://exa\u3000mple.com/",
]  # fmt: skip
CANONICAL = {
    "example.com": "https://example.com/",
    "HTTP://EXAMPLE.com:80/a b": "http://example.com/a%20b",
    "http:example.com": "http://example.com/",
    "http://0x7f.1/": "http://127.0.0.1/",
    "https://exa\tmple.com": "https://example.com/",
    "https://ex\u00adample.com/": "https://example.com/",
    "http://b\u00fccher.example/\u00e4": "http://xn--bcher-kva.example/%C3%A4",
}
ACTIONS: dict[str, dict[str, Any]] = {
    "navigate": {},
    "web_fetch": {},
    "visit": {},
    "tabs": {"operation": "new"},
}


@pytest.mark.parametrize("address", INVALID)
def test_no_action_can_be_made_with_an_invalid_address(address: str) -> None:
    for verb, others in ACTIONS.items():
        with pytest.raises(InvalidArguments, match="address"):
            parse(verb, {"url": address, **others})
    assert not Address.of(address).is_valid
    with pytest.raises(InvalidArguments):
        explain(Settings(), "navigate", address, "default")
    with pytest.raises(InvalidSettings):
        HostRules.of([address.partition("//")[2] or " "])


@pytest.mark.parametrize(("address", "canonical"), CANONICAL.items())
def test_an_action_carries_the_address_as_browsers_write_it(address: str, canonical: str) -> None:
    for verb, others in ACTIONS.items():
        assert parse(verb, {"url": address, **others}).arguments["url"] == canonical


@pytest.mark.engines(
    "chromium", reason="Firefox follows no link that it cannot parse, and asks no proxy for a name that none can have"
)
@pytest.mark.parametrize("address", ["http://exa mple.com/", "http://a..example.com/", "http://a`b.example.com/"])
async def test_a_link_to_an_invalid_address_leads_to_no_page(session: Session, site: Site, address: str) -> None:
    await session.navigate(site.page("/", f'<a href="{address}">Go</a>'))
    outcome = await session.click("a")
    assert [event.kind for event in outcome.events] == ["request failed"]
    with pytest.raises(NavigationFailed):
        await session.snapshot()
