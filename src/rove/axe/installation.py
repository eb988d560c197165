"""Finding axe-core on this machine, and fetching it.

No package of Python's has the newest one without a second browser driver (docs/decisions/0030-audits.md), so that the
file of the one release that rove is tested with is fetched, and is used only if its hash is the published one.
"""

from __future__ import annotations

import hashlib
import os
import urllib.request
from functools import lru_cache
from pathlib import Path

from rove.errors import Unsupported, unwritable
from rove.settings.tree import Settings

VERSION = "4.14.0"
# As axe-core publishes it for this release, in its sri-history.json.
SHA256 = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
# Two networks that serve the files of published packages. Either may be wrong or gone: the hash decides.
ADDRESSES = (
    f"https://cdn.jsdelivr.net/npm/axe-core@{VERSION}/axe.min.js",
    f"https://unpkg.com/axe-core@{VERSION}/axe.min.js",
)
MOST_BYTES = 8 * 2**20
TIMEOUT = 20.0
OTHER_WAYS = (
    "On a machine without access, run `npm pack axe-core` elsewhere and set ROVE_AXE to the path of its axe.min.js."
)


def axe_source(settings: Settings) -> str:
    """Return the code of axe-core; raise Unsupported if it is not installed."""
    path = settings.axe or own_path(settings)
    try:
        facts = path.stat()
        return _read(path, facts.st_mtime_ns, facts.st_size, SHA256 if settings.axe is None else "")
    except OSError as error:
        reason = f"the file {path} cannot be read: {error.strerror}" if settings.axe else "it is not installed"
        raise Unsupported(
            f"Pages are audited with axe-core, and {reason}.",
            hint="Ask the user to correct ROVE_AXE." if settings.axe else "Ask the user to run `rove install axe`.",
        ) from error


@lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int, digest: str) -> str:
    """Return the code in a file; raise Unsupported if it is not what it should be. The numbers tell versions apart."""
    data = path.read_bytes() if size <= MOST_BYTES else b""
    if not data or (digest and hashlib.sha256(data).hexdigest() != digest):
        raise Unsupported(
            f"{path} is not axe-core {VERSION}: it was changed or cut off.",
            hint="Ask the user to run `rove install axe`.",
        )
    return data.decode()


def install_axe(settings: Settings, again: bool = False) -> tuple[str, Path]:
    """Fetch axe-core unless it is there; return its version and its path."""
    path = own_path(settings)
    if not again and path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256:
        return VERSION, path
    data = _fetch((settings.axe_address,) if settings.axe_address else ADDRESSES)
    draft = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        raise unwritable(path.parent, error) from error
    return VERSION, path


def own_path(settings: Settings) -> Path:
    return settings.home_folder / "axe" / f"axe-{VERSION}.min.js"


def _fetch(addresses: tuple[str, ...]) -> bytes:
    """Return the file from the first address that has it; raise Unsupported with what each of them did."""
    reasons: list[str] = []
    for address in addresses:
        try:
            with urllib.request.urlopen(address, timeout=TIMEOUT) as response:  # through the environment's proxy
                data: bytes = response.read(MOST_BYTES)
        except (OSError, ValueError) as error:
            reasons.append(f"{address}: {getattr(error, 'reason', error)}")
            continue
        if hashlib.sha256(data).hexdigest() == SHA256:
            return data
        reasons.append(f"{address}: it has another hash than axe-core {VERSION}")
    raise Unsupported(f"axe-core could not be fetched. {'; '.join(reasons)}.", hint=OTHER_WAYS)
