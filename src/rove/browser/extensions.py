"""Extensions that the owner loads into the browser of a profile: unpacked folders with a manifest.

An agent cannot choose them. They are declared in the settings, so that every engine can load the same ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rove.errors import InvalidSettings
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.settings.tree import Settings

MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 1_000_000
MESSAGE_MARK = "__MSG_"
# Permissions that would let an extension around what rove guards, and what each could do.
REFUSED_PERMISSIONS = {
    "proxy": "send requests past rove's proxy",
    "privacy": "let WebRTC past rove's proxy",
    "vpnProvider": "send requests past rove's proxy",
    "dns": "resolve names past rove's proxy",
    "socket": "open sockets past rove's proxy",
    "sockets": "open sockets past rove's proxy",
    "nativeMessaging": "talk to programs on this machine",
    "debugger": "drive the browser past rove",
    "contentSettings": "grant permissions to pages",
}


@dataclass(frozen=True)
class Extension:
    """An unpacked extension, as its manifest describes it."""

    folder: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def extensions_for(settings: Settings, profile: str) -> tuple[Extension, ...]:
    """Return the extensions of a profile. Raises InvalidSettings if one cannot be loaded."""
    return tuple(read_extension(folder) for name, folder in declared(settings) if name == profile)


def declared(settings: Settings) -> tuple[tuple[str, Path], ...]:
    """Return the profile and the folder of each extension in the settings."""
    return tuple(_declared(text, settings.profile) for text in settings.extension)


def check_extensions(settings: Settings) -> None:
    """Raise InvalidSettings if an extension in the settings belongs to no profile, or cannot be loaded."""
    if settings.extension and settings.attach is not None:
        raise InvalidSettings("`extension`: rove loads none into a browser that it is attached to.")
    for _, folder in declared(settings):
        read_extension(folder)


def read_extension(folder: Path) -> Extension:
    """Read the manifest of an extension. Raises InvalidSettings if it is none, or may not be loaded."""
    manifest = _manifest(folder)
    for field in ("name", "version"):
        if not isinstance(manifest.get(field), str):
            raise _broken(folder, f"its {MANIFEST} has no `{field}`")
    if manifest.get("manifest_version") not in (2, 3):
        raise _broken(folder, f"its {MANIFEST} has no `manifest_version` of 2 or 3")
    for permission in _permissions(manifest):
        if permission in REFUSED_PERMISSIONS:
            can = REFUSED_PERMISSIONS[permission]
            raise InvalidSettings(
                f"The extension {folder} is not loaded: with its permission `{permission}` it could {can}.",
                hint="Use another extension, or a build of this one without that permission.",
            )
    return Extension(str(folder), _own_name(folder, manifest), manifest["version"])


def described(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """Yield the subject, the detail and, if it cannot be loaded, the fix of each extension, for `rove doctor`."""
    for text in settings.extension:
        try:
            profile, folder = _declared(text, settings.profile)
            yield "extension", f"{read_extension(folder)} for the profile {profile}: {folder}", ""
        except InvalidSettings as error:
            yield "extension", error.message, error.hint


def _declared(text: str, default: str | None) -> tuple[str, Path]:
    """Read `PROFILE=FOLDER`, or a folder for the profile of the default session."""
    profile, equals, folder = text.partition("=")
    if not equals or "/" in profile:
        profile, folder = default or "", text
    if not profile:
        raise InvalidSettings(
            f"`extension`: {text} belongs to no profile.", hint="Pass --profile NAME too, or write NAME=FOLDER."
        )
    return profile, Path(folder).expanduser().absolute()


def _manifest(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise InvalidSettings(
            f"There is no folder {folder} with an extension.",
            hint="Name the folder of an unpacked extension, which has a manifest.json; unpack a .crx or .zip first.",
        )
    try:
        with (folder / MANIFEST).open("rb") as file:
            manifest = json.loads(file.read(MAX_MANIFEST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        raise _broken(folder, f"it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise _broken(folder, f"its {MANIFEST} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise _broken(folder, f"its {MANIFEST} is no object")
    return cast("dict[str, Any]", manifest)


def _permissions(manifest: dict[str, Any]) -> Iterator[str]:
    """Yield the permissions that it has or may ask for. Some have arguments, and are objects."""
    for field in ("permissions", "optional_permissions"):
        for permission in manifest.get(field) or ():
            yield from permission if isinstance(permission, dict) else (permission,)
    yield from (key for key in ("sockets", "nativeMessaging") if key in manifest)


def _own_name(folder: Path, manifest: dict[str, Any]) -> str:
    """Return the name; for one that is a message of a language, that of the default language."""
    name: str = manifest["name"]
    if not name.startswith(MESSAGE_MARK):
        return name
    key = name.removeprefix(MESSAGE_MARK).removesuffix("__").lower()
    try:
        path = folder / "_locales" / str(manifest.get("default_locale")) / "messages.json"
        messages = {each.lower(): value for each, value in json.loads(path.read_bytes()).items()}
        return str(messages[key]["message"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return folder.name


def _broken(folder: Path, why: str) -> InvalidSettings:
    return InvalidSettings(
        f"The extension {folder} cannot be loaded: {why}.",
        hint="Name the folder that holds the manifest.json of an unpacked extension.",
    )
