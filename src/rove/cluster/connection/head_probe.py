"""Whether a head answers, and whether it and this process trust each other: Ray itself would only say that it waits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from collections.abc import Mapping
from pathlib import Path

from rove.cluster.connection.options import ClusterOptions

PROBE_SECONDS = 2.0
# The protocol of Ray's ports, which a server for gRPC wants to be asked for.
PROTOCOL = "h2"
# Where Ray looks for the token in the home of the user, if no other file is set.
DEFAULT_TOKEN = ".ray/auth_token"


class HeadRefused(Exception):
    """The head does not trust this process, or must not be trusted; another attempt would end the same way."""


async def probe_head(options: ClusterOptions, environment: Mapping[str, str]) -> str:
    """Return why a head does not answer; nothing if it does. Raises HeadRefused for its certificate."""
    _refuse_unreadable_token(environment)
    context = _tls_context(environment) if uses_tls(environment) else None
    name = options.host if context is not None else None
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            _, writer = await asyncio.open_connection(options.host, options.port, ssl=context, server_hostname=name)
    except ssl.SSLCertVerificationError as error:
        raise HeadRefused(f"its certificate is not trusted here ({error.verify_message})") from error
    except ssl.SSLError:
        return "it does not speak TLS, which is set here"
    except (OSError, TimeoutError):
        return "nothing listens at that address"
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return ""


def _tls_context(environment: Mapping[str, str]) -> ssl.SSLContext:
    """Return how Ray's processes with this environment connect. Raises HeadRefused if its files cannot be read."""
    try:
        context = ssl.create_default_context(cafile=environment["RAY_TLS_CA_CERT"])
        context.load_cert_chain(environment["RAY_TLS_SERVER_CERT"], environment["RAY_TLS_SERVER_KEY"])
    except KeyError as error:
        raise HeadRefused(f"RAY_USE_TLS is set here, and {error.args[0]} is not") from error
    except OSError as error:
        raise HeadRefused(f"the certificates of RAY_TLS_… cannot be read here ({error.strerror or error})") from error
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # Ray's own library does without
    context.set_alpn_protocols([PROTOCOL])
    return context


def _refuse_unreadable_token(environment: Mapping[str, str]) -> None:
    """Raise HeadRefused if the token cannot be read: Ray would end its process without a word."""
    if uses_token(environment) and not environment.get("RAY_AUTH_TOKEN"):
        file = Path(environment.get("RAY_AUTH_TOKEN_PATH") or Path.home() / DEFAULT_TOKEN)
        if not os.access(file, os.R_OK):
            raise HeadRefused(f"the token, {file}, cannot be read here")


def uses_token(environment: Mapping[str, str]) -> bool:
    """Whether Ray, in a process with this environment, shows a token."""
    return environment.get("RAY_AUTH_MODE", "").lower() == "token"


def uses_tls(environment: Mapping[str, str]) -> bool:
    """Whether Ray, in a process with this environment, speaks TLS."""
    return environment.get("RAY_USE_TLS", "").lower() in ("1", "true")
