"""One tree of settings. The file, the environment, the flags and the docs all derive from it.

A later source wins: defaults, `$ROVE_HOME/config.toml`, `ROVE_*`, flags. The setting `limits.tabs` is
`tabs` in the file's `[limits]` table, `ROVE_LIMITS_TABS` in the environment and `--limits-tabs` as a flag.
"""

from __future__ import annotations

import difflib
import os
import tomllib
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rove.errors import InvalidSettings
from rove.home import DEFAULT as DEFAULT_HOME
from rove.home import home_from

# Set by rove itself, in the environment of what it starts.
RUN_FOLDER_MARK = "ROVE_RUN_FOLDER"
Seconds = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Viewport(Section):
    width: int = Field(default=1280, ge=1, description="Width of a new tab, in CSS pixels.")
    height: int = Field(default=720, ge=1, description="Height of a new tab, in CSS pixels.")


class Deadlines(Section):
    action: Seconds = Field(default=15, description="Seconds within which every call answers, whatever the page does.")
    settle: Seconds = Field(default=5, description="Most seconds to wait for a page to become quiet after an act.")
    launch: Seconds = Field(default=30, description="Seconds that a browser may take to start.")
    approval: Seconds = Field(default=120, description="Seconds that a person has to answer when asked.")


class Limits(Section):
    sessions: int = Field(default=8, ge=1, description="Most sessions open at once.")
    tabs: int = Field(default=20, ge=1, description="Most tabs open at once in one session.")
    downloads: int = Field(default=100, ge=0, description="Most downloads that one tab may make.")
    download_megabytes: int = Field(default=500, ge=1, description="Largest download that is kept.")
    idle: Seconds = Field(default=1800, description="Seconds without a call after which a session is closed.")


class Observing(Section):
    budget: int = Field(default=4000, ge=200, description="Most tokens of a page's first look.")
    picture: int = Field(
        default=1568, ge=64, description="Longest side of a picture, in pixels; a larger one is scaled down."
    )
    changes: int = Field(default=1500, ge=100, description="Most tokens of what an act changed.")


class Settings(Section):
    """Everything that can be set."""

    home: Path = Field(
        default=Path(DEFAULT_HOME),
        description="Folder for rove's own files. Not read from the file, which lies in it.",
    )
    workspace: Path | None = Field(
        default=None,
        description="The one folder that files come from and go to. Default: `workspace` in home.",
    )
    browser: Path | None = Field(
        default=None,
        description="Path of the browser to use. Default: the first that `rove install` would find.",
    )
    headless: bool = Field(default=True, description="Run without a window.")
    sandbox: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Chromium's own sandbox; auto turns it off only where the kernel refuses it.",
    )
    fetch_browser: bool = Field(default=True, description="Install a browser on first use when none is found.")
    viewport: Viewport = Viewport()
    deadlines: Deadlines = Deadlines()
    limits: Limits = Limits()
    observing: Observing = Observing()

    @property
    def home_folder(self) -> Path:
        return self.home.expanduser().absolute()

    @property
    def workspace_folder(self) -> Path:
        return (self.workspace.expanduser().absolute()) if self.workspace else self.home_folder / "workspace"

    @property
    def config_file(self) -> Path:
        return self.home_folder / "config.toml"


@dataclass(frozen=True)
class Option:
    """One leaf of the tree, under all its names."""

    path: tuple[str, ...]
    kind: Any
    default: Any
    description: str

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        return "ROVE_" + "_".join(self.path).upper()

    @property
    def flag(self) -> str:
        return "--" + "-".join(self.path).replace("_", "-")

    @property
    def is_switch(self) -> bool:
        return self.kind is bool

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


@dataclass(frozen=True)
class Resolved:
    """The settings in force, and where each value came from."""

    settings: Settings
    sources: Mapping[str, str]


def options() -> list[Option]:
    """Every setting there is, in the tree's order."""
    return list(_leaves(Settings, ()))


def resolve(flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None) -> Resolved:
    """Read file, environment and flags, each stronger than the one before."""
    environment = os.environ if environment is None else environment
    flags = {key: value for key, value in (flags or {}).items() if value is not None}
    home = home_from(flags.get("home"), environment)
    values: dict[str, Any] = {}
    sources = {option.key: "default" for option in options()}
    layers = [
        (str(home / "config.toml"), _from_file(home / "config.toml")),
        *((option.variable, {option.key: environment[option.variable]}) for option in _set_in(environment)),
        *((_option(key).flag, {key: value}) for key, value in flags.items()),
    ]
    for source, layer in layers:
        values.update(layer)
        sources.update(dict.fromkeys(layer, source))
    return Resolved(_build(values, sources), sources)


def load(**flags: Any) -> Settings:
    """The settings in force; a keyword is a flag, with `__` for the dot (`limits__tabs=3`)."""
    return resolve({key.replace("__", "."): value for key, value in flags.items()}).settings


def _leaves(section: type[BaseModel], prefix: tuple[str, ...]) -> Iterator[Option]:
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from _leaves(kind, (*prefix, name))
            continue
        if isinstance(kind, types.UnionType):
            kind = next(part for part in get_args(kind) if part is not type(None))
        yield Option((*prefix, name), kind, field.default, field.description or "")


def _option(key: str, where: str = "") -> Option:
    known = {option.key: option for option in options()}
    if key in known:
        return known[key]
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
    raise InvalidSettings(f"There is no setting `{key}`{where}.", hint=f"Did you mean `{nearest}`?")


def _set_in(environment: Mapping[str, str]) -> list[Option]:
    known = {option.variable: option for option in options()}
    for variable in environment:
        if variable.startswith("ROVE_") and variable not in known and variable != RUN_FOLDER_MARK:
            nearest = difflib.get_close_matches(variable, known, n=1, cutoff=0.0)[0]
            raise InvalidSettings(f"There is no setting `{variable}`.", hint=f"Did you mean `{nearest}`?")
    return [option for variable, option in known.items() if variable in environment]


def _from_file(path: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"{path} cannot be read: {error}", hint="Mend the file or remove it.") from error
    if "home" in tree:
        raise InvalidSettings(
            f"`home` cannot be set in {path}, which lies in it.", hint="Set ROVE_HOME or pass --home."
        )
    return {_option(key, f" in {path}").key: value for key, value in _flatten(tree, "")}


def _flatten(tree: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _build(values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *parents, leaf = key.split(".")
        branch = tree
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[leaf] = value
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InvalidSettings(f"`{key}` from {sources.get(key, 'the settings')}: {first['msg']}.") from error
