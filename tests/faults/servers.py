"""Servers that do it wrong: real sockets on loopback, each with its own way to fail."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import datetime
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@asynccontextmanager
async def serving(answer: Answer, tls: ssl.SSLContext | None = None, port: int = 0) -> AsyncGenerator[str]:
    """A server that treats every connection in the same way, until the block ends; yields its `host:port`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the browser went away, or the test is over
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=tls)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@contextmanager
def demanding(tls: ssl.SSLContext) -> Generator[str]:
    """A server that asks everyone for a certificate, and tells those without one why they are turned away."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):  # closed, as the block has ended
            while True:
                plug, _ = listening.accept()
                with plug, contextlib.suppress(OSError), tls.wrap_socket(plug, server_side=True) as opened:
                    opened.recv(1)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


async def asked(reader: asyncio.StreamReader) -> bytes:
    """The head of a request."""
    return await reader.readuntil(b"\r\n\r\n")


async def left(reader: asyncio.StreamReader) -> None:
    """Until whoever is at the other end has had enough."""
    await reader.read()


def reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection off the hard way."""
    plug: socket.socket = writer.get_extra_info("socket")
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accepts, listens, and says nothing."""
    await left(reader)


def sending(body: bytes, head: bytes = HTML) -> Answer:
    """Says this, and closes the connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        writer.write(head + b"\r\n" + body)
        await writer.drain()

    return answer


def whole(body: bytes) -> Answer:
    """A good answer."""
    return sending(body, HTML + b"Content-Length: %d\r\n" % len(body))


def dribbling(first: bytes, more: bytes, head: bytes = HTML) -> Answer:
    """Begins well and then never comes to an end, as fast as it is read."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        writer.write(head + b"\r\n" + first)
        gone = asyncio.ensure_future(left(reader))
        while not gone.done():
            await writer.drain()
            await asyncio.wait({gone}, timeout=0.02)
            writer.write(more)

    return answer


@dataclass(frozen=True)
class Certificate:
    """A certificate that says what it is told to say, and its key, in one file."""

    file: Path
    fingerprint: str

    @property
    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


def certificate(folder: Path, host: str = "127.0.0.1", days: tuple[int, int] = (-1, 1)) -> Certificate:
    """Signed by itself, for a host, from one day to another."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    owner = x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=days[0]))
        .not_valid_after(now + datetime.timedelta(days=days[1]))
        .add_extension(x509.SubjectAlternativeName([owner]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / f"{host}.pem"
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    digest = hashes.Hash(hashes.SHA256())
    digest.update(public)
    return Certificate(file, base64.b64encode(digest.finalize()).decode())
