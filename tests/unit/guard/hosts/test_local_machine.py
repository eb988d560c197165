"""The addresses of this machine are recognised."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from rove.guard.network.addresses import is_this_machine, own_addresses


def test_the_loopback_interface_is_listed() -> None:
    assert ip_address("127.0.0.1") in own_addresses()


def test_every_listed_address_can_be_bound() -> None:
    for address in own_addresses():
        if address.is_link_local:
            continue  # binding needs the name of the interface as well
        with socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6) as listener:
            listener.bind((str(address), 0))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"])
def test_addresses_that_reach_this_machine_are_recognised(address: str) -> None:
    assert is_this_machine(ip_address(address))


def test_public_addresses_are_not_this_machine() -> None:
    assert not is_this_machine(ip_address("93.184.216.34"))
    assert not is_this_machine(ip_address("2606:4700::1"))
