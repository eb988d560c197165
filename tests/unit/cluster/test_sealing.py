"""Secrets for a node: readable with its key alone, and not after a change."""

from __future__ import annotations

import pytest

from rove.cluster.node.configuration import Configuration
from rove.cluster.node.sealing import KeyPair, seal
from rove.errors import InvalidMessage
from rove.guard.policy_rules import PolicyRule, RulePolicy
from rove.guard.secrets.secret import Secret
from rove.settings.tree import Settings


def test_what_is_sealed_is_read_by_its_node_alone() -> None:
    node, other = KeyPair(), KeyPair()
    secret = Secret("github", ("https://github.com",), "correct horse battery staple")
    policy = RulePolicy((PolicyRule("deny", ("click",)),))
    configuration = Configuration(Settings(proxy="http://me:hunter2@proxy.example:3128"), policy, (secret,))
    sealed = seal(configuration, node.public)
    assert node.unseal(sealed) == configuration
    assert b"horse" not in sealed and b"hunter2" not in sealed
    for changed in (sealed[:-1] + bytes([sealed[-1] ^ 1]), bytes(len(sealed)), b""):
        with pytest.raises(InvalidMessage):
            node.unseal(changed)
    with pytest.raises(InvalidMessage):
        other.unseal(sealed)
