"""G1: Rules decide which hosts may be reached."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from rove.errors import Denied
from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.urls import Endpoint

PUBLIC = "93.184.216.34"


def reason(rules: HostRules, host: str, *addresses: str, port: int = 80, own: OwnPorts | None = None) -> str | None:
    """Return why a connection is refused, checking the name and then the addresses as the proxy does."""
    endpoint = Endpoint(host, port)
    found = [ip_address(each) for each in addresses] or ([endpoint.address] if endpoint.address else [])
    own = own or OwnPorts()
    refusal = rules.refuse_name(endpoint, own) or rules.refuse_addresses(endpoint, found, own)
    return None if refusal is None else refusal.reason


@pytest.mark.parametrize(
    "host",
    [
        "printer.local", "db.internal", "a.b.internal", "router.home.arpa", "home.arpa",
        "intranet", "local", "internal",
    ],
)  # fmt: skip
def test_local_names_are_refused_until_they_are_allowed(host: str) -> None:
    assert reason(HostRules(), host, PUBLIC) == "local-name"
    assert reason(HostRules.of(allow_hosts=[host]), host, "127.0.0.1") is None
    assert reason(HostRules.of(allow_hosts=[f"{host}:81"]), host, "127.0.0.1") == "local-name"


@pytest.mark.parametrize("host", ["localhost", "a.localhost"])
def test_localhost_is_refused_as_this_machine_until_it_is_allowed(host: str) -> None:
    assert reason(HostRules(), host, PUBLIC) == "loopback"
    assert reason(HostRules.of(allow_hosts=[host]), host, "127.0.0.1") is None
    assert reason(HostRules.of(allow_hosts=[f"{host}:81"]), host, "127.0.0.1") == "loopback"


@pytest.mark.parametrize("host", ["example.com", "local.example", "internal.example", "localhost.example", "a.b.arpa"])
def test_public_names_are_allowed(host: str) -> None:
    assert reason(HostRules(), host, PUBLIC, "2606:4700::1") is None


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        (PUBLIC, "127.0.0.1"),
        (PUBLIC, "::1"),
        ("2606:4700::1", PUBLIC, "10.0.0.1"),
        (*[PUBLIC] * 63, "::ffff:127.0.0.1"),
    ],
)
def test_one_forbidden_address_refuses_the_name(addresses: tuple[str, ...]) -> None:
    assert reason(HostRules(), "example.com", *addresses) is not None


def test_a_name_with_too_many_addresses_is_refused() -> None:
    assert reason(HostRules(), "example.com", *[PUBLIC] * 64) is None
    assert reason(HostRules(), "example.com", *[PUBLIC] * 65) == "too-many-addresses"


def test_an_allowed_name_does_not_open_metadata_services_or_own_ports() -> None:
    own = OwnPorts()
    own.add("127.0.0.1", 80)
    rules = HostRules.of(allow_hosts=["app.example", "0.0.0.0/0", "::/0", "*.internal", "metadata"])
    assert reason(rules, "app.example", "10.0.0.1", "127.0.0.1", port=81, own=own) is None
    assert reason(rules, "app.example", "127.0.0.1", own=own) == "own-port"
    assert reason(rules, "app.example", "169.254.169.254") == "metadata"
    assert reason(rules, "metadata.google.internal", PUBLIC) == "metadata"
    assert reason(rules, "metadata", PUBLIC) == "metadata"
    for address in ("169.254.169.254", "fd00:ec2::254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "168.63.129.16"):
        assert reason(rules, address) == "metadata"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"])
def test_own_ports_are_refused_under_every_address_of_this_machine(host: str) -> None:
    own = OwnPorts()
    own.add("127.0.0.1", 4000)
    rules = HostRules.of(allow_hosts=["0.0.0.0/0", "::/0"])
    assert reason(rules, host, port=4000, own=own) == "own-port"
    assert reason(rules, host, port=4001, own=own) is None
    own.remove("127.0.0.1", 4000)
    assert reason(rules, host, port=4000, own=own) is None


def test_an_own_port_on_another_machine_is_refused_only_there() -> None:
    own = OwnPorts()
    own.add("10.1.2.3", 9222)
    rules = HostRules.of(allow_hosts=["10.0.0.0/8", "browser.example"])
    assert reason(rules, "10.1.2.3", port=9222, own=own) == "own-port"
    assert reason(rules, "browser.example", "10.1.2.3", port=9222, own=own) == "own-port"
    assert reason(rules, "10.1.2.4", port=9222, own=own) is None


def test_an_allowed_address_does_not_allow_names_that_resolve_to_it() -> None:
    rules = HostRules.of(allow_hosts=["127.0.0.1:3000", "10.0.0.0/8"])
    assert reason(rules, "127.0.0.1", port=3000) is None
    assert reason(rules, "rebind.example", "127.0.0.1", port=3000) == "loopback"
    assert reason(rules, "rebind.example", "10.0.0.1", port=3000) == "private"


def test_only_hosts_restricts_hosts_and_does_not_allow_private_ones() -> None:
    rules = HostRules.of(only_hosts=["example.com", "*.cdn.example:443", "localhost"])
    assert reason(rules, "example.com", PUBLIC) is None
    assert reason(rules, "a.cdn.example", PUBLIC, port=443) is None
    assert reason(rules, "a.cdn.example", PUBLIC, port=80) == "not-listed"
    assert reason(rules, "www.example.com", PUBLIC) == "not-listed"
    assert reason(rules, "example.com.evil.example", PUBLIC) == "not-listed"
    assert reason(rules, PUBLIC) == "not-listed"
    assert reason(rules, "localhost", "127.0.0.1") == "loopback"
    assert reason(rules, "example.com", "127.0.0.1") == "loopback"
    assert reason(HostRules.of(only_hosts=[]), "example.com", PUBLIC) == "not-listed"


def test_denied_hosts_are_refused_by_name_and_by_address() -> None:
    rules = HostRules.of(deny_hosts=["evil.example", "93.184.0.0/16"], allow_hosts=["evil.example"])
    assert reason(rules, "evil.example", "1.1.1.1") == "denied-host"
    assert reason(rules, "a.evil.example", "1.1.1.1") == "denied-host"
    assert reason(rules, "notevil.example", "1.1.1.1") is None
    assert reason(rules, "fine.example", PUBLIC) == "denied-host"
    assert reason(rules, "fine.example", f"::ffff:{PUBLIC}") == "denied-host"


def test_this_machine_is_refused_under_its_public_address_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.guard.network.host_rules.own_addresses", lambda: frozenset({ip_address(PUBLIC)}))
    assert reason(HostRules(), "me.example", PUBLIC) == "this-machine"
    assert reason(HostRules(), f"::ffff:{PUBLIC}") == "this-machine"
    assert reason(HostRules.of(allow_hosts=["me.example"]), "me.example", PUBLIC) is None


def test_a_refusal_names_the_host_the_reason_and_the_flag() -> None:
    endpoint = Endpoint("localhost", 3000)
    refusal = HostRules().refuse_name(endpoint, OwnPorts())
    assert refusal is not None
    error = refusal.error()
    assert isinstance(error, Denied)
    assert "localhost:3000" in error.message
    assert "it is this machine itself (loopback)" in error.message
    assert "`--allow-host localhost:3000`" in error.hint


def test_the_flag_in_a_refusal_can_be_used_as_it_is() -> None:
    refusal = HostRules().refuse_addresses(Endpoint("::1", 8080), [ip_address("::1")], OwnPorts())
    assert refusal is not None
    assert "`--allow-host [::1]:8080`" in refusal.hint
    assert reason(HostRules.of(allow_hosts=["[::1]:8080"]), "::1", port=8080) is None


def test_a_refusal_that_no_flag_can_lift_names_no_flag() -> None:
    refusal = HostRules().refuse_name(Endpoint("metadata.google.internal", 80), OwnPorts())
    assert refusal is not None
    assert "--" not in refusal.hint


def test_a_refusal_names_the_address_that_a_name_resolved_to() -> None:
    refusal = HostRules().refuse_addresses(Endpoint("rebind.example", 80), [ip_address("10.0.0.7")], OwnPorts())
    assert refusal is not None
    assert "10.0.0.7" in refusal.message
    assert "`--allow-host rebind.example:80`" in refusal.hint


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://example.com/", None),
        ("http://127.0.0.1:80\\@example.com/", "loopback"),
        ("http://①②⑦.1/", "loopback"),
        ("http://loc\u00adalhost/", "loopback"),
        ("http://[::ffff:169.254.169.254]/", "metadata"),
        ("http://metadata.google.internal/", "metadata"),
        ("http://example.com:99999/", "unreadable"),
        ("file:///etc/passwd", "unreadable"),
        ("", "unreadable"),
    ],
)
def test_a_url_is_checked_as_a_browser_reads_it(url: str, reason: str | None) -> None:
    refusal = HostRules().refuse_url(url, OwnPorts())
    assert (None if refusal is None else refusal.reason) == reason
