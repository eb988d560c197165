"""This machine's own addresses."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from rove.guard.hosts.local_machine import is_this_machine, own_addresses


def test_the_loopback_interface_is_listed() -> None:
    assert ip_address("127.0.0.1") in own_addresses()


def test_every_address_listed_can_be_listened_on() -> None:
    for address in own_addresses():
        if address.is_link_local:
            continue  # needs the name of its link beside it
        with socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6) as listener:
            listener.bind((str(address), 0))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"])
def test_what_leads_here_is_here(address: str) -> None:
    assert is_this_machine(ip_address(address))


def test_the_rest_of_the_world_is_not_here() -> None:
    assert not is_this_machine(ip_address("93.184.216.34"))
    assert not is_this_machine(ip_address("2606:4700::1"))
