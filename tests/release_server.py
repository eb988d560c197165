"""A server laid out like Chrome for Testing's, with faults that a test chooses."""

from __future__ import annotations

import base64
import contextlib
import datetime
import gzip
import hashlib
import io
import ipaddress
import json
import os
import random
import socket
import ssl
import threading
import zipfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from rove.settings.chrome_version import PINNED

DAY = datetime.timedelta(days=1)
VERSION = PINNED
PLATFORM = {"Linux": "linux64", "Darwin": "mac-arm64"}[os.uname().sysname]
PROGRAM = f"chrome-headless-shell-{PLATFORM}/chrome-headless-shell"


def program(version: str) -> bytes:
    return f"#!/bin/sh\necho Google Chrome for Testing {version}\n".encode()


def archive(files: Mapping[str, bytes], links: Mapping[str, str] | None = None, executable: bool = True) -> bytes:
    """Return a zip archive like Chrome for Testing's, with file modes and symbolic links."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(_entry(name, 0o100755 if executable else 0o100644), data)
        for name, target in (links or {}).items():
            packed.writestr(_entry(name, 0o120777), target)
    return made.getvalue()


def _entry(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = mode << 16
    return entry


def browser_archive(version: str = VERSION) -> bytes:
    """Return the archive of a program that prints a version, large enough to be cut off in the middle."""
    ballast = random.Random(version).randbytes(2**20)
    return archive({PROGRAM: program(version), f"chrome-headless-shell-{PLATFORM}/icudtl.dat": ballast})


@dataclass
class Releases:
    """The files of the server, its faults, and the requests that it received."""

    files: dict[str, bytes] = field(default_factory=dict)
    # Bytes of a body after which each of the next responses is cut off.
    cuts: list[int] = field(default_factory=list)
    wrong_hash: bool = False
    etag: str = '"first"'
    is_silent: bool = False
    drips: bool = False
    ranges: bool = True
    # Where archives are redirected to.
    moved: str | None = None
    scheme: str = "http"
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def add(self, version: str = VERSION, content: bytes | None = None) -> str:
        """Add a version; return the path of its archive."""
        path = f"/{version}/{PLATFORM}/chrome-headless-shell-{PLATFORM}.zip"
        self.files[path] = browser_archive(version) if content is None else content
        downloads = {"chrome-headless-shell": [{"platform": PLATFORM, "url": self.url + path}]}
        entry = {"version": version, "revision": "1", "downloads": downloads}
        listed: Any = {"timestamp": "2026-11-01T00:00:00.000Z", "versions": [entry]}
        self.files["/known-good-versions-with-downloads.json"] = json.dumps(listed).encode()
        latest = {"timestamp": listed["timestamp"], "channels": {"Stable": {"channel": "Stable", **entry}}}
        self.files["/last-known-good-versions-with-downloads.json"] = json.dumps(latest).encode()
        return path

    def ranges_asked(self, path: str) -> list[str | None]:
        return [wanted for asked, wanted in self.asked if asked == path]


class _Handler(BaseHTTPRequestHandler):
    releases: Releases
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        releases, path = self.releases, self.path.removeprefix(self.releases.url)
        releases.asked.append((path, self.headers.get("Range")))
        if releases.is_silent:
            releases.done.wait()
        elif releases.drips:
            self._drip()
        elif releases.moved and not path.startswith("/elsewhere"):
            self._send(302, b"", {"Location": releases.moved + path})
        elif (content := releases.files.get(path)) is None:
            self.send_error(404)
        elif path.endswith(".json"):
            self._send(200, gzip.compress(content), {"Content-Encoding": "gzip"})
        else:
            self._send_file(content)

    def do_CONNECT(self) -> None:
        self.releases.asked.append((self.path, None))
        self.send_error(407)

    def _send_file(self, content: bytes) -> None:
        digest = base64.b64encode(hashlib.md5(b"" if self.releases.wrong_hash else content).digest()).decode()
        headers = {"ETag": self.releases.etag, "x-goog-hash": f"crc32c=AAAAAA==,md5={digest}"}
        wanted = self.headers.get("Range")
        if wanted is None or self.headers.get("If-Range") != self.releases.etag or not self.releases.ranges:
            return self._send(200, content, headers)
        start = int(wanted.removeprefix("bytes=").rstrip("-"))
        headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        return self._send(206, content[start:], headers)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        cut = self.releases.cuts.pop(0) if self.releases.cuts and not self.path.endswith(".json") else None
        self.wfile.write(body[:cut])
        if cut is not None:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    def _drip(self) -> None:
        """Send a head that never ends, a little at a time."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        with contextlib.suppress(OSError):
            while not self.releases.done.wait(0.05):
                self.wfile.write(b"x")
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _encrypted(listening: socket.socket, folder: Path) -> socket.socket:
    """Serve with a self-signed certificate, written to a file that a client can trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    identity = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + DAY)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .add_extension(identity, False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identity), False)
        .sign(key, hashes.SHA256())
    )
    trusted, secret = folder / "certificate.pem", folder / "key.pem"
    trusted.write_bytes(certificate.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted, secret)
    return context.wrap_socket(listening, server_side=True)


@contextlib.contextmanager
def releasing(encrypted_in: Path | None = None) -> Generator[Releases]:
    """Run a server with one version until the block ends, over TLS if a folder for its certificate is given."""
    releases = Releases()
    handler = type("Handler", (_Handler,), {"releases": releases})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if encrypted_in is not None:
        releases.scheme, server.socket = "https", _encrypted(server.socket, encrypted_in)
    releases.port = server.server_address[1]
    releases.add()
    threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()
    try:
        yield releases
    finally:
        releases.done.set()
        server.shutdown()
        server.server_close()
