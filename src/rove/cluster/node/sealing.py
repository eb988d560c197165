"""Secrets on their way to a node: encrypted to a key that the node made, and that never leaves its memory.

Ray copies arguments into its object store, which may be written to disk; what it copies is not readable there.
"""

from __future__ import annotations

import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from rove.cluster.payload import decode, encode
from rove.errors import InvalidMessage

KEY_BYTES = 32
NONCE_BYTES = 12
PURPOSE = b"rove: secrets for a node"


class KeyPair:
    """A key of one node actor, for as long as it runs."""

    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()
        self.public = self._private.public_key().public_bytes_raw()

    def unseal(self, sealed: bytes) -> Any:
        """Return what was sealed to this key. Raises InvalidMessage if it was sealed to another, or changed."""
        sender, nonce, secret = sealed[:KEY_BYTES], sealed[KEY_BYTES:][:NONCE_BYTES], sealed[KEY_BYTES + NONCE_BYTES :]
        try:
            shared = self._private.exchange(X25519PublicKey.from_public_bytes(sender))
            plain = ChaCha20Poly1305(_key(shared, sender, self.public)).decrypt(nonce, secret, self.public)
        except (InvalidTag, ValueError) as error:
            raise InvalidMessage("The secrets were not encrypted to this node.") from error
        return decode(plain)


def seal(value: Any, public_key: bytes) -> bytes:
    """Return a value encrypted, so that only the node with that key can read it."""
    sender = X25519PrivateKey.generate()
    public, nonce = sender.public_key().public_bytes_raw(), os.urandom(NONCE_BYTES)
    shared = sender.exchange(X25519PublicKey.from_public_bytes(public_key))
    secret = ChaCha20Poly1305(_key(shared, public, public_key)).encrypt(nonce, encode(value), public_key)
    return public + nonce + secret


def _key(shared: bytes, sender: bytes, receiver: bytes) -> bytes:
    return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=PURPOSE + sender + receiver).derive(shared)
