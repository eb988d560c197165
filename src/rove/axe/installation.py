"""Finding axe-core on this machine, and fetching it.

No package of Python's has the newest one without a second browser driver (docs/decisions/0030-audits.md), so that the
file itself is fetched: from the registries that the user's npm and pip are set to, or from networks that serve
published packages. It is used only if it has the hash of a release that is named here.
"""

from __future__ import annotations

import hashlib
import os
import urllib.request
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from rove.axe import registries
from rove.errors import Unsupported, unwritable
from rove.settings.tree import Settings

VERSION = "4.14.0"
# As axe-core publishes them in its sri-history.json: of the release that rove is tested with, and of the newest one
# that a package of PyPI's holds.
HASHES = {
    VERSION: "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878",
    "4.12.1": "84494fec757e4710dc751c8d7a636e457f4532f08f85c86dc9070133fbff53bc",
}
# Two networks that serve the files of published packages. Either may be wrong or gone: the hash decides.
ADDRESSES = (
    f"https://cdn.jsdelivr.net/npm/axe-core@{VERSION}/axe.min.js",
    f"https://unpkg.com/axe-core@{VERSION}/axe.min.js",
)
MOST_BYTES = 8 * 2**20
TIMEOUT = 20.0
OTHER_WAYS = (
    "Set npm or pip to a registry that this machine reaches (NPM_CONFIG_REGISTRY, PIP_INDEX_URL), or run "
    "`npm pack axe-core` elsewhere and set ROVE_AXE to the path of its axe.min.js."
)
Unpack = Callable[[bytes], bytes]
# The address of a file, what unpacks it, and the header by which a registry knows the user.
Offer = tuple[str, Unpack, str | None]


def as_it_is(data: bytes) -> bytes:
    return data


def axe_source(settings: Settings) -> str:
    """Return the code of axe-core; raise Unsupported if it is not installed."""
    path, digest = (settings.axe, "") if settings.axe is not None else _newest(settings)
    try:
        facts = path.stat()
        return _read(path, facts.st_mtime_ns, facts.st_size, digest)
    except OSError as error:
        reason = f"the file {path} cannot be read: {error.strerror}" if settings.axe else "it is not installed"
        raise Unsupported(
            f"Pages are audited with axe-core, and {reason}.",
            hint="Ask the user to correct ROVE_AXE." if settings.axe else "Ask the user to run `rove install axe`.",
        ) from error


def _newest(settings: Settings) -> tuple[Path, str]:
    """Return the path of the newest release that is there, and its hash."""
    paths = {own_path(settings, version): digest for version, digest in HASHES.items()}
    return next(((path, digest) for path, digest in paths.items() if path.exists()), next(iter(paths.items())))


@lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int, digest: str) -> str:
    """Return the code in a file; raise Unsupported if it is not what it should be. The numbers tell versions apart."""
    data = path.read_bytes() if size <= MOST_BYTES else b""
    if not data or (digest and hashlib.sha256(data).hexdigest() != digest):
        raise Unsupported(
            f"{path} is not what axe-core published: it was changed or cut off.",
            hint="Ask the user to run `rove install axe`.",
        )
    return data.decode()


def install_axe(settings: Settings, again: bool = False) -> tuple[str, Path]:
    """Fetch axe-core unless it is there; return its version and its path."""
    path = own_path(settings)
    if not again and path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == HASHES[VERSION]:
        return VERSION, path
    version, data = _fetch(settings)
    path = own_path(settings, version)
    draft = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        raise unwritable(path.parent, error) from error
    return version, path


def own_path(settings: Settings, version: str = VERSION) -> Path:
    return settings.home_folder / "axe" / f"axe-{version}.min.js"


def _fetch(settings: Settings) -> tuple[str, bytes]:
    """Return a release and its file from the first address that has one; raise Unsupported with what each did."""
    reasons: list[str] = []
    for address, unpack, authorization in _offers(settings, reasons):
        try:
            data = unpack(_get(address, authorization))
        except (OSError, ValueError) as error:
            reasons.append(f"{address}: {getattr(error, 'reason', error)}")
            continue
        digest = hashlib.sha256(data).hexdigest()
        version = next((version for version, known in HASHES.items() if known == digest), None)
        if version is not None:
            return version, data
        reasons.append(f"{address}: it has another hash than axe-core {VERSION}")
    raise Unsupported(f"axe-core could not be fetched. {'; '.join(reasons)}.", hint=OTHER_WAYS)


def _offers(settings: Settings, reasons: list[str]) -> Iterator[Offer]:
    """Yield where axe-core may be had: what the user has set first, and an older release last."""
    if settings.axe_address:
        yield settings.axe_address, as_it_is, None
        return
    for registry in registries.npm_registries():
        yield registry.tarball(VERSION), registries.from_tarball, registry.authorization
    yield from ((address, as_it_is, None) for address in ADDRESSES)
    for registry in registries.npm_default():
        yield registry.tarball(VERSION), registries.from_tarball, None
    for index in registries.pip_indexes():
        for version in registries.PIP_VERSIONS:
            try:
                page = _get(index.listing, index.authorization).decode("utf-8", "replace")
                wheel = registries.wheel_address(index.listing, page, version)
            except (OSError, ValueError) as error:
                reasons.append(f"{index.listing}: {getattr(error, 'reason', error)}")
                continue
            is_same_host = wheel.startswith(index.address.partition("://")[0] + "://" + _host(index.address) + "/")
            yield wheel, registries.from_wheel, index.authorization if is_same_host else None


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _get(address: str, authorization: str | None) -> bytes:
    request = urllib.request.Request(address)
    if authorization is not None:
        request.add_unredirected_header("Authorization", authorization)  # no other host is told it
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # through the environment's proxy
        data: bytes = response.read(MOST_BYTES)
    return data
