"""Every setting of rove, with its type, default and description, and how the settings in force are read.

The keys of the config file, the environment variables, the flags and the reference page are derived from these classes.

A later source wins: defaults, those of the toolset, `$ROVE_HOME/config.toml`, `ROVE_*`, flags. The setting
`limits.tabs` is `tabs` in the file's `[limits]` table, `ROVE_LIMITS_TABS` in the environment and `--limits-tabs` as a
flag.

An unknown key in the file or an unknown flag is an error. An unknown `ROVE_*` variable is a warning: an MCP client that
passes one on would see only a closed pipe instead of the error, and the variable may be meant for another program.
"""

from __future__ import annotations

import logging
import os
import types
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from rove.advice import nearest
from rove.errors import InvalidSettings
from rove.fields import InvalidFields, Validated, arg, build, declared
from rove.records import dataclass
from rove.settings.chrome_version import PINNED, checked_mirror, checked_version
from rove.settings.debug_port import checked
from rove.settings.home import DEFAULT as DEFAULT_HOME
from rove.settings.home import home_from
from rove.settings.sections import Capturing, Clustering, EngineName, Fetching, Logins, Observing, Viewport
from rove.settings.sections import Deadlines as Deadlines
from rove.settings.sections import Guarding as Guarding
from rove.settings.sections import Journaling as Journaling
from rove.settings.sections import Limits as Limits
from rove.settings.sections import Serving as Serving
from rove.settings.toolset_file import parse_toml, settings_of

log = logging.getLogger(__name__)
# rove sets this itself, in the environment of the processes that it starts.
RUN_FOLDER_MARK = "ROVE_RUN_FOLDER"
# Other names that settings have.
ALIASES = {"browser_headless": "headless"}


@dataclass(frozen=True)
class Settings(Validated):
    """Everything that can be set."""

    home: Path = arg(
        "Folder for rove's own files. It cannot be set in the config file, which is in that folder.",
        default=Path(DEFAULT_HOME),
    )
    workspace: Path | None = arg(
        "The only folder that files are uploaded from and written to. Default: `workspace` in home.",
        default=None,
    )
    engine: EngineName = arg(
        "Browser engine that sessions run on, unless one is opened with another: docs/engines.md says what differs.",
        default="chromium",
    )
    browser: Path | None = arg(
        "Path of the browser to use, of the engine that is set. Default: the first one that `rove install` finds.",
        default=None,
    )
    attach: str | None = arg(
        "A browser of your own to use, started with --remote-debugging-port: http://127.0.0.1:9222, or its ws:// "
        "address. What its pages reach is NOT GUARDED. Default: none, rove starts one.",
        default=None,
        check=checked,
    )
    secrets: Path | None = arg(
        "File with the named secrets that may be typed into pages. Default: `secrets.toml` in home, if it is there.",
        default=None,
    )
    policy: Path | None = arg(
        "File with the policy: what an agent may do, and what a person is asked. Default: `policy.toml` in home, if "
        "it is there.",
        default=None,
    )
    approve: Literal["client", "terminal", "none"] = arg(
        "Who answers when the policy asks: the user of the MCP client, if it can show questions, or the person at "
        "rove's own terminal; with `none` the answer is always no.",
        default="client",
    )
    browser_enabled: bool = arg(
        "Give agents a browser; without it no browser tool is registered on any surface.", default=True
    )
    headless: bool = arg("Run without a window. Also called browser_headless.", default=True)
    stealth: bool = arg(
        "Leave no traces of automation in pages, and be in every respect the browser that the user agent names. What "
        "it is for, and what it does not do: docs/stealth.md.",
        default=False,
    )
    start_early: bool = arg("Start the browser with the server, not with the first call that needs it.", default=True)
    profile: str | None = arg("Profile of the default session, which a browser of its own keeps.", default=None)
    extension: tuple[str, ...] = arg(
        "Unpacked extensions: FOLDER for the profile of the default session, or PROFILE=FOLDER. They take a full "
        "browser instead of a headless shell.",
        default=(),
    )
    unguarded_extensions: bool = arg(
        "Load extensions also where rove cannot keep their WebRTC from bypassing its proxy: on all systems but Linux.",
        default=False,
    )
    browser_per_session: bool = arg(
        "Start a browser for each session, so that a crash of one leaves the others alone; each takes about 200 MB.",
        default=False,
    )
    sandbox: Literal["auto", "on", "off"] = arg(
        "The sandbox of Chromium or WebKit; auto turns it off only where the kernel refuses it.",
        default="auto",
    )
    allow_host: tuple[str, ...] = arg(
        "Hosts to open although they are not public, such as localhost:3000, *.corp.example or 10.0.0.0/8.",
        default=(),
    )
    only_host: tuple[str, ...] = arg("If given, the only hosts that may be reached at all.", default=())
    deny_host: tuple[str, ...] = arg("Hosts never to reach, with all that is under them.", default=())
    proxy: str | None = arg(
        "A proxy to go out through, http://host:port or socks5://host:port; addresses are still checked.",
        default=None,
    )
    dns: str | None = arg("Name server to ask, address:port. Default: what this machine asks.", default=None)
    browser_version: str = arg(
        "Version of Chrome for Testing that `rove install` fetches: a number such as this, or stable, beta, dev or "
        "canary.",
        default=PINNED,
        check=checked_version,
    )
    browser_mirror: str | None = arg(
        "Address to fetch Chrome for Testing from instead of Google's, with the same files below it: "
        "VERSION/PLATFORM/PROGRAM-PLATFORM.zip.",
        default=None,
        check=checked_mirror,
    )
    fetch_browser: bool = arg("Install a browser on first use when none is found.", default=True)
    axe: Path | None = arg(
        "Path of an axe.min.js to audit pages with. Default: the one that `rove install axe` has fetched.",
        default=None,
    )
    axe_address: str | None = arg(
        "Address to fetch axe.min.js from instead of the usual ones. Its hash must be the same.",
        default=None,
    )
    with_: tuple[str, ...] = arg("Groups of tools that a model is shown besides the usual ones, or all.", default=())
    toolset: str | None = arg(
        "Tools that a model is shown: the name of a toolset, such as devtools or playwright, or the path of a TOML "
        "file. `rove tools` lists them. Default: rove; in the chat of `rove serve`, batch.",
        default=None,
    )
    tools: tuple[str, ...] = arg("If given, the only tools of the toolset that a model is shown.", default=())
    without: tuple[str, ...] = arg("Tools of the toolset that a model is not shown.", default=())
    viewport: Viewport = Viewport()
    deadlines: Deadlines = Deadlines()
    limits: Limits = Limits()
    observing: Observing = Observing()
    journal: Journaling = Journaling()
    capture: Capturing = Capturing()
    guard: Guarding = Guarding()
    serve: Serving = Serving()
    logins: Logins = Logins()
    fetching: Fetching = Fetching()
    cluster: Clustering = Clustering()

    @property
    def home_folder(self) -> Path:
        return Path(home_from(self.home, {}))

    @property
    def uses_headless_shell(self) -> bool:
        """Whether a headless shell will do, which starts faster, and which a page can tell from a full browser."""
        return self.headless and not self.stealth and not self.extension

    @property
    def workspace_folder(self) -> Path:
        return (self.workspace.expanduser().absolute()) if self.workspace else self.home_folder / "workspace"

    @property
    def policy_file(self) -> Path:
        return self.policy.expanduser().absolute() if self.policy else self.home_folder / "policy.toml"

    @property
    def journal_folder(self) -> Path:
        return self.home_folder / "sessions"

    @property
    def secrets_file(self) -> Path:
        return self.secrets.expanduser().absolute() if self.secrets else self.home_folder / "secrets.toml"

    @property
    def config_file(self) -> Path:
        return self.home_folder / "config.toml"


@dataclass(frozen=True)
class Option:
    """One setting, under all its names."""

    path: tuple[str, ...]
    kind: Any
    default: Any
    description: str

    @property
    def names(self) -> tuple[str, ...]:
        """The path as it is written outside of Python, where `with` needs no underscore."""
        return tuple(name.rstrip("_") for name in self.path)

    @property
    def key(self) -> str:
        return ".".join(self.names)

    @property
    def variable(self) -> str:
        return "ROVE_" + "_".join(self.names).upper()

    @property
    def flag(self) -> str:
        return "--" + "-".join(self.names).replace("_", "-")

    @property
    def is_switch(self) -> bool:
        return self.kind is bool

    @property
    def is_list(self) -> bool:
        return get_origin(self.kind) is tuple

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


@dataclass(frozen=True)
class Resolved:
    """The settings in force, and where each value came from."""

    settings: Settings
    sources: Mapping[str, str]


@cache
def options() -> tuple[Option, ...]:
    """Return every setting, in the order of the tree."""
    return tuple(_leaves(Settings, ()))


def resolve(
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    toolset: str | None = None,
) -> Resolved:
    """Read the file, the environment and the flags; a later one wins.

    `toolset`: the one whose values hold, before all of these, where none is chosen.
    """
    environment = os.environ if environment is None else environment
    flags = {key: value for key, value in (flags or {}).items() if value is not None}
    home = Path(home_from(flags.get("home"), environment))
    values: dict[str, Any] = {}
    sources = {option.key: "default" for option in options()}
    layers = [
        (str(home / "config.toml"), _from_file(home / "config.toml")),
        *((variable, _given(option, environment[variable])) for variable, option in _set_in(environment)),
        *((option_of(key).flag, _given(option_of(key), value)) for key, value in flags.items()),
    ]
    if chosen := next((layer["toolset"] for _, layer in reversed(layers) if layer.get("toolset")), toolset):
        layers.insert(0, (f"toolset {chosen}", _known_settings(settings_of(str(chosen), home), str(chosen))))
    for source, layer in layers:
        values.update(layer)
        sources.update(dict.fromkeys(layer, source))
    return Resolved(_build(values, sources), sources)


def _known_settings(given: Mapping[str, Any], toolset: str) -> dict[str, Any]:
    return {option_of(key, f" in the toolset {toolset}").key: value for key, value in _flatten(given, "")}


def _given(option: Option, value: Any) -> dict[str, Any]:
    """Read a setting from the environment or a flag. The parts of a list may be separated by commas."""
    if not option.is_list:
        return {option.key: value}
    words: list[str] = [value] if isinstance(value, str) else list(value)
    return {option.key: [part.strip() for word in words for part in word.split(",") if part.strip()]}


def load(**flags: Any) -> Settings:
    """Return the settings in force. A keyword is a flag, with `__` for the dot: `limits__tabs=3`."""
    return resolve({key.replace("__", ".").rstrip("_"): value for key, value in flags.items()}).settings


def _leaves(section: type[Validated], prefix: tuple[str, ...]) -> Iterator[Option]:
    for name, (hint, rule) in declared(section).items():
        kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        if isinstance(kind, type) and issubclass(kind, Validated):
            yield from _leaves(kind, (*prefix, name))
            continue
        if isinstance(kind, types.UnionType):
            kind = next(part for part in get_args(kind) if part is not type(None))
        yield Option((*prefix, name), kind, getattr(section, name), rule.description)


def option_of(key: str, where: str = "") -> Option:
    """Return the setting of that name. Raises InvalidSettings if there is none."""
    known = {option.key: option for option in options()}
    key = ALIASES.get(key, key)
    if key in known:
        return known[key]
    raise InvalidSettings(f"There is no setting `{key}`{where}.", hint=f"Did you mean `{nearest(key, known, 0)}`?")


def _set_in(environment: Mapping[str, str]) -> list[tuple[str, Option]]:
    known = {option.variable: option for option in options()}
    known |= {f"ROVE_{name.upper()}": option_of(key) for name, key in ALIASES.items()}
    for variable in environment:
        if variable.startswith("ROVE_") and variable not in known and variable != RUN_FOLDER_MARK:
            log.warning(
                "%s is ignored: there is no such setting. Did you mean %s?", variable, nearest(variable, known, 0)
            )
    return [(variable, option) for variable, option in known.items() if variable in environment]


def _from_file(path: Path) -> dict[str, Any]:
    try:
        tree = parse_toml(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:  # not text, or not TOML
        raise InvalidSettings(f"{path} cannot be read: {error}", hint="Correct the file or remove it.") from error
    if "home" in tree:
        raise InvalidSettings(
            f"`home` cannot be set in {path}, which is in that folder.", hint="Set ROVE_HOME or pass --home."
        )
    return {option_of(key, f" in {path}").key: value for key, value in _flatten(tree, "")}


def _flatten(tree: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _build(values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *parents, leaf = option_of(key).path
        branch = tree
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[leaf] = value
    try:
        settings: Settings = build(Settings, tree)
    except InvalidFields as refused:
        key, why = refused.complaints[0]
        key = key.rstrip("_")
        raise InvalidSettings(f"`{key}` from {sources.get(key, 'the settings')}: {why}.") from refused
    return settings
