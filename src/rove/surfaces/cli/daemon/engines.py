"""The browser engines of the daemon: one for each set of settings that sessions were opened with."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rove.engine.sessions import DEFAULT, Sessions
from rove.errors import InvalidSettings
from rove.guard.policy import NoApprover
from rove.records import dataclass
from rove.settings.tree import Option, Resolved, Settings, options, resolve
from rove.surfaces.cli.daemon.people import Observers

# Tells whether the files of the policy and of the secrets are those that an engine has read.
Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True)
class EngineRequest:
    """What a command asks of an engine: settings as flags, and the environment that secrets may refer to."""

    flags: Mapping[str, Any]
    environment: Mapping[str, str]


class Engines:
    """Finds the engine that has a session, and starts one where a session is to be opened."""

    def __init__(self, observers: Observers) -> None:
        self._observers = observers
        self._engines: dict[tuple[Settings, Stamp], Sessions] = {}
        self._ports: list[tuple[str, int]] = []
        # Commands that run in each engine, and other reasons to keep it.
        self._uses: Counter[Sessions] = Counter()
        self._starting = asyncio.Lock()

    @asynccontextmanager
    async def using(self, name: str | None, resolved: Resolved, request: EngineRequest) -> AsyncGenerator[Sessions]:
        """Find the engine for a command, and keep it for as long as the command runs. Raises InvalidSettings."""
        engine = await self._find(name, resolved, request)
        self._uses[engine] += 1
        try:
            yield engine
        finally:
            self._uses[engine] -= 1

    def keep(self, engine: Sessions) -> None:
        """Keep an engine also when it has no sessions."""
        self._uses[engine] += 1

    async def _find(self, name: str | None, resolved: Resolved, request: EngineRequest) -> Sessions:
        """Return the engine for a command in this session. Raises InvalidSettings if it has other settings.

        An open session keeps the settings that it was opened with: flags that differ from those are refused, and so is
        a policy, or are secrets, that have changed since.
        """
        chosen = name or DEFAULT
        engine = self.with_session(chosen)
        if engine is None:
            return await self._engine(resolved.settings, request.environment)
        difference = self._difference(engine, resolved.settings, request.flags)
        if difference is None:
            return engine
        if _shows_nothing(engine, chosen):
            await engine.close_session(chosen)
            return await self._engine(resolved.settings, request.environment)
        raise InvalidSettings(
            f"The session {chosen} is open with {difference}.",
            hint=f"Close it first with `rove close {chosen}`, or use another one with --session.",
        )

    def _difference(self, engine: Sessions, settings: Settings, flags: Mapping[str, Any]) -> str | None:
        """Say how the settings of an engine differ from those that a command asks for, if they do."""
        for option in options():
            if option.key in flags and _value(engine.settings, option) != _value(settings, option):
                return f"another value of {option.flag}"
        if (engine.settings, _stamp(engine.settings)) not in self._engines:
            return "the policy and the secrets as they were before their files were changed"
        return None

    def with_session(self, name: str) -> Sessions | None:
        """Return the engine in which a session is open."""
        return next((engine for engine in self._engines.values() if name in engine.open_sessions(None)), None)

    @property
    def all(self) -> tuple[Sessions, ...]:
        return tuple(self._engines.values())

    def protect_port(self, address: str, port: int) -> None:
        """Let no page and no agent of any engine reach a port that the daemon listens on."""
        self._ports.append((address, port))
        for engine in self._engines.values():
            engine.protect_port(address, port)

    async def _engine(self, settings: Settings, environment: Mapping[str, str]) -> Sessions:
        async with self._starting:
            key = settings, _stamp(settings)
            if key not in self._engines:
                # Secrets may name variables of the environment, which is that of this command.
                os.environ.update(environment)
                # The daemon has no terminal: the person at that of the command is asked, whatever else is set.
                approver = NoApprover() if settings.approve == "none" else None
                sessions = Sessions(settings, approver=approver, people=self._observers, watcher=self._observers)
                await self._close_unused()
                engine = await sessions.__aenter__()
                for address, port in self._ports:
                    engine.protect_port(address, port)
                engine.start_early()
                self._engines[key] = engine
            return self._engines[key]

    async def _close_unused(self) -> None:
        """Close the engines that have no session, before there is one more browser."""
        unused = [key for key, engine in self._engines.items() if not self._uses[engine] and not engine.sessions()]
        for key in unused:
            await self._engines.pop(key).close()

    async def close(self) -> None:
        """Close every session and every browser."""
        engines, self._engines = self._engines, {}
        for engine in engines.values():
            await engine.close()


def _stamp(settings: Settings) -> Stamp:
    return tuple(map(_file_stamp, (settings.policy_file, settings.secrets_file)))


def _file_stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _shows_nothing(engine: Sessions, name: str) -> bool:
    """Whether a session has only blank tabs, as after an address that was refused."""
    tabs = (tab for session in engine.sessions() if session["session"] == name for tab in session["tabs"])
    return all(tab["url"] == "about:blank" for tab in tabs)


def resolved_for(folder: str, environment: Mapping[str, str], flags: Mapping[str, Any]) -> Resolved:
    """Return the settings for a command that was given in a folder; relative paths begin there."""
    variables = {option.variable: option for option in options()}
    named = {
        name: _placed(variables[name], value, folder) if name in variables else value
        for name, value in environment.items()
    }
    known = {option.key: option for option in options()}
    return resolve({key: _placed(known[key], value, folder) for key, value in flags.items()}, named)


def _placed(option: Option, value: Any, folder: str) -> Any:
    is_path = option.kind is Path and isinstance(value, str) and not value.startswith("~")
    return str(Path(folder, value)) if is_path else value


def _value(settings: Settings, option: Option) -> Any:
    value: Any = settings
    for name in option.path:
        value = getattr(value, name)
    return value
