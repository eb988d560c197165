"""The addresses and secrets that a recording needs, for settings of the code that is made from it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from rove.recordings.recording import Recording
from rove.target import secret_named


def private_hosts(recording: Recording) -> list[str]:
    """Return the hosts of its pages that rove reaches only if they are allowed: those of this machine and network."""
    addresses = [step.url for step in recording.steps]
    addresses += [str(step.arguments.get("url", "")) for step in recording.steps]
    hosts = (urlsplit(address).hostname or "" for address in addresses)
    return sorted({host for host in hosts if host and _is_private(host)})


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal")) or "." not in host


def secret_names(recording: Recording) -> list[str]:
    """Return the names of the secrets that its steps type."""
    texts = (text for step in recording.steps for text in texts_in(step.arguments))
    return sorted({name for text in texts if (name := secret_named(text))})


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in the arguments of a step."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)


def variable_of(recording: Recording, parameter: str) -> str:
    """Return the variable of the environment that sets a parameter of the code: `ORDER_NAME`, as others have NAME."""
    return f"{identifier(recording.name)}_{parameter}".upper()


def identifier(name: str) -> str:
    """Return a name as programs write it: `order-tea` becomes `order_tea`."""
    made = re.sub(r"\W+", "_", name).strip("_").lower() or "recording"
    return f"recording_{made}" if made[0].isdigit() else made
