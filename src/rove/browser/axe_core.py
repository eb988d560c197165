"""axe-core, which audits pages: finding it on this machine, and fetching it from where the user's packages come.

Their own settings are read: a machine without access to the internet mostly has a mirror, which these name.

No package of Python's has the newest one without a second browser driver (docs/decisions/0030-audits.md), so that the
file itself is fetched: from the registries that the user's npm and pip are set to, or from networks that serve
published packages. It is used only if it has the hash of a release that is named here.
"""

from __future__ import annotations

import base64
import configparser
import hashlib
import io
import logging
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from rove.errors import Unsupported, unwritable
from rove.patterns import pattern
from rove.records import dataclass
from rove.settings.tree import Settings

log = logging.getLogger(__name__)
# The package of npm, and the file in it.
NPM_PACKAGE, NPM_FILE = "axe-core", "package/axe.min.js"
# The package of PyPI that holds the newest release of axe-core, the file in it, and its own version for each release.
PIP_PACKAGE, PIP_FILE = "axe-playwright-python", "axe_playwright_python/axe.min.js"
PIP_VERSIONS = {"4.12.1": "0.1.8"}
# Of an archive when it is unpacked; that of npm holds axe-core several times.
MOST_UNPACKED = 64 * 2**20
NPM_SECONDS = 20.0
_VARIABLE = pattern(r"\$\{(\w+)\}")
_LINK = pattern(r"""<a\s[^>]*?href\s*=\s*["']([^"'>]+)["']""")
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


@dataclass(frozen=True)
class Registry:
    """The base address of a registry, and the header by which it knows the user, if it asks for one."""

    address: str
    authorization: str | None = None

    @classmethod
    def of(cls, address: str, authorization: str | None = None) -> Registry:
        """Return a registry of an address, which may have a user name and a password in it."""
        parts = urlsplit(address.rstrip("/") + "/")
        user, at, host = parts.netloc.rpartition("@")
        if at:
            authorization = f"Basic {base64.b64encode(unquote(user).encode()).decode()}"
        return cls(urlunsplit(parts._replace(netloc=host)), authorization)

    def tarball(self, version: str) -> str:
        """Return the address of npm's archive of axe-core."""
        return urljoin(self.address, f"{NPM_PACKAGE}/-/{NPM_PACKAGE}-{version}.tgz")

    @property
    def listing(self) -> str:
        """Return the address of the page that lists the files of PyPI's package."""
        page = urljoin(self.address, f"{PIP_PACKAGE}/")
        return f"{page}index.html" if page.startswith("file:") else page


def npm_registries() -> Iterator[Registry]:
    """Yield the registry that npm is set to by a variable or by a file of the user or of the machine."""
    settings = {**_npmrc(_global_npmrc()), **_npmrc(_user_npmrc()), **_npm_variables()}
    if address := settings.get("registry"):
        yield Registry.of(address, _npm_authorization(address, settings))


def npm_default() -> Iterator[Registry]:
    """Yield the registry that npm itself has where nothing is set, if npm is on this machine."""
    npm = shutil.which("npm")
    if npm is None:
        return
    try:
        asked = subprocess.run(
            [npm, "config", "get", "registry"], capture_output=True, text=True, timeout=NPM_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("npm does not tell its registry: %s", error)
        return
    if (address := asked.stdout.strip()).startswith(("https:", "http:")):
        yield Registry.of(address)


def pip_indexes() -> Iterator[Registry]:
    """Yield the package indexes that pip or uv is set to by variables or by files."""
    settings: dict[str, str] = {}
    for path in _pip_files():
        settings |= _pip_settings(path)
    variables = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_EXTRA_INDEX_URL")
    named = [os.environ.get(name, "") for name in variables]
    found = " ".join((*named, settings.get("index-url", ""), settings.get("extra-index-url", ""))).split()
    for address in dict.fromkeys(found):
        yield Registry.of(address)


def from_tarball(data: bytes) -> bytes:
    """Return axe-core out of npm's archive. Raises ValueError if it is not in there."""
    try:
        unpacker = zlib.decompressobj(wbits=31)
        whole = unpacker.decompress(data, MOST_UNPACKED)
        with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
            file = archive.extractfile(NPM_FILE)
            return file.read() if file is not None else b""
    except (zlib.error, tarfile.TarError, KeyError) as error:
        raise ValueError(f"the archive cannot be read: {error}") from error


def from_wheel(data: bytes) -> bytes:
    """Return axe-core out of PyPI's package. Raises ValueError if it is not in there."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(PIP_FILE) as file:
            return file.read(MOST_UNPACKED)
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"the archive cannot be read: {error}") from error


def wheel_address(page: str, html: str, version: str) -> str:
    """Return the address of the wheel that a page of an index links to. Raises ValueError if it links to none."""
    name = f"{PIP_PACKAGE.replace('-', '_')}-{PIP_VERSIONS[version]}-"
    for found in _LINK.finditer(html):
        address: str = urljoin(page, found[1].replace("&amp;", "&"))
        file = urlsplit(address).path.rpartition("/")[2]
        if file.startswith(name) and file.endswith(".whl"):
            return address
    raise ValueError(f"it has no wheel {name}*.whl")


def _npm_variables() -> dict[str, str]:
    """Return the registry that npm is given by the environment, where its variables may be written in capitals."""
    return {"registry": address} if (address := _npm_variable("registry")) else {}


def _npm_variable(name: str) -> str | None:
    return os.environ.get(f"npm_config_{name}") or os.environ.get(f"NPM_CONFIG_{name.upper()}")


def _user_npmrc() -> Path:
    named = _npm_variable("userconfig")
    return Path(named) if named else Path.home() / ".npmrc"


def _global_npmrc() -> Path:
    if named := _npm_variable("globalconfig"):
        return Path(named)
    npm = shutil.which("npm")
    return Path(npm).parent.parent / "etc/npmrc" if npm else Path("/etc/npmrc")


def _npmrc(path: Path) -> dict[str, str]:
    """Return the settings in one of npm's files, with the variables that they name filled in."""
    settings: dict[str, str] = {}
    for line in _text(path).splitlines():
        key, equals, value = line.strip().partition("=")
        if equals and not key.startswith(("#", ";")):
            filled = _VARIABLE.sub(lambda found: os.environ.get(found[1], ""), value.strip())
            settings[key.strip()] = filled.strip("\"'")
    return settings


def _npm_authorization(address: str, settings: Mapping[str, str]) -> str | None:
    """Return the header for a registry: npm's files name tokens by host and path, `//host/path/:_authToken`."""
    where = address.rstrip("/").partition(":")[2] + "/"
    while where.startswith("//") and len(where) > len("//"):
        for name, scheme in (("_authToken", "Bearer"), ("_auth", "Basic")):
            if value := settings.get(f"{where}:{name}"):
                return f"{scheme} {value}"
        where = where.rstrip("/").rpartition("/")[0] + "/"
    return None


def _pip_files() -> Iterator[Path]:
    """Yield the files that pip reads, the one that counts most last."""
    yield from (Path("/etc/pip.conf"), Path.home() / ".pip/pip.conf")
    configs = os.environ.get("XDG_CONFIG_HOME")
    yield (Path(configs) if configs else Path.home() / ".config") / "pip/pip.conf"
    yield Path(sys.prefix) / "pip.conf"
    if named := os.environ.get("PIP_CONFIG_FILE"):
        yield Path(named)


def _pip_settings(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(_text(path))
    except configparser.Error as error:
        log.warning("%s is left out: %s", path, error)
        return {}
    sections = [section for section in ("global", "install", "download") if parser.has_section(section)]
    return {key.replace("_", "-"): value for section in sections for key, value in parser.items(section)}


def _text(path: Path) -> str:
    """Return what a file of settings says; nothing if there is none, or none that the user may read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


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
    for registry in npm_registries():
        yield registry.tarball(VERSION), from_tarball, registry.authorization
    yield from ((address, as_it_is, None) for address in ADDRESSES)
    for registry in npm_default():
        yield registry.tarball(VERSION), from_tarball, None
    for index in pip_indexes():
        for version in PIP_VERSIONS:
            try:
                page = _get(index.listing, index.authorization).decode("utf-8", "replace")
                wheel = wheel_address(index.listing, page, version)
            except (OSError, ValueError) as error:
                reasons.append(f"{index.listing}: {getattr(error, 'reason', error)}")
                continue
            is_same_host = wheel.startswith(index.address.partition("://")[0] + "://" + _host(index.address) + "/")
            yield wheel, from_wheel, index.authorization if is_same_host else None


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _get(address: str, authorization: str | None) -> bytes:
    request = urllib.request.Request(address)
    if authorization is not None:
        request.add_unredirected_header("Authorization", authorization)  # no other host is told it
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # through the environment's proxy
        data: bytes = response.read(MOST_BYTES)
    return data
