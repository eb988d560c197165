"""G1: rove's own ports are refused under every name of this machine, without a hint at a flag that would not help."""

from __future__ import annotations

import pytest

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.refusal import ALLOW_FLAG, RefusalReason


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "[::1]", "0.0.0.0", "127.1"])
@pytest.mark.parametrize("allowed", [(), ("localhost", "*.localhost", "127.0.0.1", "0.0.0.0", "::1")])
def test_g1_an_own_port_is_refused_under_every_name_of_this_machine(host: str, allowed: tuple[str, ...]) -> None:
    own = OwnPorts()
    own.add("127.0.0.1", 4000)
    refusal = HostRules.of(allowed).refuse_url(f"http://{host}:4000/", own)
    assert refusal is not None
    assert refusal.reason is RefusalReason.OWN_PORT
    assert ALLOW_FLAG not in refusal.hint
