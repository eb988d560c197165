"""Certificates with chosen hosts and dates, and the NSS store of the authorities that Chromium trusts."""

from __future__ import annotations

import base64
import ctypes
import datetime
import ipaddress
import ssl
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

Days = tuple[int, int]
NOW: Days = (-1, 1)
# NSS trust flags: a valid authority that is trusted to issue server certificates.
TRUSTED = (1 << 3) | (1 << 4)


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, in one file."""

    file: Path
    fingerprint: str

    @property
    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


class Authority:
    """A certificate authority that browsers do not trust until `is_trusted_in` is called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Authority of a test")
        authority = x509.BasicConstraints(ca=True, path_length=None)
        builder = _builder(self._name, self._name, self._key.public_key(), (-99, 99))
        self._own = builder.add_extension(authority, critical=True).sign(self._key, hashes.SHA256())

    def issue(self, host: str = "127.0.0.1", days: Days = NOW) -> Certificate:
        """Issue a certificate for a host, valid between two days counted from today."""
        key = ec.generate_private_key(ec.SECP256R1())
        owner = x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
        builder = _builder(_name(host), self._name, key.public_key(), days)
        made = builder.add_extension(x509.SubjectAlternativeName([owner]), critical=False)
        signed = made.sign(self._key, hashes.SHA256())
        file = self._folder / f"{host}.pem"
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file.write_bytes(secret + signed.public_bytes(Encoding.PEM))
        return Certificate(file, _fingerprint(key.public_key()))

    @property
    def file(self) -> Path:
        """Its own certificate, in a file as OpenSSL reads it."""
        file = self._folder / "authority.pem"
        file.write_bytes(self._own.public_bytes(Encoding.PEM))
        return file

    def is_trusted_in(self, home: Path) -> None:
        """Make browsers that are started with this HOME trust the authority."""
        store, own = home / ".pki" / "nssdb", self._folder / "authority.der"
        store.mkdir(parents=True)
        own.write_bytes(self._own.public_bytes(Encoding.DER))
        # In another process: the library keeps the store open for as long as it is loaded.
        subprocess.run([sys.executable, __file__, str(store), str(own)], check=True, timeout=30)


def _name(words: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: Days
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=days[0]))
        .not_valid_after(now + datetime.timedelta(days=days[1]))
    )


def _fingerprint(key: ec.EllipticCurvePublicKey) -> str:
    digest = hashes.Hash(hashes.SHA256())
    digest.update(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    return base64.b64encode(digest.finalize()).decode()


class _Item(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_uint), ("data", ctypes.c_char_p), ("length", ctypes.c_uint))


def _trust(store: str, certificate: bytes) -> None:
    """Add a certificate to an NSS store, which Chromium reads on Linux."""
    nss = ctypes.CDLL("libnss3.so")
    for function in (nss.PK11_GetInternalKeySlot, nss.CERT_NewTempCertificate, nss.CERT_GetDefaultCertDB):
        function.restype = ctypes.c_void_p
    assert nss.NSS_InitReadWrite(f"sql:{store}".encode()) == 0
    slot, known = ctypes.c_void_p(nss.PK11_GetInternalKeySlot()), ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    assert nss.PK11_InitPin(slot, None, None) == 0
    item = _Item(0, certificate, len(certificate))
    made = ctypes.c_void_p(nss.CERT_NewTempCertificate(known, ctypes.byref(item), None, 0, 1))
    assert nss.PK11_ImportCert(slot, made, ctypes.c_ulong(0), b"test", 0) == 0
    trust = (ctypes.c_uint * 3)(TRUSTED, 0, 0)
    assert nss.CERT_ChangeCertTrust(known, made, ctypes.byref(trust)) == 0
    nss.NSS_Shutdown()


if __name__ == "__main__":
    _trust(sys.argv[1], Path(sys.argv[2]).read_bytes())
