"""G1: The table of addresses is right at the edges of its ranges."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest

from rove.guard.network.addresses import embedded_ipv4, refusal_reason

# First and last address of each range, why it is refused, and why its neighbours are. None means public.
RANGES = [
    ("0.0.0.0", "0.255.255.255", "this-network", "", None),
    ("10.0.0.0", "10.255.255.255", "private", None, None),
    ("100.64.0.0", "100.127.255.255", "cgnat", None, None),
    ("127.0.0.0", "127.255.255.255", "loopback", None, None),
    ("169.254.0.0", "169.254.255.255", "link-local", None, None),
    ("172.16.0.0", "172.31.255.255", "private", None, None),
    ("192.0.0.0", "192.0.0.191", "reserved", None, "metadata"),
    ("192.0.0.193", "192.0.0.255", "reserved", "metadata", None),
    ("192.0.2.0", "192.0.2.255", "documentation", None, None),
    ("192.31.196.0", "192.31.196.255", "reserved", None, None),
    ("192.52.193.0", "192.52.193.255", "reserved", None, None),
    ("192.88.99.0", "192.88.99.255", "6to4-anycast", None, None),
    ("192.168.0.0", "192.168.255.255", "private", None, None),
    ("192.175.48.0", "192.175.48.255", "reserved", None, None),
    ("198.18.0.0", "198.19.255.255", "benchmarking", None, None),
    ("198.51.100.0", "198.51.100.255", "documentation", None, None),
    ("203.0.113.0", "203.0.113.255", "documentation", None, None),
    ("224.0.0.0", "239.255.255.255", "multicast", None, "reserved"),
    ("240.0.0.0", "255.255.255.254", "reserved", "multicast", "broadcast"),
    ("255.255.255.255", "255.255.255.255", "broadcast", "reserved", ""),
    ("::", "::", "this-network", "", "loopback"),
    ("::1", "::1", "loopback", "this-network", "this-network"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", None, "reserved", "reserved"),
    ("100::", "100::ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("1fff::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", None),
    ("2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "broadcast", "benchmarking"),
    ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "benchmarking", "reserved", "reserved"),
    ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("2001:40::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", None),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation", None, None),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "reserved", None, None),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation", None, None),
    ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", None, "private"),
    ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "reserved", "reserved"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private", "reserved", "reserved"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local", "reserved", "private"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private", "link-local", "multicast"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast", "private", ""),
]
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.9.9.9", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "168.63.129.15", "168.63.129.17", "172.15.255.255", "172.32.0.0",
    "192.0.1.255", "192.88.98.255", "192.88.100.0", "192.167.255.255",
    "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "2001:200::1", "2001:470:8:66::1",
    "2001:4860:4860::8888", "2003::1", "2400:cb00::1", "2600::", "2606:4700:4700::1111",
    "2620:fe::fe", "2a00:1450:4001:82b::200e", "3ffe::1", "3fff:1000::1", "2600::5efe:8.8.8.8",
]  # fmt: skip
METADATA = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "168.63.129.16", "192.0.0.192",
    "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fe80::a9fe:a9fe", "::ffff:169.254.169.254", "::169.254.169.254",
    "::ffff:0:169.254.169.254", "64:ff9b::169.254.169.254", "64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::",
    "2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::1", "2001:0:0808:0808::5601:5601", "2600::5efe:169.254.169.254",
    "2600::200:5efe:169.254.169.254", "fe80::5efe:a9fe:a9fe", "::ffff:168.63.129.16", "fe80::a9fe:a9fe%1",
]  # fmt: skip
EMBEDDED = [
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:10.1.2.3", "private"),
    ("::ffff:100.64.0.1", "cgnat"),
    ("::ffff:0.0.0.0", "this-network"),
    ("::ffff:224.0.0.1", "multicast"),
    ("::127.0.0.1", "loopback"),
    ("::10.0.0.1", "private"),
    ("::8.8.8.8", "transition"),
    ("::ffff:0:127.0.0.1", "loopback"),
    ("::ffff:0:8.8.8.8", "transition"),
    ("64:ff9b::127.0.0.1", "loopback"),
    ("64:ff9b::192.168.1.1", "private"),
    ("64:ff9b::1:808:808", "reserved"),
    ("64:ff9b:1::127.0.0.1", "this-network"),
    ("2002:7f00:1::", "loopback"),
    ("2002:c0a8:101::1", "private"),
    ("2002:808:808::1", "transition"),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "documentation"),
    ("2001:0:7f00:1:0:0:f7f7:f7f7", "loopback"),
    ("2001:0:808:808:0:0:80ff:fffe", "loopback"),
    ("2001:0:808:808:0:0:f7f7:f7f7", "transition"),
    ("2600::5efe:10.0.0.1", "private"),
    ("2600::200:5efe:127.0.0.1", "loopback"),
    ("fe80::5efe:8.8.8.8", "link-local"),
]


@pytest.mark.parametrize(("first", "last", "reason", "before", "after"), RANGES, ids=[each[0] for each in RANGES])
def test_a_range_begins_and_ends_where_the_registry_says(
    first: str, last: str, reason: str | None, before: str | None, after: str | None
) -> None:
    low, high = ip_address(first), ip_address(last)
    if reason is not None:
        middle = type(low)((int(low) + int(high)) // 2)
        assert {refusal_reason(low), refusal_reason(high)} == {reason}
        assert refusal_reason(middle) is not None
    else:
        assert refusal_reason(low) is not None
        assert refusal_reason(high) is not None
    if before != "":
        assert refusal_reason(low - 1) == before
    if after != "":
        assert refusal_reason(high + 1) == after


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_never_refused(address: str) -> None:
    assert refusal_reason(ip_address(address)) is None


@pytest.mark.parametrize("address", METADATA)
def test_a_metadata_service_is_recognised_in_every_notation(address: str) -> None:
    assert refusal_reason(ip_address(address)) == "metadata"


@pytest.mark.parametrize(("address", "reason"), EMBEDDED)
def test_an_embedded_address_is_checked_too(address: str, reason: str) -> None:
    assert refusal_reason(ip_address(address)) == reason


def test_a_zone_does_not_hide_an_address() -> None:
    assert refusal_reason(ip_address("::1%lo")) == "loopback"
    assert refusal_reason(ip_address("fe80::1%eth0")) == "link-local"


def test_a_teredo_address_embeds_a_server_and_an_inverted_client_address() -> None:
    assert embedded_ipv4(IPv6Address("2001:0:4136:e378:8000:63bf:3fff:fdd2")) == (
        IPv4Address("65.54.227.120"),
        IPv4Address("192.0.2.45"),
    )


def test_no_address_outside_of_the_assigned_range_is_public() -> None:
    for top in range(0, 0x10000, 0x40):
        if not 0x2000 <= top < 0x4000:
            assert refusal_reason(IPv6Address((top << 112) + 0x1234)) is not None, hex(top)
